package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
)

// sidecarChange is the sidecar of a document before and after a change.
type sidecarChange struct {
	old, new []byte // nil for none
	blocked  error  // something else has its name
}

// errNoSidecar marks the error about something with the name of a sidecar that
// is not one: too large, or not a file. The document counts as one without a
// sidecar, and the file is left alone.
var errNoSidecar = errors.New("no sidecar")

// Beside reads the sidecar of the document at a path for reading: an unreadable
// one counts as missing, while a write fails.
func Beside(ctx context.Context, files fsys.FS, name string) (index.Side, error) {
	side, err := readSide(ctx, files, name)
	if errors.Is(err, errNoSidecar) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return side, err
}

// lookBeside describes the sidecar of the document at a path; ok is false
// without one.
func lookBeside(files fsys.FS, name string) (info fs.FileInfo, ok bool) {
	at := vault.SidecarPath(name)
	info, err := files.Lstat(at)
	return info, err == nil && info.Size() <= kb.MaxSidecar && misplaced(files, at) == nil && !MayNotReadBeside(files, name)
}

// Sidecars looks up the sidecars of many documents of a batch. It remembers which
// directories have none.
type Sidecars struct {
	files   fsys.FS
	without map[string]bool // by the path of the directory for sidecars
}

// NewSidecars returns a Sidecars for one batch.
func NewSidecars(files fsys.FS) *Sidecars { return &Sidecars{files, map[string]bool{}} }

// Read reads the sidecar of the document at a path, as Beside does.
func (s *Sidecars) Read(ctx context.Context, name string) (index.Side, error) {
	if s.none(name) {
		return index.Side{}, nil
	}
	return Beside(ctx, s.files, name)
}

// Look describes the sidecar of the document at a path; ok is false for none.
func (s *Sidecars) Look(name string) (info fs.FileInfo, ok bool) {
	if s.none(name) {
		return nil, false
	}
	return lookBeside(s.files, name)
}

// none reports whether no sidecar can be next to the document at a path.
func (s *Sidecars) none(name string) bool {
	dir := path.Dir(vault.SidecarPath(name))
	none, known := s.without[dir]
	if !known {
		_, err := s.files.Lstat(dir)
		none = errors.Is(err, fs.ErrNotExist)
		s.without[dir] = none
	}
	return none
}

// MayNotReadBeside reports whether the document at a path has a sidecar, or a directory
// for it, that may not be read.
func MayNotReadBeside(files fsys.FS, name string) bool {
	f, err := files.Open(vault.SidecarPath(name))
	if err == nil {
		_ = f.Close() // nothing was read
	}
	return errors.Is(err, fs.ErrPermission)
}

func readSide(ctx context.Context, files fsys.FS, name string) (index.Side, error) {
	at := vault.SidecarPath(name)
	b, info, err := fsys.ReadFile(ctx, files, at, kb.MaxSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return index.Side{}, nil
	}
	if other := misplaced(files, at); other != nil {
		return index.Side{}, other
	}
	switch {
	case err == nil:
		return index.Side{Bytes: b, ModTime: info.ModTime()}, nil
	case errors.Is(err, fsys.ErrTooLarge):
		return index.Side{}, kb.Errorf(kb.Invalid, "%s is larger than the %d bytes that a sidecar may have", at, kb.MaxSidecar).
			WithHint("Nothing was changed. Make it smaller, or move it away.").Because(errNoSidecar)
	}
	return index.Side{}, fsys.Explain(err, "read %s", at)
}

// misplaced returns the error about something with the name of a sidecar, or of
// its directory, that is not one, such as a symbolic link; nil when there is no
// such thing.
func misplaced(files fsys.FS, at string) error {
	for _, there := range []string{path.Dir(at), at} {
		info, err := files.Lstat(there)
		if err == nil && (there == at && !info.Mode().IsRegular() || there != at && !info.IsDir()) {
			return kb.Errorf(kb.Invalid, "%s has the name of the sidecar, but is not one", there).
				WithHint("Nothing was changed. Move it away.").Because(errNoSidecar)
		}
	}
	return nil
}

