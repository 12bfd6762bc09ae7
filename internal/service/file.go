package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/fsys"
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
	return true, s.on("write", func(d *fsys.Dir, name string) error {
		return fsys.WriteAtomic(ctx, d, name, []byte(s.Text), pre, fsys.WriteOptions{Perm: 0o600})
	})
}

// Remove removes the file, and reports whether there was one.
func (s Service) Remove(ctx context.Context) (bool, error) {
	old, err := s.old()
	if err != nil || old == nil {
		return false, err
	}
	return true, s.on("remove", func(d *fsys.Dir, name string) error {
		return fsys.RemoveDurable(ctx, d, name, fsys.Unchanged(old))
	})
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

func (s Service) on(what string, do func(d *fsys.Dir, name string) error) error {
	d, err := fsys.OpenDir(filepath.Dir(s.Path))
	if err == nil {
		err = errors.Join(do(d, filepath.Base(s.Path)), d.Close())
	}
	return fsys.Explain(err, "%s %s", what, s.Path)
}
