package guard

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/write"
)

// Keep makes files of a space that are not there and no pages, and commits exactly them where
// it is guarded. A hook that says no takes them back; what git cannot do now makes them
// wait, and waits says why.
func (e *Engine) Keep(ctx context.Context, w *write.Space, files []git.Change, operation, message string) (commit string, waits, err error) {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if w.Guards() {
		if err := e.CatchUp(ctx, w.Space); err != nil {
			return "", nil, err
		}
		if err := e.ready(ctx, w, paths); err != nil {
			return "", nil, err
		}
	}
	for i, f := range files {
		err := fsys.WriteAtomic(ctx, w.Files, f.Path, f.New, fsys.Absent(), fsys.WriteOptions{})
		if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
			return "", nil, errors.Join(fsys.Explain(err, "write %s", f.Path), takeBack(w.Files, paths[:i]))
		}
	}
	if !w.Guards() {
		return "", nil, nil
	}
	done, err := e.Writer.CommitOutside(ctx, w, paths, kb.Write{Actor: e.Actor, Operation: operation, Message: message})
	switch kb.CodeOf(err) {
	case "":
		return done.Commit, nil, nil
	case kb.Refused:
		return "", nil, errors.Join(err, takeBack(w.Files, paths))
	}
	return "", err, nil
}

// ready refuses paths that could not be committed now.
func (e *Engine) ready(ctx context.Context, w *write.Space, paths []string) (err error) {
	tree, repo, unlock, err := e.Writer.Repository(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, err = tree.Check(ctx, repo, paths)
	var cannot *git.Failure
	if errors.As(err, &cannot) {
		return nil // the commit says so, and waits
	}
	return err
}

// takeBack removes files that were made.
func takeBack(files fsys.FS, paths []string) error {
	for _, p := range paths {
		if err := files.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fsys.Explain(err, "remove %s", p)
		}
	}
	return nil
}
