package backup

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Backup copies the memory to a file, as it is at one moment; others may go
// on writing. An existing file is not replaced.
func Backup(ctx context.Context, sess *memory.Session, file string) (api.BackupResult, error) {
	to := sess.Place.Absolute(file)
	if err := sess.Spaces.MayFill(ctx, to, "db backup "+to); err != nil {
		return api.BackupResult{}, err
	}
	if fsys.Exists(to) {
		return api.BackupResult{}, kb.Errorf(kb.Conflict, "%s exists already", to).WithHint("Nothing was changed. Choose another name.")
	}
	db, ok := sess.DB.(store.Backuper)
	if !ok {
		return api.BackupResult{}, notOurs(sess, store.BackupTask)
	}
	info, err := sess.DB.Info(ctx)
	if err != nil {
		return api.BackupResult{}, err
	}
	if err := db.Backup(ctx, to); err != nil {
		return api.BackupResult{}, err
	}
	return api.BackupResult{From: info.Path, To: to, Bytes: info.Bytes}, note(ctx, sess, to)
}

// backupsKey is the setting with the files of backups, one a line.
const backupsKey = "backups"

// note records a backup, so that what it holds is not overlooked. Those that are gone are
// dropped.
func note(ctx context.Context, sess *memory.Session, file string) error {
	if r, ok := sess.DB.(store.Readable); ok && r.Unwritable() != nil {
		return nil
	}
	known, err := Known(ctx, sess)
	if err != nil {
		return err
	}
	if !slices.Contains(known, file) {
		known = append(known, file)
	}
	known = slices.DeleteFunc(known, func(name string) bool { return !fsys.Exists(name) })
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, backupsKey, strings.Join(known, "\n")) })
}

// Known returns the files of the backups that were made, absolute; some may be gone.
func Known(ctx context.Context, sess *memory.Session) (files []string, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		text, err := tx.Settings().Get(ctx, backupsKey)
		if text != "" {
			files = strings.Split(text, "\n")
		}
		return err
	})
	return files, err
}

// notOurs is the error for what only the database's own tools can do.
func notOurs(sess *memory.Session, t store.Task) error {
	location, err := space.DatabasePath(sess.Place)
	if err != nil {
		return err
	}
	return store.NotOurs(sess.DB, location, t)
}

// Compact merges the full-text index and makes the memory one file without
// unused space, for transport.
func Compact(ctx context.Context, sess *memory.Session) (api.CompactResult, error) {
	db, ok := sess.DB.(store.Compacter)
	if !ok {
		return api.CompactResult{}, notOurs(sess, store.CompactTask)
	}
	before, err := sess.DB.Info(ctx)
	if err != nil {
		return api.CompactResult{}, err
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error { return sess.Index.Text().Merge(ctx, tx.Lexical()) })
	if err != nil {
		return api.CompactResult{}, err
	}
	left, err := db.Compact(ctx)
	if err != nil {
		return api.CompactResult{}, err
	}
	after, err := sess.DB.Info(ctx)
	return api.CompactResult{Path: before.Path, Before: before.Bytes, After: after.Bytes, Left: left}, err
}
