package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Database is what an App keeps everything in.
type Database = store.Engine

// Wrap puts something else in the place of directories and of the memory.
func (o *Options) Wrap(files func(*fsys.Dir) fsys.FS, db func(Database) Database) {
	o.wrapFiles, o.wrapDatabase = files, db
}

// OnNetwork makes disks look like those of another machine.
func (o *Options) OnNetwork(kind func(path string) (string, error)) { o.network = kind }

// DieAt makes writes stop before a step, as those of a killed process do.
func (a *App) DieAt(at write.Step, death error) {
	a.writer.Step = func(step write.Step) error {
		if step == at {
			return death
		}
		return nil
	}
}

// Rest gives memory back, idle or not.
func (a *App) Rest(ctx context.Context) { rest(ctx, a.db, a.embedding) }

// Unfinished counts the writes in the journal.
func (a *App) Unfinished(ctx context.Context) (n int, err error) {
	err = a.db.View(ctx, func(tx store.Tx) error {
		pending, err := tx.Journal().Pending(ctx)
		n = len(pending)
		return err
	})
	return n, err
}

// Layout returns what lays out spaces, so that a test can put other pages in the place of
// a preset's.
func (a *App) Layout() *presets.Engine { return a.layout }
