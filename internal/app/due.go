package app

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// turn does what the day makes due in a space before a caller reads or writes there,
// whether or not a schedule runs, and reports whether that changed pages. What went
// wrong is a notice: the caller's own work goes on.
func (d Days) turn(ctx context.Context, s kb.Space) bool {
	a := d.app
	done, err := a.rotation.Turn(store.WithPatience(ctx, store.Patience(ctx, store.ReadPatience)), s)
	for _, r := range done {
		a.notices.Add(s.Name + ": " + r.String())
	}
	d.undone(ctx, s, err)
	return len(done) > 0
}

// follow makes the parts of pages that are made from other pages, after these changed.
func (d Days) follow(ctx context.Context, s kb.Space) {
	_, err := d.app.region.Turn(store.WithPatience(ctx, store.Patience(ctx, store.ReadPatience)), s)
	d.undone(ctx, s, err)
}

// undone tells of what could not be done beside the caller's own work.
func (d Days) undone(ctx context.Context, s kb.Space, err error) {
	a := d.app
	if err != nil && ctx.Err() == nil && !fsys.Unwritable(err) && !store.IsBusy(err) && !errors.Is(err, context.Canceled) {
		a.notices.Add(s.Name + ": " + api.Note(kb.AsError(err), a.opts.Hint))
	}
}
