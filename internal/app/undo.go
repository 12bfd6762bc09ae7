package app

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// UndoRequest takes writes back: one by its number, the last one, or every
// one of an actor since a time.
type UndoRequest struct {
	WriteOptions
	Write int64  // 0: the newest that is not a sync
	Actor string // every write of this actor ...
	Since string // ... since this date or date phrase
}

// Undo takes writes back in one apply. Pages that somebody changed since are
// left and listed.
func (a *App) Undo(ctx context.Context, req UndoRequest) (Written, error) {
	if (req.Actor == "") != (req.Since == "") {
		return Written{}, kb.Errorf(kb.Usage, "to take back an actor's writes, name the actor and the time").
			WithHint("For example: cairn undo --actor agent:claude-code --since today")
	}
	plan, err := a.undoPlan(ctx, req)
	if err != nil {
		return Written{}, err
	}
	if len(plan.changes) == 0 {
		return Written{DryRun: req.DryRun, Pages: []WrittenPage{}, Skipped: plan.skipped}, nil
	}
	out, err := a.applyRequest(ctx, write.Request{
		Actor: a.opts.Actor, Operation: "undo", Message: plan.message(req.Message), Undoes: plan.undoes,
		Changes: plan.changes, DryRun: req.DryRun, AllowSecrets: req.AllowSecrets,
	})
	out.Skipped = plan.skipped
	return out, err
}

// undoPlan is what an undo will do.
type undoPlan struct {
	undoes  int64
	writes  int
	changes []write.Change
	skipped []Skipped
}

func (p *undoPlan) message(own string) string {
	switch {
	case own != "":
		return own
	case p.undoes != 0:
		return fmt.Sprintf("undo of write %d", p.undoes)
	}
	return fmt.Sprintf("undo of %d writes", p.writes)
}

func (a *App) undoPlan(ctx context.Context, req UndoRequest) (*undoPlan, error) {
	plan := &undoPlan{}
	var touched []kb.Version // newest first
	err := a.db.View(ctx, func(tx store.Tx) error {
		f := store.VersionFilter{}
		if req.Actor != "" {
			since, err := a.since(req.Since)
			if err != nil {
				return err
			}
			f.Actor, f.Since = ParseActor(req.Actor), since
		} else {
			w, err := a.writeToUndo(ctx, tx, req.Write)
			if err != nil {
				return err
			}
			f.Write, plan.undoes = w.ID, w.ID
		}
		var err error
		touched, _, err = tx.History().Versions(ctx, f, 1<<30, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(touched) == 0 {
		return nil, kb.Errorf(kb.NotFound, "there is nothing to take back").WithHint("See what was written: cairn recent")
	}
	type pageKey struct {
		space int64
		page  kb.ID
	}
	byPage := map[pageKey][]kb.Version{}
	var order []pageKey
	writes := map[int64]bool{}
	for _, v := range touched {
		k := pageKey{v.Space, v.Page}
		if byPage[k] == nil {
			order = append(order, k)
		}
		byPage[k] = append(byPage[k], v)
		writes[v.Write] = true
	}
	plan.writes = len(writes)
	for _, k := range order {
		if err := a.undoPage(ctx, byPage[k], plan); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

func (a *App) writeToUndo(ctx context.Context, tx store.Tx, id int64) (kb.Write, error) {
	if id != 0 {
		w, err := tx.History().Write(ctx, id)
		if kb.CodeOf(err) == kb.NotFound {
			return w, kb.Errorf(kb.NotFound, "there is no write %d", id).WithHint("See what was written: cairn recent")
		}
		return w, err
	}
	const window = 64
	for offset := 0; ; offset += window {
		writes, total, err := tx.History().Writes(ctx, store.VersionFilter{}, window, offset)
		if err != nil {
			return kb.Write{}, err
		}
		for _, w := range writes {
			if w.Actor.Kind != kb.Sync {
				return w, nil
			}
		}
		if offset+window >= total {
			return kb.Write{}, kb.Errorf(kb.NotFound, "there is nothing to take back")
		}
	}
}

// undoPage plans to bring one page back to what it was before the given
// versions of it, which are newest first.
func (a *App) undoPage(ctx context.Context, versions []kb.Version, plan *undoPlan) error {
	newest, oldest := versions[0], versions[len(versions)-1]
	space, err := a.openRow(ctx, newest.Space)
	if err != nil {
		return err
	}
	var (
		before kb.Version
		bytes  []byte
		now    kb.Version
	)
	err = a.db.View(ctx, func(tx store.Tx) error {
		if now, err = tx.History().Version(ctx, newest.Space, newest.Page, 0); err != nil {
			return err
		}
		if oldest.Version > 1 {
			if before, err = tx.History().Version(ctx, newest.Space, newest.Page, oldest.Version-1); err != nil {
				return err
			}
		}
		if before.Version == 0 || before.Change == kb.Deleted {
			return nil
		}
		bytes, err = tx.History().Bytes(ctx, before.Hash)
		return err
	})
	if err != nil {
		return err
	}
	if now.Version != newest.Version {
		plan.skipped = append(plan.skipped, Skipped{
			Path: now.Path, Reason: fmt.Sprintf("changed since by %s, in version %d", now.Actor, now.Version),
		})
		return nil
	}
	for i := 1; i < len(versions); i++ {
		if versions[i].Version != versions[i-1].Version-1 {
			plan.skipped = append(plan.skipped, Skipped{Path: now.Path, Reason: "others changed it in between"})
			return nil
		}
	}
	gone := bytes == nil && (before.Version == 0 || before.Change == kb.Deleted)
	expect := now.Version
	change := func(act write.Action, expected *int) {
		plan.changes = append(plan.changes, write.Change{Space: space, Path: now.Path, Expected: expected, Action: act})
	}
	switch {
	case now.Change == kb.Deleted && gone:
		return nil
	case now.Change == kb.Deleted:
		plan.changes = append(plan.changes, write.Change{Space: space, Path: before.Path, Action: write.Put{Bytes: bytes}})
	case gone:
		change(write.Delete{}, &expect)
	default:
		if before.Path != now.Path {
			// Links to it were rewritten by the same write, and are put back by
			// the same undo.
			change(write.Move{To: before.Path, KeepLinks: true}, &expect)
			plan.changes = append(plan.changes, write.Change{Space: space, Path: before.Path, Action: write.Put{Bytes: bytes, Overwrite: true}})
			return nil
		}
		change(write.Put{Bytes: bytes, Overwrite: true}, &expect)
	}
	return nil
}
