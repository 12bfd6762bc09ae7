package review

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/store"
)

// ChangeRequest asks for the differences of a write, or of the writes of its actor up to
// another one.
type ChangeRequest struct {
	Write, Last int64
	Ref         string // only of this page
	Skip        int    // its first pages
	Named       int    // pages that are described, also after the budget; 0 is all
	Budget      int    // bytes of differences; 0 is all
}

// Change shows what a write or a session changed. Credentials are masked.
func Change(ctx context.Context, sess *memory.Session, req ChangeRequest) (out api.Change, err error) {
	found, writes, err := versions(ctx, sess, req)
	if err != nil {
		return out, err
	}
	s := session{versions: found, writes: map[int64]kb.Write{}}
	for _, w := range writes {
		s.writes[w.ID] = w
	}
	if len(found) == 0 {
		return out, kb.Errorf(kb.NotFound, "write %d changed no such page", req.Write)
	}
	s.actor = found[0].Actor
	err = turn.Reading(ctx, sess.DB, func(ctx context.Context) error {
		out.Pages = out.Pages[:0]
		return sess.DB.View(ctx, func(tx store.Tx) error { return differences(ctx, sess, tx, s, req, &out) })
	})
	return out, err
}

// differences adds the pages of a session with their differences.
func differences(ctx context.Context, sess *memory.Session, tx store.Tx, s session, req ChangeRequest, out *api.Change) error {
	known, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	m, err := read(ctx, tx, sess.Actor)
	if err != nil {
		return err
	}
	decided, err := m.decisions(ctx, tx)
	if err != nil {
		return err
	}
	spaces := space.Names(known)
	shown, runs := s.describe(spaces)
	out.WorkSession, out.Op = shown, s.writes[s.versions[0].Write].Operation
	left, room := req.Budget, req.Budget
	for i, r := range runs[min(max(req.Skip, 0), len(runs)):] {
		if req.Named > 0 && i >= req.Named && room <= 0 {
			break
		}
		p := r.describe(spaces, decided)
		if req.Budget > 0 && left <= 0 {
			p.Left = "differences of other pages come first"
		} else if err := compare(ctx, tx, r, &p); err != nil {
			return err
		}
		room -= pageBytes
		for _, h := range p.Hunks {
			left, room = left-len(h.Diff), room-len(h.Diff)
		}
		out.Pages = append(out.Pages, p)
	}
	return nil
}

// pageBytes is about the length of a page in an answer, without its differences.
const pageBytes = 200

// compare adds the difference of a run.
func compare(ctx context.Context, tx store.Tx, r run, p *api.PageChange) error {
	var before kb.Version
	if p.From > 0 {
		var err error
		if before, err = tx.History().Version(ctx, r.newest().Space, r.newest().Page, p.From); err != nil {
			return err
		}
	}
	var texts [2][]byte
	for i, v := range []kb.Version{before, r.newest()} {
		if err := turn.Check(ctx, v.Size); err != nil {
			return err
		}
		state, err := history.StateOf(ctx, tx, v)
		if kb.CodeOf(err) == kb.NotFound {
			p.Left = kb.AsError(err).Message
			return nil
		}
		if err != nil {
			return err
		}
		texts[i] = state.Text
	}
	p.Hunks = history.Hunks(texts[0], texts[1], secrets.Hide)
	return nil
}

// sameDocument limits versions to those of the page that a ref names.
func sameDocument(ctx context.Context, sess *memory.Session, ref string, f *store.VersionFilter) error {
	d, err := history.Find(ctx, sess, ref)
	f.Spaces, f.Page = []int64{d.Space.Row}, d.ID
	return err
}
