package gitsync

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// mend brings the index files of a space up to date with pages that came without cairn, as by
// a git merge that somebody ran. They are committed where there are commits that the remote
// does not have, and no file of the space waits for a commit: several devices that take the
// same from the remote would part otherwise. It does nothing while a merge is under way, or
// where it has looked at this commit already.
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
