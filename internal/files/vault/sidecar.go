package vault

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// The sidecar of a document is in a directory of this name, in a file with the
// document's name. Ignore files do not apply to it.
const (
	sidecarDir = ".raw"
	sidecarExt = ".json"
)

// Side describes the sidecar of a note; the zero value means none.
type Side struct {
	Size    int64
	ModTime int64 // Unix nanoseconds
}

// SidecarPath returns the path of the sidecar of a document.
func SidecarPath(name string) string {
	dir, base := path.Split(name)
	return dir + sidecarDir + "/" + strings.TrimSuffix(base, path.Ext(base)) + sidecarExt
}

// SidecarOf returns the path, without extension, of the document that a sidecar belongs to;
// ok is false for a path that cannot be a sidecar.
func SidecarOf(name string) (stem string, ok bool) {
	dir, base := path.Split(name)
	above, ok := strings.CutSuffix(dir, sidecarDir+"/")
	if !ok || above != "" && (!strings.HasSuffix(above, "/") || Hidden(above)) {
		return "", false
	}
	base, ok = strings.CutSuffix(base, sidecarExt)
	return above + base, ok && base != "" && !Hidden(base)
}

// IsSidecar reports whether a path can be that of a sidecar.
func IsSidecar(name string) bool {
	_, ok := SidecarOf(name)
	return ok
}

// IsSidecarDir reports whether a directory of this path may contain sidecars.
func IsSidecarDir(name string) bool {
	dir, base := path.Split(name)
	return base == sidecarDir && !Hidden(dir)
}

// sidecars lists the sidecars of the notes in a directory, by the names of the
// notes without extensions, and reports those without a note.
func (s *scan) sidecars(dir string, h *held, notes []File) map[string]Side {
	at := path.Join(dir, sidecarDir)
	folder, err := h.folder.Folder(sidecarDir)
	if fsys.Missing(err) {
		return nil
	}
	if err != nil {
		s.unreadable(at, err)
		return nil
	}
	defer func() { _ = folder.Close() }() // it was only read
	var names []string
	err = folder.Each(func(name []byte, kind fs.FileMode) {
		if base := string(name); kind.IsRegular() && fsys.IsTemp(base) {
			s.temp(at + "/" + base)
		} else if stem, ok := strings.CutSuffix(base, sidecarExt); ok && stem != "" && stem[0] != '.' {
			names = append(names, stem)
		}
	})
	if err != nil {
		s.unreadable(at, err)
		return nil
	}
	s.note(func(l *Listing) { l.Dirs = append(l.Dirs, at) })
	found := make(map[string]Side, len(names))
	for _, stem := range names {
		name := at + "/" + stem + sidecarExt
		st, err := folder.Stat(stem + sidecarExt)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			s.unreadable(name, err)
		case !utf8.ValidString(stem):
			s.skipSide(name, NotUTF8)
		case st.Type == fs.ModeSymlink:
			s.skipSide(name, SidecarLink)
		case !st.Type.IsRegular():
			s.skipSide(name, Special)
		case st.Size > kb.MaxSidecar:
			s.skipSide(name, TooLarge)
		default:
			found[stem] = Side{st.Size, st.ModTime}
		}
	}
	orphans := maps.Clone(found)
	for _, f := range notes {
		delete(orphans, stemOf(f.Path))
	}
	for stem := range orphans {
		s.skipSide(at+"/"+stem+sidecarExt, Orphan)
		delete(found, stem)
	}
	return found
}

// UnreadableSidecars returns the paths of the sidecars of notes that are not readable, in
// the order of the notes. A listing needs no permission to read them, and their rows in the
// index stay unchanged.
func UnreadableSidecars(tree fsys.FS, notes []File) []string {
	var out []string
	for from := 0; from < len(notes); {
		dir, to := path.Dir(notes[from].Path), from+1
		for to < len(notes) && path.Dir(notes[to].Path) == dir {
			to++
		}
		out = append(out, unreadableIn(tree, path.Join(dir, sidecarDir), notes[from:to])...)
		from = to
	}
	return out
}

// unreadableIn is UnreadableSidecars for notes with sidecars in one directory.
func unreadableIn(tree fsys.FS, dir string, notes []File) (out []string) {
	var folder fsys.Folder
	for _, f := range notes {
		if f.Side == (Side{}) {
			continue
		}
		name, err := stemOf(f.Path)+sidecarExt, error(nil)
		if folder == nil {
			if folder, err = fsys.OpenFolder(tree, dir); err == nil {
				defer func() { _ = folder.Close() }() // it was only read
			}
		}
		if err == nil {
			err = folder.Readable(name)
		}
		if errors.Is(err, fs.ErrPermission) {
			out = append(out, dir+"/"+name)
		}
	}
	return out
}

func (s *scan) skipSide(name string, reason Reason) {
	s.note(func(l *Listing) {
		l.Sidecars = append(l.Sidecars, Skip{Path: strings.ToValidUTF8(name, "\uFFFD"), Reason: reason})
	})
}

// stemOf is the name of a note without its directory and extension.
func stemOf(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// beside sets the sidecar of a note, if it has one.
func (f *File) beside(sides map[string]Side) {
	if len(sides) == 0 {
		return
	}
	if side, ok := sides[stemOf(f.Path)]; ok {
		f.Side, f.Sum = side, kb.WithSidecar(f.Sum, side.Size, side.ModTime)
	}
}
