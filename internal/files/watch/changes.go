package watch

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
)

// maxPaths is the maximum number of changed files that are reported individually. Above it a
// listing of the whole directory is cheaper.
const maxPaths = 64

// Taken holds the changes in the tree since the last Take.
type Taken struct {
	// Paths are the notes that may have been added, removed or changed, or whose sidecar may
	// have; each once, in no particular order.
	Paths []string
	// Whole is set when Paths is incomplete. The directory must then be listed through
	// Queue.Tree.
	Whole bool
	// Beside is set when something else that appears in a listing was added or
	// removed: a skipped file, or a temporary file. Temporary files of
	// completed writes do not count.
	Beside bool
}

// Unsupported is the reason why a directory has to be listed before each answer.
type Unsupported struct {
	Reason string // for people
	cause  error
}

func (u *Unsupported) Error() string { return u.Reason }
func (u *Unsupported) Unwrap() error { return u.cause }

// filter selects the relevant events.
type filter struct {
	tree    fsys.FS
	rules   vault.Rules
	matcher *vault.Matcher
}

func newFilter(tree fsys.FS, rules vault.Rules) filter {
	return filter{tree: tree, rules: rules, matcher: vault.NewMatcher(tree, rules.FoldCase)}
}

// kind classifies events: it decides what is reported.
type kind int

const (
	nothing   kind = iota // irrelevant
	beside                // not a note, but maybe something that a listing skips
	temp                  // a file that is not in its place yet
	note                  // a note: its path is sufficient
	directory             // a directory that may hold notes
	ignoring              // an ignore file: other files may be notes now
	sidecar               // the sidecar of a note
)

// kind classifies an event of a path.
func (f filter) kind(ctx context.Context, name string, isDir bool) kind {
	switch {
	case vault.IsIgnoreFile(name):
		return ignoring
	case !isDir && fsys.IsTemp(name):
		return temp
	case isDir && vault.IsSidecarDir(name):
		return directory
	case !isDir && vault.IsSidecar(name):
		return sidecar
	case vault.Hidden(name), !isDir && !f.rules.IsNote(path.Base(name)):
		return beside
	}
	rule, err := f.matcher.Ignored(ctx, name, isDir)
	switch {
	case err == nil && rule != nil:
		return nothing
	case isDir:
		return directory
	}
	// If an ignore file cannot be read, the path counts as a note: an unnecessary check is
	// better than a missed change.
	return note
}

// notesAt returns the paths of the notes that a sidecar may belong to.
func (f filter) notesAt(name string) []string {
	var out []string
	stem, _ := vault.SidecarOf(name)
	for _, ext := range f.rules.Extensions {
		if info, err := f.tree.Lstat(stem + ext); err == nil && info.Mode().IsRegular() {
			out = append(out, stem+ext)
		}
	}
	return out
}

// exclude describes git's private ignore file, which is in an unwatched
// directory; nil for none.
func (f filter) exclude() fs.FileInfo {
	info, err := f.tree.Lstat(vault.ExcludeFile)
	if err != nil {
		return nil
	}
	return info
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// Reason explains to people why a directory cannot be watched.
func Reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched directories is reached (on Linux fs.inotify.max_user_watches)"
	case errors.Is(err, syscall.EMFILE):
		return "the system's limit of watchers or open files is reached (on Linux fs.inotify.max_user_instances)"
	}
	return kb.AsError(fsys.Explain(err, "watch the directory")).Error()
}
