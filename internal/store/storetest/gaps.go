package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var claude = kb.Actor{Kind: kb.Agent, Name: "claude"}

// gap logs a question and returns the stored gap.
func (e *env) gap(space kb.Space, question string, with ...func(*kb.Gap)) kb.Gap {
	e.Helper()
	g := kb.Gap{Space: space.Row, Hash: kb.QuestionHash(question), Last: noon, Asker: alice}
	for _, change := range with {
		change(&g)
	}
	e.update(func(tx store.Tx) error { return tx.Gaps().Log(e.ctx, &g) })
	return g
}

func (e *env) changeGap(g kb.Gap) {
	e.Helper()
	e.update(func(tx store.Tx) error { return tx.Gaps().Update(e.ctx, g) })
}

func (e *env) wantGap(want kb.Gap) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		got, err := tx.Gaps().Get(e.ctx, want.Row)
		e.same(got, want)
		return err
	})
}

// wantGaps checks the result of List.
func (e *env) wantGaps(spaces []int64, resolved bool, limit, offset, total int, want ...kb.Gap) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		got, n, err := tx.Gaps().List(e.ctx, spaces, resolved, limit, offset)
		e.same(got, want)
		e.same(n, total)
		return err
	})
}

func approved() *kb.GapApproval {
	return &kb.GapApproval{Question: odd, Redacted: "who?", Approver: "Ada", Actor: claude, Time: noon.Add(time.Hour)}
}

func answered(space kb.Space, d *store.Document) *kb.GapAnswer {
	return &kb.GapAnswer{Page: d.ID, Space: space.Row, Actor: claude, Time: noon.Add(2 * time.Hour)}
}

