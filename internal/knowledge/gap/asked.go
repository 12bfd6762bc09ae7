package gap

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// Asked is a question that spaces have answered together.
type Asked struct {
	Spaces     []kb.Space // that of the working directory first
	Question   string
	Confidence float64
	Best       kb.ID    // the page that answers best; "" for none
	In         kb.Space // has that page
}

// Asked keeps of a question what the policy of a space wants: of the first that has a
// threshold. A question that was answered with less confidence is logged there as a gap.
// The page that answers one well which is open as a gap becomes its candidate; it stays
// open until somebody resolves it. Where no space has a threshold nothing is kept.
func NoteQuestion(ctx context.Context, sess *memory.Session, q Asked) error {
	home, threshold, err := findHome(ctx, sess, q.Spaces)
	if err != nil || threshold == 0 {
		return err
	}
	hash := kb.QuestionHash(q.Question)
	if q.Confidence < threshold {
		return sess.DB.Update(ctx, func(tx store.Tx) error {
			g := kb.Gap{Space: home.Row, Hash: hash, Confidence: &q.Confidence, Last: sess.Now(), Asker: sess.Actor}
			return tx.Gaps().Log(ctx, &g)
		})
	}
	if q.Best == "" {
		return nil
	}
	// Nearly no question is a gap: whether this one is is only read.
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

// home returns the first of the spaces that notes gaps, with its threshold; 0 where none
// does.
func findHome(ctx context.Context, sess *memory.Session, spaces []kb.Space) (kb.Space, float64, error) {
	for _, s := range spaces {
		opened, err := sess.Spaces.OpenSpace(ctx, s)
		if err != nil {
			return kb.Space{}, 0, err
		}
		if threshold := opened.Policy.GapThreshold; threshold > 0 {
			return s, threshold, nil
		}
	}
	return kb.Space{}, 0, nil
}
