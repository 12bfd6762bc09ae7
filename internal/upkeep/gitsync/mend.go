package gitsync

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// mend updates the index files of a space for pages that were added without cairn,
// as by a manual git merge. It commits them if there are unpushed commits and no
// file of the space has a pending commit: otherwise several devices that pull the
// same commits would diverge. It does nothing during a merge, and when this commit
// was checked before.
func mend(ctx context.Context, sess *memory.Session, w *write.Space) error {
	if w.Policy.Index.File == "" {
		return nil
	}
	state, err := sess.Writer.Outside(ctx, w)
	if err != nil || state.Under != "" || state.Branch == "" || len(state.Staged) > 0 {
		return err
	}
	n, err := readNoted(ctx, sess, w.ID)
	if err != nil || n.Indexed == state.Head {
		return err
	}
	if _, err := freshness.Sync(ctx, sess, w.Space, freshness.Request{}); err != nil {
		return err
	}
	if err := Recatalog(ctx, sess.Writer, w); err != nil {
		return err
	}
	state, err = sess.Writer.Outside(ctx, w)
	if err != nil {
		return err
	}
	ours := true
	for _, p := range state.Changed {
		ours = ours && write.IsCatalog(w, p)
	}
	if head := state.Head; ours && len(state.Changed) > 0 && (state.Upstream == "" || state.Ahead > 0) {
		done, err := sess.Writer.CommitOutside(ctx, w, state.Changed, kb.Write{Actor: kb.Actor{Kind: kb.Sync}, Operation: "index"})
		if err != nil {
			return err
		}
		if state.Head = done.Commit; done.Commit == "" {
			state.Head = head
		}
	}
	return note(ctx, sess, w.ID, func(n *noted) { n.Indexed = state.Head })
}
