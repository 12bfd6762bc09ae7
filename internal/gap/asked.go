package gap

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Asked is a question that a space has answered.
type Asked struct {
	Space      kb.Space
	Question   string
	Confidence float64
	Best       kb.ID // the page that answers best; "" for none
}

// Asked keeps of a question what the policy of its space wants. One that was answered
// with less confidence than its threshold is logged as a gap. The page that answers one
// well which is open as a gap becomes its candidate; it stays open until somebody
// resolves it. Without a threshold nothing is kept.
func (t *Tracker) Asked(ctx context.Context, q Asked) error {
	space, err := t.Spaces.OpenSpace(ctx, q.Space)
	if err != nil || space.Policy.GapThreshold == 0 {
		return err
	}
	hash := kb.QuestionHash(q.Question)
	if q.Confidence < space.Policy.GapThreshold {
		return t.DB.Update(ctx, func(tx store.Tx) error {
			g := kb.Gap{Space: q.Space.Row, Hash: hash, Confidence: &q.Confidence, Last: t.Now(), Asker: t.Actor}
			return tx.Gaps().Log(ctx, &g)
		})
	}
	if q.Best == "" {
		return nil
	}
	// Nearly no question is a gap: whether this one is is only read.
	var g kb.Gap
	open := func(tx store.Tx) (err error) {
		g, err = tx.Gaps().OpenOf(ctx, q.Space.Row, hash)
		return err
	}
	err = t.DB.View(ctx, open)
	if c := g.Candidate; err == nil && (c == nil || c.Page != q.Best || c.Space != q.Space.Row) {
		err = t.DB.Update(ctx, func(tx store.Tx) error {
			if err := open(tx); err != nil {
				return err
			}
			g.Confidence, g.Candidate = &q.Confidence, &kb.GapCandidate{Page: q.Best, Space: q.Space.Row}
			return tx.Gaps().Update(ctx, g)
		})
	}
	if kb.CodeOf(err) == kb.NotFound {
		return nil
	}
	return err
}
