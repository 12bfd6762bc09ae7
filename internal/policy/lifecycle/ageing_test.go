package lifecycle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

var rules = lifecycle.Ageing{StaleAfter: 60, UnlinkedAfter: 30, Today: "2026-06-01"}

func TestAgeingPass(t *testing.T) {
	t.Parallel()
	const (
		fresh  = "2026-05-20" // 12 days
		day30  = "2026-05-02"
		day31  = "2026-05-01"
		day60  = "2026-04-02"
		day61  = "2026-04-01"
		linked = true
	)
	page := func(n int64, base string, linked bool) lifecycle.Subject {
		return lifecycle.Subject{Page: n, Name: fmt.Sprint("p", n), Base: base, Linked: linked, Standing: lifecycle.Standing{Status: kb.Active}}
	}
	as := func(s lifecycle.Subject, status kb.Status, reason string) lifecycle.Subject {
		s.Status, s.Reason = status, reason
		return s
	}
	reviewed := func(s lifecycle.Subject, day string) lifecycle.Subject {
		s.Reviewed = day
		return s
	}
	exempt := func(s lifecycle.Subject) lifecycle.Subject {
		s.Exempt = true
		return s
	}
	replaces := func(from, to int64, since string) lifecycle.Act {
		return lifecycle.Act{From: from, To: to, Replaces: true, Since: since}
	}
	type turns = map[int64]lifecycle.Turn
	stale := func(reason string) lifecycle.Turn { return lifecycle.Turn{To: kb.Stale, Reason: reason} }
	back := lifecycle.Turn{To: kb.Active}
	for name, tc := range map[string]struct {
		pages     []lifecycle.Subject
		acts      []lifecycle.Act
		want      turns
		conflicts [][2]int64
		circles   [][]int64
	}{
		"at the limits":                {pages: []lifecycle.Subject{page(1, day60, linked), page(2, day30, false), page(3, "", false)}},
		"over the limits":              {pages: []lifecycle.Subject{page(1, day61, linked), page(2, day31, false), page(3, day61, false)}, want: turns{1: stale("age (61 days)"), 2: stale("unlinked (31 days)"), 3: stale("age (61 days)")}},
		"in the future":                {pages: []lifecycle.Subject{page(1, "2030-01-01", false)}},
		"exempt":                       {pages: []lifecycle.Subject{exempt(page(1, day61, false))}},
		"exempt, and replaced":         {pages: []lifecycle.Subject{exempt(page(1, day61, false)), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "")}, want: turns{1: stale("superseded by p2")}},
		"replaced comes first":         {pages: []lifecycle.Subject{page(1, day61, linked), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "")}, want: turns{1: stale("superseded by p2")}},
		"old first, and then replaced": {pages: []lifecycle.Subject{as(page(1, day61, linked), kb.Stale, "age (61 days)"), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "")}, want: turns{1: stale("superseded by p2")}},
		"replaced by two":              {pages: []lifecycle.Subject{page(1, fresh, linked), page(3, fresh, false), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(3, 1, ""), replaces(2, 1, "")}, want: turns{1: stale("superseded by p2")}},
		"a conflict does not age":      {pages: []lifecycle.Subject{page(1, day61, linked), page(2, day61, linked)}, acts: []lifecycle.Act{{From: 1, To: 2}}, conflicts: [][2]int64{{1, 2}}},
		"both say so":                  {pages: []lifecycle.Subject{page(1, fresh, linked), page(2, fresh, linked)}, acts: []lifecycle.Act{{From: 1, To: 2}, {From: 2, To: 1}}, conflicts: [][2]int64{{1, 2}}},
		"a conflict that is resolved":  {pages: []lifecycle.Subject{page(1, day61, linked), as(page(2, fresh, linked), kb.Stale, "wrong")}, acts: []lifecycle.Act{{From: 1, To: 2}}, want: turns{1: stale("age (61 days)")}},
		"resolved in the same pass":    {pages: []lifecycle.Subject{page(1, day61, linked), page(2, fresh, linked), page(3, fresh, false)}, acts: []lifecycle.Act{{From: 1, To: 2}, replaces(3, 2, "")}, want: turns{1: stale("age (61 days)"), 2: stale("superseded by p3")}},
		"a conflict, and replaced":     {pages: []lifecycle.Subject{page(1, fresh, linked), page(2, fresh, linked)}, acts: []lifecycle.Act{{From: 1, To: 2}, replaces(1, 2, "")}, want: turns{2: stale("superseded by p1")}},
		"reviewed, undated":            {pages: []lifecycle.Subject{reviewed(page(1, fresh, linked), "2026-05-20"), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "")}},
		"reviewed the same day":        {pages: []lifecycle.Subject{reviewed(page(1, fresh, linked), "2026-05-20"), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "2026-05-20")}},
		"reviewed before":              {pages: []lifecycle.Subject{reviewed(page(1, fresh, linked), "2026-05-20"), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "2026-05-21")}, want: turns{1: stale("superseded by p2")}},
		"taken back, nothing replaces": {pages: []lifecycle.Subject{as(page(1, fresh, linked), kb.Stale, "superseded by p9")}, want: turns{1: back}},
		"nothing replaces, but old":    {pages: []lifecycle.Subject{as(page(1, day61, linked), kb.Stale, "superseded by p9")}, want: turns{1: stale("age (61 days)")}},
		"old still":                    {pages: []lifecycle.Subject{as(page(1, day61, linked), kb.Stale, "age (70 days)")}},
		"unlinked still, and old":      {pages: []lifecycle.Subject{as(page(1, day61, false), kb.Stale, "unlinked (31 days)")}},
		"linked, but old":              {pages: []lifecycle.Subject{as(page(1, day61, linked), kb.Stale, "unlinked (31 days)")}, want: turns{1: stale("age (61 days)")}},
		"not so old, but unlinked":     {pages: []lifecycle.Subject{as(page(1, day31, false), kb.Stale, "age (70 days)")}, want: turns{1: stale("unlinked (31 days)")}},
		"edited since":                 {pages: []lifecycle.Subject{as(page(1, fresh, linked), kb.Stale, "age (70 days)")}, want: turns{1: back}},
		"linked since":                 {pages: []lifecycle.Subject{as(page(1, day31, linked), kb.Stale, "unlinked (31 days)")}, want: turns{1: back}},
		"edited since, and replaced":   {pages: []lifecycle.Subject{as(page(1, fresh, linked), kb.Stale, "age (70 days)"), page(2, fresh, false)}, acts: []lifecycle.Act{replaces(2, 1, "")}, want: turns{1: stale("superseded by p2")}},
		"made stale by hand":           {pages: []lifecycle.Subject{as(page(1, fresh, linked), kb.Stale, ""), as(page(2, fresh, linked), kb.Stale, "the client left")}},
		"compacted and contested":      {pages: []lifecycle.Subject{as(page(1, day61, false), kb.Compacted, ""), as(page(2, day61, false), kb.Contested, ""), page(3, fresh, false)}, acts: []lifecycle.Act{replaces(3, 1, ""), replaces(3, 2, "")}},
		"a circle":                     {pages: []lifecycle.Subject{page(1, fresh, linked), page(2, fresh, linked), page(3, fresh, linked), page(4, fresh, linked)}, acts: []lifecycle.Act{replaces(1, 2, ""), replaces(2, 3, ""), replaces(3, 1, ""), replaces(3, 4, "")}, want: turns{4: stale("superseded by p3")}, circles: [][]int64{{1, 2, 3}}},
		"itself":                       {pages: []lifecycle.Subject{page(1, fresh, linked)}, acts: []lifecycle.Act{replaces(1, 1, "")}},
		"from abroad":                  {pages: []lifecycle.Subject{page(1, fresh, linked), {Page: 2, Name: "clients:p2", Abroad: true, Base: day61}}, acts: []lifecycle.Act{replaces(2, 1, "")}, want: turns{1: stale("superseded by clients:p2")}},
	} {
		t.Run(name, func(t *testing.T) {
			got := rules.Pass(tc.pages, tc.acts)
			if tc.want == nil {
				tc.want = turns{}
			}
			if diff := cmp.Diff(lifecycle.Outcome{Turns: tc.want, Conflicts: tc.conflicts, Circles: tc.circles}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// To pass over what a pass made changes nothing, and nothing is decided by the order in
// which pages and relations come.
func TestAPassTwiceIsOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	statuses := []lifecycle.Standing{
		{Status: kb.Active}, {Status: kb.Active}, {Status: kb.Stale}, {Status: kb.Stale, Reason: "age (90 days)"},
		{Status: kb.Stale, Reason: "unlinked (40 days)"}, {Status: kb.Stale, Reason: "superseded by p1"}, {Status: kb.Compacted}, {Status: kb.Contested},
	}
	days := []string{"", "2026-05-30", "2026-05-02", "2026-05-01", "2026-04-01", "2025-01-01", "2027-01-01"}
	turned := 0
	for range 5000 {
		var pages []lifecycle.Subject
		for n := range int64(r.IntN(8) + 1) {
			pages = append(pages, lifecycle.Subject{
				Page: n + 1, Name: fmt.Sprint("p", n+1), Standing: statuses[r.IntN(len(statuses))], Base: days[r.IntN(len(days))],
				Linked: r.IntN(2) == 0, Exempt: r.IntN(8) == 0, Abroad: r.IntN(8) == 0, Reviewed: days[r.IntN(2)],
			})
		}
		var acts []lifecycle.Act
		for range r.IntN(10) {
			acts = append(acts, lifecycle.Act{
				From: r.Int64N(9) + 1, To: r.Int64N(9) + 1, Replaces: r.IntN(2) == 0, Since: days[r.IntN(2)],
			})
		}
		first := rules.Pass(pages, acts)
		turned += len(first.Turns)
		r.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
		r.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
		if diff := cmp.Diff(first, rules.Pass(pages, acts)); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
		for i, p := range pages {
			if turn, turns := first.Turns[p.Page]; turns {
				pages[i].Status, pages[i].Reason = turn.To, turn.Reason
				if lifecycle.IsSuperseded(turn.Reason) {
					pages[i].Reviewed = ""
				}
			}
		}
		if again := rules.Pass(pages, acts); len(again.Turns) > 0 {
			t.Fatalf("%+v %+v\nfirst %+v\nagain %+v", pages, acts, first.Turns, again.Turns)
		}
	}
	if turned < 1000 {
		t.Errorf("only %d pages turned", turned)
	}
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		marked, active int
		want           bool
	}{{19, 19, false}, {10, 20, false}, {11, 20, true}, {0, 100, false}, {50, 100, false}, {51, 100, true}} {
		if got := lifecycle.TooMany(tc.marked, tc.active); got != tc.want {
			t.Errorf("%d of %d: %v", tc.marked, tc.active, got)
		}
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	page := func(base string, linked bool) lifecycle.Subject { return lifecycle.Subject{Base: base, Linked: linked} }
	for _, tc := range []struct {
		page        lifecycle.Subject
		day, reason string
	}{
		{page("2026-05-30", true), "2026-07-30", "age (61 days)"},
		{page("2026-05-30", false), "2026-06-30", "unlinked (31 days)"},
		{page("2026-02-01", false), "2026-03-04", "age (120 days)"},
		{page("", false), "", ""},
		{lifecycle.Subject{Base: "2026-05-30", Exempt: true}, "", ""},
	} {
		day, reason := rules.Due(tc.page)
		if day != tc.day || reason != tc.reason {
			t.Errorf("%+v: %q, %q", tc.page, day, reason)
		}
	}
}

// Days are those of the calendar, and what is none has no age.
func TestDaysOfTheCalendar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		base, today string
		after       int // days that are over from base to today, at most
		ages        bool
	}{
		{"2026-01-01", "2026-03-01", 58, true}, {"2026-01-01", "2026-03-01", 59, false},
		{"2024-02-28", "2024-03-01", 1, true}, {"2024-02-28", "2024-03-01", 2, false},
		{"2025-12-31", "2026-01-01", 0, false}, {"1969-12-30", "1970-01-02", 2, true},
		{"2026-02-30", "2030-01-01", 1, false}, {"2026-13-01", "2030-01-01", 1, false}, {"2026-1-1", "2030-01-01", 1, false},
		{"2026-01-0x", "2030-01-01", 1, false}, {"2026/01/01", "2030-01-01", 1, false}, {"", "2030-01-01", 1, false}, {"2026-01-01", "never", 1, false},
	} {
		a := lifecycle.Ageing{StaleAfter: tc.after, Today: tc.today}
		if got := a.Ages(lifecycle.Subject{Base: tc.base}); got != tc.ages {
			t.Errorf("from %q to %q are more than %d days: %t", tc.base, tc.today, tc.after, got)
		}
	}
}
