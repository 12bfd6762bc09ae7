package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Install writes the file, and reports whether that changed anything.
func (s Service) Install(ctx context.Context) (bool, error) {
	old, err := s.old()
	if err != nil || string(old) == s.Text {
		return false, err
	}
	if err := fsys.MakeDir(filepath.Dir(s.Path)); err != nil {
		return false, fsys.Explain(err, "make %s", filepath.Dir(s.Path))
	}
	pre := fsys.Absent()
	if old != nil {
		pre = fsys.Unchanged(old)
	}
	return true, on("write", s.Path, func(d *fsys.Dir, name string) error {
		return fsys.WriteAtomic(ctx, d, name, []byte(s.Text), pre, fsys.WriteOptions{Perm: 0o600})
	})
}

// Remove removes the file and the system's link to it, and reports whether
// there was either.
func (s Service) Remove(ctx context.Context) (bool, error) {
	old, err := s.old()
	if err != nil {
		return false, err
	}
	linked := s.linked()
	if linked {
		err = on("remove", s.link, func(d *fsys.Dir, name string) error {
			return errors.Join(d.Remove(name), d.SyncDir("."))
		})
	}
	if err != nil || old == nil {
		return linked, err
	}
	return true, on("remove", s.Path, func(d *fsys.Dir, name string) error {
		return fsys.RemoveDurable(ctx, d, name, fsys.Unchanged(old))
	})
}

// linked reports whether the system's link exists and leads to the file, even
// if the file is gone.
func (s Service) linked() bool {
	target, err := os.Readlink(s.link)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(s.link), target)
	}
	// The system may name the directory otherwise, where that has links above.
	one, err1 := filepath.EvalSymlinks(filepath.Dir(target))
	other, err2 := filepath.EvalSymlinks(filepath.Dir(s.Path))
	return err1 == nil && err2 == nil && one == other && filepath.Base(target) == filepath.Base(s.Path)
}

// old returns what the file holds, nil when there is none. One that somebody
// else wrote is kb.Conflict.
func (s Service) old() ([]byte, error) {
	text, err := os.ReadFile(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsys.Explain(err, "read %s", s.Path)
	}
	if !strings.Contains(string(text), mark) {
		return nil, kb.Errorf(kb.Conflict, "%s was not written by cairn", s.Path).WithHint("Move it away, or change it by hand.")
	}
	return text, nil
}

func on(what, path string, do func(d *fsys.Dir, name string) error) error {
	d, err := fsys.OpenDir(filepath.Dir(path))
	if err == nil {
		err = errors.Join(do(d, filepath.Base(path)), d.Close())
	}
	return fsys.Explain(err, "%s %s", what, path)
}
