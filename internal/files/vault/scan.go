package vault

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

// DefaultMaxBytes is the maximum size of a note, the text of ten Bibles. While a note is
// parsed, several copies of it are in memory.
const DefaultMaxBytes = 32 << 20

// Rules decide which files are notes.
type Rules struct {
	// Extensions of notes, with the dot: ".md". Case does not matter.
	Extensions []string
	// MaxBytes is the largest size of a note; 0 means DefaultMaxBytes.
	MaxBytes int64
	// FoldCase matches ignore rules without regard to the case of ASCII
	// letters, as git does where core.ignoreCase is set.
	FoldCase bool
	// Others selects the files that are not notes instead.
	Others bool
	// Below is the directory to list, "" for the root, and Depth the number of levels, 0 for
	// all. A directory that a listing of the root leaves out counts as empty.
	Below string
	Depth int
}

// IsNote reports whether a name has the extension of a note.
func (r Rules) IsNote(name string) bool { return (NoteExt(name, r.Extensions) != "") != r.Others }

func (r Rules) maxBytes() int64 {
	if r.MaxBytes == 0 {
		return DefaultMaxBytes
	}
	return r.MaxBytes
}

// Listing is the result of a scan, each list sorted by path (bytewise).
type Listing struct {
	Files   []File // of Survey in no order
	Skipped []Skip
	// Sidecars are the skipped sidecars: those without a document, too large, or not files.
	Sidecars []Skip
	// Dirs are the listed directories, including ".": a note, or the sidecar of one, can
	// appear only in one of them.
	Dirs []string
	// Deeper are directories that were not listed, for Rules.Depth.
	Deeper []string
	// Temps are files that fsys.WriteAtomic has not yet put into their
	// places: litter, if no writer is at work.
	Temps []string

	unknown []string // paths whose content could not be listed
	broken  bool     // one of them could not be listed for a reason other than missing permission
}

// File is a note as the directory describes it; its bytes were not read.
type File struct {
	Path    string // slash-separated, relative to the root
	Size    int64
	ModTime int64 // Unix nanoseconds
	Sum     int64 // of the path, Size, ModTime and Side, see kb.PathSum
	Side    Side
}

// Skip is an entry that looks like a note, or may contain notes, but is not in the listing.
type Skip struct {
	Path   string // valid UTF-8, with U+FFFD for invalid bytes
	Reason Reason
	Err    error // the cause, for Unreadable and BadIgnoreFile
}

// Reason is why something was skipped. The values are stable.
type Reason string

// The reasons.
const (
	LinkOutside   Reason = "link_outside"    // a symbolic link that leaves the space
	LinkInside    Reason = "link_inside"     // a symbolic link within the space: listed under its own path
	Special       Reason = "special"         // a FIFO, socket or device
	DirAsNote     Reason = "directory"       // a directory with a note's name; the notes in it are listed
	NotUTF8       Reason = "name_not_utf8"   // the name is not valid UTF-8
	GitName       Reason = "git_name"        // a directory that git takes for .git, with the notes in it
	HiddenFile    Reason = "hidden"          // a file with a note's extension and a name that starts with a dot
	TooLarge      Reason = "too_large"       // over Rules.MaxBytes
	Orphan        Reason = "orphan"          // a sidecar without a document
	SidecarLink   Reason = "sidecar_link"    // a sidecar that is a symbolic link
	Unreadable    Reason = "unreadable"      // cannot be listed; its content is unknown
	BadIgnoreFile Reason = "bad_ignore_file" // an ignore file that cannot be read; its rules do not hold
)

// String describes the reason.
func (r Reason) String() string {
	switch r {
	case LinkOutside:
		return "symbolic link that leaves the space"
	case LinkInside:
		return "symbolic link to another place in the space"
	case Special:
		return "not a regular file"
	case DirAsNote:
		return "directory with the name of a note"
	case NotUTF8:
		return "name is not valid UTF-8"
	case GitName:
		return "git takes the name for .git"
	case HiddenFile:
		return "name starts with a dot"
	case TooLarge:
		return "file is too large"
	case Orphan:
		return "no document of this name"
	case SidecarLink:
		return "symbolic link"
	case Unreadable:
		return "cannot be read"
	case BadIgnoreFile:
		return "ignore file cannot be read"
	}
	return string(r)
}

// Covers reports whether the listing is complete for a path: if it is and the
// path is not among the files, then there is no such note. It is incomplete
// below a directory that could not be listed.
func (l *Listing) Covers(name string) bool {
	return !slices.ContainsFunc(l.unknown, func(u string) bool {
		return name == u || strings.HasPrefix(name, u+"/")
	})
}

// Whole reports whether the listing is complete except for directories without permission,
// such as lost+found. After a disk error, a missing file may be in a part that could not be
// listed.
func (l *Listing) Whole() bool { return !l.broken }

// Hidden reports whether an element of a path starts with a dot. Hidden files are never
// notes: .git, .obsidian, .cairn, .raw, .trash and so on. Neither are files in a directory
// that git takes for .git: a commit with such a directory cannot be checked out.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") ||
		strings.Contains(name, "~1") && slices.ContainsFunc(strings.Split(name, "/"), isGit)
}

// isGit reports whether an element of a path is the short name of .git on Windows.
func isGit(element string) bool { return strings.EqualFold(element, "git~1") }

// Scan lists the notes of a tree. It fails when the root cannot be listed or
// ctx is done; everything else that goes wrong is in Skipped.
func Scan(ctx context.Context, tree fsys.FS, rules Rules) (*Listing, error) {
	list, err := Survey(ctx, tree, rules)
	if err == nil {
		SortFiles(list.Files)
	}
	return list, err
}

// SortFiles sorts files by path (bytewise).
func SortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}

// link reports a symbolic link that may hide notes from the reader: one with a note's name,
// one to a directory, and one that leaves the space and has no extension, which is most
// likely a directory.
func (s *scan) link(name string, isNote bool) {
	target, err := s.tree.Readlink(name)
	if err != nil {
		if isNote {
			s.skip(name, LinkOutside, err)
		}
		return
	}
	inside := !path.IsAbs(target) && !driveLetter(target) && fs.ValidPath(path.Join(path.Dir(name), target))
	switch {
	case !inside && (isNote || path.Ext(name) == ""):
		s.skip(name, LinkOutside, nil)
	case inside && (isNote || s.isDir(path.Join(path.Dir(name), target))):
		s.skip(name, LinkInside, nil)
	}
}

func (s *scan) isDir(name string) bool {
	info, err := s.tree.Lstat(name)
	return err == nil && info.IsDir()
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}
