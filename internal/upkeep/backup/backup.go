package backup

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Backup copies a snapshot of the memory to a file; writers may continue. An
// existing file is not replaced.
func Backup(ctx context.Context, sess *memory.Session, file string) (api.BackupResult, error) {
	return Sealed(ctx, sess, file, Seal{})
}

// Sealed is Backup to an encrypted file. It first makes a copy next to the memory,
// and removes it afterwards.
func Sealed(ctx context.Context, sess *memory.Session, file string, seal Seal) (api.BackupResult, error) {
	if _, err := seal.recipients(); err != nil {
		return api.BackupResult{}, err
	}
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
	// Record it before the file has its name, so that no backup is missed. A
	// failure to record, such as in a memory on a full disk, does not prevent the
	// copy.
	noted := note(ctx, sess, to)
	if err := copyTo(ctx, db, info.Path, to, seal); err != nil {
		return api.BackupResult{}, err
	}
	return api.BackupResult{From: info.Path, To: to, Bytes: info.Bytes, Encrypted: seal.Seals()}, noted
}

func copyTo(ctx context.Context, db store.Backuper, memory, to string, seal Seal) error {
	if !seal.Seals() {
		return db.Backup(ctx, to)
	}
	plain := memory + store.UnsealedSuffix
	if err := db.Backup(ctx, plain); err != nil {
		return err
	}
	return errors.Join(seal.File(ctx, plain, to), removePlain(plain))
}

func removePlain(file string) error {
	err := fsys.Within(filepath.Dir(file), func(dir *fsys.Dir) error { return dir.Remove(filepath.Base(file)) })
	return fsys.Explain(err, "remove %s", file)
}

// backupsKey is the settings key for the files of backups, one per line.
const backupsKey = "backups"

// note records a backup file, so that forgetting can list it. Records of missing
// files are dropped.
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
	known = slices.DeleteFunc(known, func(name string) bool { return name != file && !fsys.Exists(name) })
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, backupsKey, strings.Join(known, "\n")) })
}

// Known returns the recorded backup files as absolute paths; some may not exist any
// more.
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

// notOurs is the error for operations that only the database's own tools support.
func notOurs(sess *memory.Session, t store.Task) error {
	location, err := space.DatabasePath(sess.Place)
	if err != nil {
		return err
	}
	return store.NotOurs(sess.DB, location, t)
}

// Compact merges the full-text index and makes the memory one file without unused
// space, for transport.
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
