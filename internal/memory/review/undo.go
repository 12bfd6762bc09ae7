package review

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/store"
)

// Undo takes writes back as change.Undo does, and records for a person which changes that
// were: those to the pages that it changed, and none to a page that was left.
func Undo(ctx context.Context, sess *memory.Session, req history.UndoRequest) (api.Written, error) {
	w, err := change.Undo(ctx, sess, req)
	if err != nil || w.DryRun || w.Write == 0 || req.Hunk != 0 || sess.Actor.Kind != kb.Human {
		return w, err
	}
	var undo kb.Write
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		undo, err = tx.History().Write(ctx, w.Write)
		return err
	})
	if err != nil {
		return w, err
	}
	about := ChangeRequest{Write: req.Write, Last: req.Last, Ref: req.Page}
	if about.Write == 0 {
		about.Write = undo.Undoes
	}
	var found []kb.Version
	if about.Write == 0 {
		found, err = history.ByActor(ctx, sess, req, undo.ID)
	} else {
		found, _, err = versions(ctx, sess, about)
	}
	if err != nil {
		return w, err
	}
	_, err = alter(ctx, sess, func(tx store.Tx, m *mark) error { return m.takenBack(ctx, tx, found, undo, w.Skipped) })
	return w, err
}

// takenBack records that an undo took changes of agents back, except those to pages that it
// left.
func (m *mark) takenBack(ctx context.Context, tx store.Tx, changes []kb.Version, undo kb.Write, left []api.Skipped) error {
	results, _, err := tx.History().Versions(ctx, store.VersionFilter{Write: undo.ID}, 1<<30, 0)
	if err != nil {
		return err
	}
	if m.TakenBack == nil {
		m.TakenBack = map[int64]int64{}
	}
	skipped := map[string]bool{}
	for _, s := range left {
		skipped[s.Path] = true
	}
	type key struct {
		space int64
		page  kb.ID
	}
	changed := map[key]bool{}
	for _, r := range results {
		changed[key{r.Space, r.Page}] = changed[key{r.Space, r.Page}] || !skipped[r.Path]
	}
	for _, v := range changes {
		if !changed[key{v.Space, v.Page}] {
			continue
		}
		if undo.Undoes == 0 {
			if err := m.reopen(ctx, tx, v); err != nil {
				return err
			}
		}
		if v.Actor.Kind == kb.Agent {
			m.TakenBack[v.Seq] = undo.ID
		}
	}
	return nil
}

// reopen ends the decisions about a page that came with a version of it. The history itself
// knows only when a whole write is undone.
func (m *mark) reopen(ctx context.Context, tx store.Tx, v kb.Version) error {
	all, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{v.Space}, Page: v.Page}, 1<<30, 0)
	for _, other := range all {
		if m.TakenBack[other.Seq] == v.Write {
			delete(m.TakenBack, other.Seq)
		}
	}
	return err
}