var gapTests = map[string]func(*testing.T, *env){
	"Log": func(_ *testing.T, e *env) {
		sp, score := e.space("s"), 0.25
		got := e.gap(sp, "who?", func(g *kb.Gap) {
			g.Context, g.Score = odd, &score
			// Fields that a caller may not set on a new gap are ignored.
			g.Count, g.First, g.Sensitivity, g.Approval, g.Answer = 7, noon.Add(-time.Hour), kb.GapExternal, approved(), &kb.GapAnswer{Page: "x"}
		})
		want := kb.Gap{
			Row: got.Row, Space: sp.Row, Hash: kb.QuestionHash("who?"), Context: odd, Score: &score,
			Count: 1, First: noon, Last: noon, Asker: alice, Sensitivity: kb.GapInternal,
		}
		e.same(got, want)
		e.wantGap(want)
		e.view(func(tx store.Tx) error {
			_, err := tx.Gaps().Get(e.ctx, got.Row+1)
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
	"LogAgain": func(_ *testing.T, e *env) {
		sp, other, score, better := e.space("s"), e.space("other"), 0.25, 0.5
		first := e.gap(sp, "who?", func(g *kb.Gap) { g.Context, g.Score = "the parser", &score })
		want := first
		want.Count, want.Last, want.Asker = 2, noon.Add(time.Hour), claude
		e.same(e.gap(sp, "WHO", func(g *kb.Gap) { g.Last, g.Asker = want.Last, want.Asker }), want)
		want.Count, want.Context, want.Score = 3, "the lexer", &better
		e.same(e.gap(sp, "who", func(g *kb.Gap) {
			g.Context, g.Score, g.Last, g.Asker = want.Context, want.Score, want.Last, want.Asker
		}), want)
		elsewhere, another := e.gap(other, "who?"), e.gap(sp, "when?")
		if elsewhere.Count != 1 || another.Count != 1 {
			e.Errorf("another gap was counted: %+v %+v", elsewhere, another)
		}
		e.wantGap(want)
	},
	"LogKeepsTheConfidence": func(_ *testing.T, e *env) {
		sp, low, lower := e.space("s"), 0.125, 0.0625
		want := e.gap(sp, "who?", func(g *kb.Gap) { g.Confidence = &low })
		e.same(*want.Confidence, low)
		want.Count = 2
		e.same(e.gap(sp, "who?"), want)
		want.Count, want.Confidence = 3, &lower
		e.same(e.gap(sp, "who?", func(g *kb.Gap) { g.Confidence = &lower }), want)
	},
	"OpenOf": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		d := doc(sp, "a.md")
		e.put(d)
		g, there := e.gap(sp, "who?"), e.gap(other, "who?")
		find := func(space kb.Space, question string) (g kb.Gap, err error) {
			e.view(func(tx store.Tx) error {
				g, err = tx.Gaps().OpenOf(e.ctx, space.Row, kb.QuestionHash(question))
				return nil
			})
			return g, err
		}
		for _, want := range []kb.Gap{g, there} {
			got, err := find(kb.Space{Row: want.Space}, "WHO")
			e.check(err)
			e.same(got, want)
		}
		_, err := find(sp, "when?")
		e.wantCode(err, kb.NotFound)
		g.Answer = answered(sp, d)
		e.changeGap(g)
		_, err = find(sp, "who?")
		e.wantCode(err, kb.NotFound)
	},
	"CandidatesFollowTheirPage": func(_ *testing.T, e *env) {
		sp, other, sure := e.space("s"), e.space("other"), 0.75
		here, there := doc(sp, "a.md"), doc(other, "b.md")
		e.put(here, there)
		one, two := e.gap(sp, "one"), e.gap(sp, "two")
		one.Confidence, one.Candidate = &sure, &kb.GapCandidate{Page: here.ID, Space: sp.Row}
		two.Candidate = &kb.GapCandidate{Page: there.ID, Space: other.Row}
		e.changeGap(one)
		e.changeGap(two)
		e.wantGap(one)
		e.wantGap(two)
		e.update(func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, here.Pages[0].Page.Row, idOf("new")) })
		one.Candidate.Page = idOf("new")
		e.wantGap(one)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{here.Row, there.Row}) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, other.Row) })
		two.Candidate.Space = 0
		e.wantGaps([]int64{sp.Row}, false, 0, 0, 2, one, two)
		one.Candidate = nil
		e.changeGap(one)
		e.wantGap(one)
	},
	"LogAgainKeepsTheApproval": func(_ *testing.T, e *env) {
		g := e.gap(e.space("s"), "who?")
		g.Sensitivity, g.Approval = kb.GapRedacted, approved()
		e.changeGap(g)
		g.Count = 2
		e.same(e.gap(kb.Space{Row: g.Space}, "who?"), g)
	},
	"LogAfterAnAnswerIsAnotherGap": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := doc(sp, "a.md")
		e.put(d)
		first := e.gap(sp, "who?")
		first.Answer = answered(sp, d)
		e.changeGap(first)
		second := e.gap(sp, "who?")
		if second.Row == first.Row || second.Count != 1 || second.Answer != nil {
			e.Errorf("%+v after %+v", second, first)
		}
		e.wantGap(first)
		first.Answer = nil // two gaps would be open
		e.updateFails(kb.Invalid, func(tx store.Tx) error { return tx.Gaps().Update(e.ctx, first) })
	},
	"List": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		d := doc(s1, "a.md")
		e.put(d)
		e.wantGaps(nil, true, 0, 0, 0)
		var gaps []kb.Gap
		for _, q := range []string{"one", "two", "three"} {
			gaps = append(gaps, e.gap(s1, q))
		}
		gaps = append(gaps, e.gap(s2, "one"))
		gaps[0] = e.gap(s1, "one", func(g *kb.Gap) { g.Last = noon.Add(time.Hour) }) // stays the oldest
		gaps[1].Answer = answered(s1, d)
		e.changeGap(gaps[1])
		open := slices.Delete(slices.Clone(gaps), 1, 2)
		e.wantGaps(nil, true, 0, 0, 4, gaps...)
		e.wantGaps(nil, false, 0, 0, 3, open...)
		e.wantGaps([]int64{s1.Row}, true, 0, 0, 3, gaps[:3]...)
		e.wantGaps([]int64{s1.Row}, false, 0, 0, 2, gaps[0], gaps[2])
		e.wantGaps([]int64{s1.Row, s2.Row}, false, 2, 1, 3, open[1:]...)
		e.wantGaps([]int64{s2.Row}, false, 1, 1, 1)
		e.view(func(tx store.Tx) error {
			for _, c := range []struct {
				spaces []int64
				want   int
			}{{nil, 3}, {[]int64{s1.Row}, 2}, {[]int64{s2.Row}, 1}, {[]int64{s1.Row, s2.Row}, 3}, {[]int64{999}, 0}} {
				n, err := tx.Gaps().Open(e.ctx, c.spaces)
				e.check(err)
				e.same(n, c.want)
			}
			return nil
		})
	},
	"Update": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := doc(sp, "a.md")
		e.put(d)
		g, other := e.gap(sp, "who?"), e.gap(sp, "when?")
		g.Context, g.Sensitivity, g.Approval = "more", kb.GapRedacted, approved()
		e.changeGap(g)
		e.wantGap(g)
		g.Sensitivity, g.Approval.Redacted, g.Answer = kb.GapExternal, "", answered(sp, d)
		e.changeGap(g)
		e.wantGap(g)
		g.Sensitivity, g.Approval, g.Answer = kb.GapInternal, nil, nil
		e.changeGap(g)
		e.wantGap(g)
		e.wantGap(other)
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Gaps().Update(e.ctx, kb.Gap{Row: 999, Sensitivity: kb.GapInternal}) })
	},
	// A question cannot be stored without an approval of its wording.
	"NoWordingWithoutApproval": func(_ *testing.T, e *env) {
		sp := e.space("s")
		g := e.gap(sp, "who?")
		with := func(change func(*kb.GapApproval)) *kb.GapApproval {
			a := approved()
			change(a)
			return a
		}
		for name, bad := range map[string]kb.Gap{
			"approved and internal":        {Sensitivity: kb.GapInternal, Approval: approved()},
			"redacted and not approved":    {Sensitivity: kb.GapRedacted},
			"external and not approved":    {Sensitivity: kb.GapExternal},
			"no such sensitivity":          {Sensitivity: "public", Approval: approved()},
			"approved by nobody":           {Sensitivity: kb.GapExternal, Approval: with(func(a *kb.GapApproval) { a.Approver = "" })},
			"approved at no time":          {Sensitivity: kb.GapExternal, Approval: with(func(a *kb.GapApproval) { a.Time = time.Time{} })},
			"external without a question":  {Sensitivity: kb.GapExternal, Approval: with(func(a *kb.GapApproval) { a.Question = "" })},
			"redacted without its wording": {Sensitivity: kb.GapRedacted, Approval: with(func(a *kb.GapApproval) { a.Redacted = "" })},
			"answered by no page":          {Sensitivity: kb.GapInternal, Answer: &kb.GapAnswer{Time: noon, Actor: alice}},
			"answered at no time":          {Sensitivity: kb.GapInternal, Answer: &kb.GapAnswer{Page: idOf("p"), Actor: alice}},
		} {
			e.Log(name)
			bad.Row = g.Row
			e.updateFails(kb.Invalid, func(tx store.Tx) error { return tx.Gaps().Update(e.ctx, bad) })
		}
		e.wantGap(g)
	},
	// The words of a question need no approval; asking again in any spelling keeps them.
	"Words": func(_ *testing.T, e *env) {
		sp := e.space("s")
		g := kb.Gap{Space: sp.Row, Hash: kb.QuestionHash("who?"), Words: "Who?", Last: noon, Asker: alice}
		log := func(g *kb.Gap) { e.update(func(tx store.Tx) error { return tx.Gaps().Log(e.ctx, g) }) }
		log(&g)
		again := kb.Gap{Space: sp.Row, Hash: kb.QuestionHash("who?"), Last: noon, Asker: alice}
		if log(&again); g.Words != "Who?" || again.Words != "Who?" || again.Count != 2 {
			e.Errorf("logged %+v, then %+v", g, again)
		}
		other := kb.Gap{Space: sp.Row, Hash: kb.QuestionHash("who?"), Words: "WHO", Last: noon, Asker: alice}
		if log(&other); other.Words != "Who?" || other.Count != 3 {
			e.Errorf("logged in another spelling: %+v", other)
		}
		again = other
		again.Words = ""
		e.changeGap(again)
		e.wantGap(again)
	},
	"Remove": func(_ *testing.T, e *env) {
		sp := e.space("s")
		g := e.gap(sp, "who?")
		remove := func(tx store.Tx) error { return tx.Gaps().Remove(e.ctx, g.Row) }
		e.update(remove)
		e.updateFails(kb.NotFound, remove)
		e.wantGaps(nil, true, 0, 0, 0)
		if again := e.gap(sp, "who?"); again.Row == g.Row || again.Count != 1 {
			e.Errorf("%+v after %+v was removed", again, g)
		}
	},
	"AnswersOutliveTheirPage": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		here, there := doc(sp, "a.md"), doc(other, "b.md")
		e.put(here, there)
		one, two := e.gap(sp, "one"), e.gap(sp, "two")
		one.Answer, two.Answer = answered(sp, here), answered(other, there)
		e.changeGap(one)
		e.changeGap(two)
		e.update(func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, here.Pages[0].Page.Row, idOf("new")) })
		one.Answer.Page = idOf("new")
		e.wantGap(one)
		e.wantGap(two)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{here.Row, there.Row}) })
		e.wantGap(one)
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, other.Row) })
		two.Answer.Space = 0
		e.wantGaps(nil, true, 0, 0, 2, one, two)
	},
	"GoWithTheirSpace": func(_ *testing.T, e *env) {
		gone, stays := e.space("gone"), e.space("stays")
		e.gap(gone, "who?")
		g := e.gap(stays, "who?")
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, gone.Row) })
		e.wantGaps(nil, true, 0, 0, 1, g)
	},
}
