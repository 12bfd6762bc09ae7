package relational

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type gaps struct{ t *Tx }

const gapColumns = `row, space, hash, context, score, count, first, last, kind, name,
sensitivity, question, redacted, approver, approved, approved_kind, approved_name,
resolved, page, page_space, resolved_kind, resolved_name, confidence, candidate, candidate_space, words`

func readGap(r Row) kb.Gap {
	g := kb.Gap{
		Row: r.Int(0), Space: r.Int(1), Hash: r.Hash(2), Context: r.Text(3), Score: r.Float(4), Count: r.Num(5),
		First: r.Time(6), Last: r.Time(7), Asker: readActor(r, 8), Sensitivity: kb.Sensitivity(r.Text(10)), Confidence: r.Float(22), Words: r.Text(25),
	}
	if !r.Null(23) {
		g.Candidate = &kb.GapCandidate{Page: kb.ID(r.Text(23)), Space: r.Int(24)}
	}
	if !r.Null(14) {
		g.Approval = &kb.GapApproval{Question: r.Text(11), Redacted: r.Text(12), Approver: r.Text(13), Time: r.Time(14), Actor: readActor(r, 15)}
	}
	if !r.Null(17) {
		g.Answer = &kb.GapAnswer{Time: r.Time(17), Page: kb.ID(r.Text(18)), Space: r.Int(19), Actor: readActor(r, 20)}
	}
	return g
}

func readActor(r Row, i int) kb.Actor {
	return kb.Actor{Kind: kb.ActorKind(r.Text(i)), Name: r.Text(i + 1)}
}

func (s gaps) Log(ctx context.Context, g *kb.Gap) error {
	old, err := s.OpenOf(ctx, g.Space, g.Hash)
	number := old.Row
	switch {
	case err == nil:
		err = s.t.exec(ctx, `UPDATE gaps SET count = count + 1, last = ?, kind = ?, name = ?,
words = coalesce(words, ?), context = coalesce(?, context), score = coalesce(?, score), confidence = coalesce(?, confidence) WHERE row = ?`,
			micros(g.Last), string(g.Asker.Kind), g.Asker.Name, orNull(g.Words), orNull(g.Context), realOrNull(g.Score), realOrNull(g.Confidence), number)
	case kb.CodeOf(err) == kb.NotFound:
		number, err = s.t.insert(ctx, "gaps", nil, `INSERT INTO gaps (row, space, hash, words, context, score, confidence, count, first, last, kind, name, sensitivity)
VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)`,
			g.Space, g.Hash[:], orNull(g.Words), g.Context, realOrNull(g.Score), realOrNull(g.Confidence), micros(g.Last), micros(g.Last), string(g.Asker.Kind), g.Asker.Name, string(kb.GapInternal))
	}
	if err != nil {
		return err
	}
	*g, err = s.Get(ctx, number)
	return err
}

func (s gaps) Get(ctx context.Context, number int64) (kb.Gap, error) {
	return s.get(ctx, noGap(number), "row = ?", number)
}

func (s gaps) OpenOf(ctx context.Context, space int64, question kb.Hash) (kb.Gap, error) {
	return s.get(ctx, kb.Errorf(kb.NotFound, "the question is not an open gap"), "space = ? AND hash = ? AND resolved IS NULL", space, question[:])
}

// get returns the gap that satisfies a condition, or else the error none.
func (s gaps) get(ctx context.Context, none error, where string, args ...any) (g kb.Gap, err error) {
	found, err := s.t.one(ctx, "SELECT "+gapColumns+" FROM gaps WHERE "+where, args, func(r Row) { g = readGap(r) })
	if err == nil && !found {
		err = none
	}
	return g, err
}

func noGap(number int64) error { return kb.Errorf(kb.NotFound, "there is no gap %d", number) }

// gapsIn returns the end of a query for the gaps of spaces.
func gapsIn(d *Dialect, spaces []int64, resolved bool) (tail string, args []any) {
	tail = " FROM gaps WHERE TRUE"
	if !resolved {
		tail += " AND resolved IS NULL"
	}
	if len(spaces) > 0 {
		tail += " AND space IN (" + inList(d, &args, spaces) + ")"
	}
	return tail, args
}

func (s gaps) List(ctx context.Context, spaces []int64, resolved bool, limit, offset int) ([]kb.Gap, int, error) {
	tail, args := gapsIn(s.t.d, spaces, resolved)
	total, err := s.count(ctx, tail, args)
	if err != nil {
		return nil, 0, err
	}
	var out []kb.Gap
	err = s.t.query(ctx, "SELECT "+gapColumns+tail+" ORDER BY row"+limitSQL(limit, offset), args, func(r Row) error {
		out = append(out, readGap(r))
		return nil
	})
	return out, total, err
}

func (s gaps) Open(ctx context.Context, spaces []int64) (int, error) {
	tail, args := gapsIn(s.t.d, spaces, false)
	return s.count(ctx, tail, args)
}

func (s gaps) count(ctx context.Context, tail string, args []any) (n int, err error) {
	_, err = s.t.one(ctx, "SELECT count(*)"+tail, args, func(r Row) { n = r.Num(0) })
	return n, err
}

func (s gaps) Update(ctx context.Context, g kb.Gap) error {
	args := []any{orNull(g.Words), g.Context, string(g.Sensitivity), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, realOrNull(g.Confidence), nil, nil, realOrNull(g.Score), g.Row}
	if p := g.Approval; p != nil {
		copy(args[3:], []any{orNull(p.Question), orNull(p.Redacted), orNull(p.Approver), micros(p.Time), string(p.Actor.Kind), p.Actor.Name})
	}
	if p := g.Candidate; p != nil {
		copy(args[15:], []any{string(p.Page), rowOrNull(p.Space)})
	}
	if p := g.Answer; p != nil {
		copy(args[9:], []any{micros(p.Time), orNull(string(p.Page)), rowOrNull(p.Space), string(p.Actor.Kind), p.Actor.Name})
	}
	n, err := s.t.change(ctx, `UPDATE gaps SET words = ?, context = ?, sensitivity = ?,
question = ?, redacted = ?, approver = ?, approved = ?, approved_kind = ?, approved_name = ?,
resolved = ?, page = ?, page_space = ?, resolved_kind = ?, resolved_name = ?,
confidence = ?, candidate = ?, candidate_space = ?, score = ? WHERE row = ?`, args...)
	switch {
	case err != nil && s.t.d.Refused(err):
		return kb.Errorf(kb.Invalid, "gap %d cannot be %s with this approval and answer: %w", g.Row, g.Sensitivity, err)
	case err == nil && n == 0:
		return noGap(g.Row)
	}
	return err
}

func (s gaps) Remove(ctx context.Context, number int64) error {
	n, err := s.t.change(ctx, "DELETE FROM gaps WHERE row = ?", number)
	if err == nil && n == 0 {
		return noGap(number)
	}
	return err
}

var _ store.Gaps = gaps{}
