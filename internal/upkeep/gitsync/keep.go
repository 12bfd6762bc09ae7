package gitsync

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Keep writes files of a space other than pages, unless they exist with the same
// bytes, and commits exactly these files if the space is guarded. If a hook
// refuses, the new files are removed. If git fails for now, the commit stays
// pending, and waits is the reason. When the process dies, the next commit in the
// space or another call of Keep completes it.
func Keep(ctx context.Context, sess *memory.Session, w *write.Space, files []git.Change, operation, message string) (commit string, waits, err error) {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	if w.Guards() {
		if err := PullRemote(ctx, sess, w.Space); err != nil {
			return "", nil, err
		}
		// Status reports a pending commit.
		if _, err := sess.Writer.CommitPending(ctx, w); err != nil && ctx.Err() != nil {
			return "", nil, err
		}
	}
	intent := write.PendingCommit{Time: sess.Now(), Actor: sess.Actor, Operation: operation, Message: message, Why: "it was interrupted"}
	made, err := placeOf(ctx, sess, w, files, paths, &intent)
	if err != nil || !w.Guards() {
		return "", nil, err
	}
	done, err := sess.Writer.CommitOutside(ctx, w, paths, kb.Write{Actor: sess.Actor, Operation: operation, Message: message})
	switch code := kb.CodeOf(err); code {
	case "", kb.Refused:
		if err != nil {
			err = errors.Join(kb.AsError(err).WithHint("Nothing was kept. Change what the hook is about and try again."), takeBack(w.Files, made))
		}
		return done.Commit, nil, errors.Join(err, settleIntent(ctx, sess, func(tx store.Tx) error { return write.RemovePendingCommit(ctx, tx, w.ID, intent) }))
	}
	return "", err, settleIntent(ctx, sess, func(tx store.Tx) error { return write.SetPendingReason(ctx, tx, w.ID, intent, kb.AsError(err).Error()) })
}

// settleIntent updates the list of pending commits, even when the caller's context
// is done.
func settleIntent(ctx context.Context, sess *memory.Session, do func(tx store.Tx) error) error {
	return sess.DB.Update(context.WithoutCancel(ctx), do)
}

// placeOf creates the files, and returns those that it created. In a guarded space
// it first locks the repository, refuses paths that could not be committed now,
// removes leftovers of a process that died while creating files, and records the
// intent to commit the files.
func placeOf(ctx context.Context, sess *memory.Session, w *write.Space, files []git.Change, paths []string, intent *write.PendingCommit) (made []string, err error) {
	if w.Guards() {
		tree, repo, unlock, failed := sess.Writer.Repository(ctx, w)
		if failed != nil {
			return nil, failed
		}
		defer func() { err = errors.Join(err, unlock()) }()
		var cannot *git.Failure // the commit reports it, and stays pending
		if _, err := tree.Check(ctx, repo, paths); err != nil && !errors.As(err, &cannot) {
			return nil, err
		}
		if err := sweep(ctx, w.Files, paths); err != nil {
			return nil, err
		}
		for _, f := range files {
			intent.Files = append(intent.Files, write.PendingFile{Path: f.Path, Hash: new(index.Hash(f.New))})
		}
		if err := sess.DB.Update(ctx, func(tx store.Tx) error { return write.AddPendingCommit(ctx, tx, w.ID, *intent) }); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if now, _, err := fsys.ReadFile(ctx, w.Files, f.Path, write.MaxDocument); err == nil && bytes.Equal(now, f.New) {
			continue
		}
		err := fsys.WriteAtomic(ctx, w.Files, f.Path, f.New, fsys.Absent(), fsys.WriteOptions{})
		if err != nil && !errors.Is(err, fsys.ErrNotDurable) {
			err = errors.Join(fsys.Explain(err, "write %s", f.Path), takeBack(w.Files, made))
			if w.Guards() {
				err = errors.Join(err, settleIntent(ctx, sess, func(tx store.Tx) error { return write.RemovePendingCommit(ctx, tx, w.ID, *intent) }))
			}
			return nil, err
		}
		made = append(made, f.Path)
	}
	return made, nil
}

// sweep removes temporary files from the directories of files.
func sweep(ctx context.Context, files fsys.FS, paths []string) error {
	looked := map[string]bool{}
	for _, p := range paths {
		dir := path.Dir(p)
		if looked[dir] {
			continue
		}
		looked[dir] = true
		entries, err := files.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fsys.Explain(err, "list %s", dir)
		}
		var temps []string
		for _, f := range entries {
			if f.Type().IsRegular() && fsys.IsTemp(f.Name()) {
				temps = append(temps, path.Join(dir, f.Name()))
			}
		}
		if _, err := fsys.RemoveTemps(ctx, files, temps); err != nil {
			return fsys.Explain(err, "clear %s", dir)
		}
	}
	return nil
}

// takeBack removes the files that were created.
func takeBack(files fsys.FS, paths []string) error {
	for _, p := range paths {
		if err := files.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fsys.Explain(err, "remove %s", p)
		}
	}
	return nil
}