// checkSide refuses changes that would lose a sidecar, or change one that is
// shared.
func (s *changeSet) checkSide(ctx context.Context, t *target, a Action) error {
	switch a := a.(type) {
	case Put, Edit:
		return nil
	case Move:
		if err := s.sideVacant(t, a.To); err != nil {
			return err
		}
		if t.side.old == nil && t.side.blocked == nil {
			return nil
		}
	case Delete:
		if t.side.old == nil && t.side.blocked == nil {
			return nil
		}
	case PutSide:
		if same(t.side.new, a.Bytes) {
			return nil
		}
	}
	if t.side.blocked != nil {
		return t.side.blocked
	}
	return s.sideAlone(ctx, t)
}

// sideVacant refuses a move to where a sidecar is that belongs to no document.
func (s *changeSet) sideVacant(t *target, to string) error {
	from, at := vault.SidecarPath(t.to), vault.SidecarPath(to)
	if t.space.Files == nil || from == at {
		return nil
	}
	there, err := t.space.Files.Lstat(at)
	if err != nil {
		return nil // none; or its problem is reported when it is written
	}
	if own, err := t.space.Files.Lstat(from); err == nil && kb.FoldPath(from) == kb.FoldPath(at) && os.SameFile(own, there) {
		return nil
	}
	return kb.Errorf(kb.Conflict, "there is a sidecar at %s already, of no page", at).
		WithHint("Nothing was changed. Move it away, or choose another path.").With("path", at)
}

// sideAlone refuses to change a sidecar that another document of the same name
// has, too.
func (s *changeSet) sideAlone(ctx context.Context, t *target) error {
	stem := t.path[:len(t.path)-len(path.Ext(t.path))]
	for _, ext := range s.extensions() {
		other := stem + ext
		if other == t.path {
			continue
		}
		there, err := s.there(ctx, t.space, other)
		if err != nil {
			return err
		}
		if there {
			return kb.Errorf(kb.Conflict, "%s and %s have the same sidecar, %s", t.path, other, vault.SidecarPath(t.path)).
				WithHint("Nothing was changed. Give one of them another name in the directory first.").With("path", other)
		}
	}
	return nil
}

// there reports whether a document is at a path.
func (s *changeSet) there(ctx context.Context, space *Space, name string) (bool, error) {
	if space.Files == nil {
		row, err := s.w.rowAt(ctx, space, name)
		return row != nil, err
	}
	_, err := space.Files.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, fsys.Explain(err, "look at %s", name)
}

func (s *changeSet) editSide(t *target, a EditSide) error {
	if t.new == nil || t.gone {
		return missing(t)
	}
	b, err := sidecar.Apply(t.side.new, a.Edits...)
	if err != nil {
		return kb.AsError(err).With("path", vault.SidecarPath(t.to))
	}
	t.side.new = b
	return nil
}

func (s *changeSet) putSide(t *target, a PutSide) error {
	if t.new == nil || t.gone {
		return missing(t)
	}
	if len(a.Bytes) > kb.MaxSidecar {
		return kb.Errorf(kb.Invalid, "the sidecar of %s would be %d bytes, more than the %d that one may have", t.path, len(a.Bytes), kb.MaxSidecar)
	}
	if !t.exists() && t.side.old != nil && !same(t.side.old, a.Bytes) {
		return kb.Errorf(kb.Conflict, "there is another sidecar at %s now, of no page", vault.SidecarPath(t.path)).
			WithHint("Nothing was changed. Move it away first.").With("path", vault.SidecarPath(t.path))
	}
	t.side.new = a.Bytes
	return nil
}

// sideOp is the operation on the sidecar; nil for none.
func (t *target) sideOp() *op {
	if t.gone && !t.exists() || same(t.side.old, t.side.new) && (t.side.old == nil || vault.SidecarPath(t.path) == vault.SidecarPath(t.to)) {
		return nil
	}
	o := &op{Space: t.space.Row, Of: t.to, Path: vault.SidecarPath(t.to), Old: t.side.old, New: t.side.new}
	switch from := vault.SidecarPath(t.path); {
	case t.gone:
		o.Of, o.Path = t.path, from
	case o.New == nil:
		o.Path = from
	case o.Old != nil && from != o.Path:
		o.From = from
	}
	return o
}

// document is the path of the document for the sidecar of an operation at a
// path.
func (o *op) document(at string) string {
	stem, _ := vault.SidecarOf(at)
	return stem + path.Ext(o.Of)
}
