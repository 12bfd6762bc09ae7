package gap

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Asked is a question that spaces answered together.
type Asked struct {
	Spaces     []kb.Space // the space of the working directory first
	Question   string
	Confidence float64
	Best       kb.ID    // the page with the best answer; "" for none
	In         kb.Space // space of the page
}

// NoteQuestion applies the gap policy to a question: that of the first space with a
// threshold. A question answered with less confidence than the threshold is logged
// there as a gap. When the answer is confident and the question is an open gap, its
// page becomes the candidate; the gap stays open until it is resolved. When no
// space has a threshold, nothing is stored.
func NoteQuestion(ctx context.Context, sess *memory.Session, q Asked) error {
	home, pol, err := trackingSpace(ctx, sess, q.Spaces)
	if err != nil || pol == nil {
		return err
	}
	hash := kb.QuestionHash(q.Question)
	if q.Confidence < pol.GapThreshold {
		return sess.DB.Update(ctx, func(tx store.Tx) error {
			g := kb.Gap{Space: home.Row, Hash: hash, Words: wordsFor(pol, q.Question), Confidence: &q.Confidence, Last: sess.Now(), Asker: sess.Actor}
			return tx.Gaps().Log(ctx, &g)
		})
	}
	if q.Best == "" {
		return nil
	}
	// Very few questions are gaps: check that in a read-only transaction.
	var g kb.Gap
	open := func(tx store.Tx) (err error) {
		g, err = tx.Gaps().OpenOf(ctx, home.Row, hash)
		return err
	}
	err = sess.DB.View(ctx, open)
	if c := g.Candidate; err == nil && (c == nil || c.Page != q.Best || c.Space != q.In.Row) {
		err = sess.DB.Update(ctx, func(tx store.Tx) error {
			if err := open(tx); err != nil {
				return err
			}
			g.Confidence, g.Candidate = &q.Confidence, &kb.GapCandidate{Page: q.Best, Space: q.In.Row}
			return tx.Gaps().Update(ctx, g)
		})
	}
	if kb.CodeOf(err) == kb.NotFound {
		return nil
	}
	return err
}

// trackingSpace returns the first of the spaces that tracks gaps, with its policy; nil
// if none does.
func trackingSpace(ctx context.Context, sess *memory.Session, spaces []kb.Space) (kb.Space, *policy.Policy, error) {
	for _, s := range spaces {
		opened, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil {
			return kb.Space{}, nil, err
		}
		if opened.Policy.GapThreshold > 0 {
			return s, opened.Policy, nil
		}
	}
	return kb.Space{}, nil, nil
}
