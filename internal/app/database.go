package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// BackupResult says what was copied where.
type BackupResult struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Bytes int64  `json:"bytes"` // of the memory, before
}

// Backup copies the memory to a file, as it is at one moment; others may go
// on writing. An existing file is not replaced.
func (u Upkeep) Backup(ctx context.Context, file string) (BackupResult, error) {
	to := u.app.opts.Absolute(file)
	if fsys.Exists(to) {
		return BackupResult{}, kb.Errorf(kb.Conflict, "%s exists already", to).WithHint("Nothing was changed. Choose another name.")
	}
	db, ok := u.app.db.(store.Backuper)
	if !ok {
		return BackupResult{}, notOurs("back up")
	}
	info, err := u.app.db.Info(ctx)
	if err != nil {
		return BackupResult{}, err
	}
	return BackupResult{From: info.Path, To: to, Bytes: info.Bytes}, db.Backup(ctx, to)
}

// notOurs is the error for what only the database's own tools can do.
func notOurs(what string) error {
	return kb.Errorf(kb.Usage, "cairn cannot %s this kind of database", what).
		WithHint("Nothing was changed. Use the tools of the database.")
}

// CompactResult says what compacting gave back.
type CompactResult struct {
	Path   string `json:"path"`
	Before int64  `json:"bytes_before"`
	After  int64  `json:"bytes_after"`
	// Left is how many bytes are in the log beside the file still, since others read what
	// they replace.
	Left int64 `json:"bytes_in_log,omitempty"`
}

// Compact merges the full-text index and makes the memory one file without
// unused space, for transport.
func (u Upkeep) Compact(ctx context.Context) (CompactResult, error) {
	db, ok := u.app.db.(store.Compacter)
	if !ok {
		return CompactResult{}, notOurs("compact")
	}
	before, err := u.app.db.Info(ctx)
	if err != nil {
		return CompactResult{}, err
	}
	err = u.app.db.Update(ctx, func(tx store.Tx) error { return u.app.index.Text().Merge(ctx, tx.Lexical()) })
	if err != nil {
		return CompactResult{}, err
	}
	left, err := db.Compact(ctx)
	if err != nil {
		return CompactResult{}, err
	}
	after, err := u.app.db.Info(ctx)
	return CompactResult{Path: before.Path, Before: before.Bytes, After: after.Bytes, Left: left}, err
}
