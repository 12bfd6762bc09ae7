package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/fsys"
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
func (a *App) Backup(ctx context.Context, file string) (BackupResult, error) {
	to := a.opts.Absolute(file)
	if fsys.Exists(to) {
		return BackupResult{}, kb.Errorf(kb.Conflict, "%s exists already", to).WithHint("Nothing was changed. Choose another name.")
	}
	db, ok := a.db.(store.Backuper)
	if !ok {
		return BackupResult{}, notOurs("back up")
	}
	info, err := a.db.Info(ctx)
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
}

// Compact merges the full-text index and makes the memory one file without
// unused space, for transport.
func (a *App) Compact(ctx context.Context) (CompactResult, error) {
	db, ok := a.db.(store.Compacter)
	if !ok {
		return CompactResult{}, notOurs("compact")
	}
	before, err := a.db.Info(ctx)
	if err != nil {
		return CompactResult{}, err
	}
	err = a.db.Update(ctx, func(tx store.Tx) error { return a.index.Text().Merge(ctx, tx.Lexical()) })
	if err != nil {
		return CompactResult{}, err
	}
	if err := db.Compact(ctx); err != nil {
		return CompactResult{}, err
	}
	after, err := a.db.Info(ctx)
	return CompactResult{Path: before.Path, Before: before.Bytes, After: after.Bytes}, err
}

// compareText compares the pages that there are with those that the full-text
// index has. Stray are those that only the index has; nil when it cannot be
// read.
func (a *App) compareText(ctx context.Context) (c Check, stray *[]int64, err error) {
	c = Check{Name: "full text", State: "ok"}
	err = a.db.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().Rows(ctx, store.Filter{})
		if err != nil {
			return err
		}
		texts, err := a.index.Text().Documents(ctx, tx.Lexical())
		if kb.CodeOf(err) == kb.Damaged {
			c.State, c.Reason, c.Remedy = "error", kb.AsError(err).Message, kb.AsError(err).Hint
			return nil
		}
		if err != nil {
			return err
		}
		c.Reason = "searchable: " + api.Plural(len(texts), "page")
		stray = new([]int64)
		if slices.Equal(rows, texts) {
			return nil
		}
		c.State = "error"
		c.Reason = fmt.Sprintf("%d pages, and %d in the full-text index", len(rows), len(texts))
		c.Remedy = "cairn doctor --fix"
		for _, t := range texts {
			if _, ok := slices.BinarySearch(rows, t); !ok {
				*stray = append(*stray, t)
			}
		}
		return nil
	})
	return c, stray, err
}
