package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
)

// Ageing holds the rules by which pages become stale, and the day.
type Ageing struct {
	StaleAfter    int // days without a change or a review; 0: never
	UnlinkedAfter int // the same for pages without inbound links
	Today         string
}

// Subject is a page that may age.
type Subject struct {
	Standing
	Page     int64
	Name     string // used in reasons
	Base     string // day from which its age counts, "" for none
	Reviewed string // day of the last review, "" for never
	Linked   bool   // another page links to it
	Exempt   bool   // only a replacement makes it stale
	Abroad   bool   // it belongs to another space, and its status is not decided
}

// Act is a relation with an effect: the one page replaces the other, or the two
// conflict.
type Act struct {
	From, To int64
	Replaces bool
	Since    string // earliest day on which it is known to hold, "" for none
}

// Outcome is the result of a pass over pages.
type Outcome struct {
	Turns     map[int64]Turn
	Conflicts [][2]int64 // between two active pages, each once
	Circles   [][]int64  // pages that replace each other in a circle, which has no effect
}

// minGuarded is the number of active pages from which the limit of a pass applies.
const minGuarded = 20

// TooMany reports whether a pass marks so many of the active pages that the cause
// must be something other than their age: a long absence, or a wrong clock.
func TooMany(marked, active int) bool { return active >= minGuarded && 2*marked > active }

// Pass decides the status of pages. A page that another one replaces is stale.
// A page in an unresolved conflict does not age. A page is stale when its age
// is over the limit, or over the limit for unlinked pages when no page links to
// it. A page that is stale for one of these reasons becomes active again when
// the reason ends. A second pass over the result changes nothing.
func (a Ageing) Pass(subjects []Subject, acts []Act) Outcome {
	out := Outcome{Turns: map[int64]Turn{}}
	at := make(map[int64]*Subject, len(subjects))
	for i := range subjects {
		at[subjects[i].Page] = &subjects[i]
	}
	acts = slices.DeleteFunc(slices.Clone(acts), func(x Act) bool { return at[x.From] == nil || at[x.To] == nil || x.From == x.To })
	out.Circles = circles(acts)
	by := replacing(at, acts, out.Circles)

	active := map[int64]bool{} // before ageing, without conflicting pages
	for i := range subjects {
		s := &subjects[i]
		active[s.Page] = s.Status == kb.Active && len(by[s.Page]) == 0 ||
			s.ByRule() && len(by[s.Page]) == 0 && a.aged(s) == ""
		if s.Abroad {
			active[s.Page] = s.Status == kb.Active
		}
	}
	contested := map[int64]bool{}
	for _, x := range acts {
		if !x.Replaces && active[x.From] && active[x.To] {
			contested[x.From], contested[x.To] = true, true
			pair := [2]int64{min(x.From, x.To), max(x.From, x.To)}
			out.Conflicts = append(out.Conflicts, pair)
		}
	}
	slices.SortFunc(out.Conflicts, func(x, y [2]int64) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	out.Conflicts = slices.Compact(out.Conflicts)
	for i := range subjects {
		s := &subjects[i]
		if s.Abroad {
			continue
		}
		if turn, turns := a.turn(s, by[s.Page], contested[s.Page]); turns {
			out.Turns[s.Page] = turn
		}
	}
	return out
}

// turn decides the status of one page.
func (a Ageing) turn(s *Subject, by []string, contested bool) (Turn, bool) {
	reason := a.aged(s)
	switch {
	case len(by) > 0:
		return s.Superseded(by)
	case s.ByRule() && reason == "":
		return Turn{To: kb.Active}, true
	case s.ByRule() && !a.holds(s), s.Status == kb.Active && reason != "" && !contested:
		return Turn{kb.Stale, reason}, true
	}
	return Turn{}, false
}

// holds reports whether the reason of a page over a limit, which no other page
// replaces, still applies.
func (a Ageing) holds(s *Subject) bool {
	if strings.HasPrefix(s.Reason, unlinked) {
		a.StaleAfter = 0
		return a.aged(s) != ""
	}
	return strings.HasPrefix(s.Reason, aged) && strings.HasPrefix(a.aged(s), aged)
}

// Ages reports whether a page is over a limit.
func (a Ageing) Ages(s Subject) bool { return a.aged(&s) != "" }

// aged returns the reason why a page is over a limit, "" if it is not.
func (a Ageing) aged(s *Subject) string {
	if s.Exempt || s.Base == "" {
		return ""
	}
	switch n := daysBetween(s.Base, a.Today); {
	case a.StaleAfter > 0 && n > a.StaleAfter:
		return fmt.Sprintf("%s%d days)", aged, n)
	case a.UnlinkedAfter > 0 && !s.Linked && n > a.UnlinkedAfter:
		return fmt.Sprintf("%s%d days)", unlinked, n)
	}
	return ""
}

// Due returns the day on which an active page reaches a limit unless it is used,
// with the reason then; "" for never. That day may be past.
func (a Ageing) Due(s Subject) (day, reason string) {
	if s.Exempt || s.Base == "" {
		return "", ""
	}
	limit := a.StaleAfter
	if a.UnlinkedAfter > 0 && !s.Linked && (limit == 0 || a.UnlinkedAfter < limit) {
		limit = a.UnlinkedAfter
	}
	base, err := time.Parse(time.DateOnly, s.Base)
	if limit == 0 || err != nil {
		return "", ""
	}
	day = base.AddDate(0, 0, limit+1).Format(time.DateOnly)
	a.Today = max(day, a.Today)
	return day, a.aged(&s)
}

// daysBetween counts calendar days, ignoring hours; 0 when one is not a day.
func daysBetween(from, to string) int {
	a, okA := dates.DateOf(from)
	b, okB := dates.DateOf(to)
	if !okA || !okB {
		return 0
	}
	return int(b - a)
}

// replacing returns, by page, the pages that replace it, in order. A review
// takes precedence over replacements that are not known to be newer, and cycles
// have no effect.
func replacing(at map[int64]*Subject, acts []Act, circles [][]int64) map[int64][]string {
	circle := map[int64]int{}
	for i, c := range circles {
		for _, page := range c {
			circle[page] = i + 1
		}
	}
	by := map[int64][]string{}
	for _, x := range acts {
		to := at[x.To]
		if !x.Replaces || circle[x.From] != 0 && circle[x.From] == circle[x.To] || to.Reviewed != "" && x.Since <= to.Reviewed {
			continue
		}
		by[x.To] = append(by[x.To], at[x.From].Name)
	}
	for _, names := range by {
		slices.Sort(names)
	}
	return by
}

// circles returns the pages that replace each other, directly or indirectly:
// Tarjan's components with more than one page, each sorted, without recursion.
func circles(acts []Act) (out [][]int64) {
	next := map[int64][]int64{}
	var pages []int64
	for _, x := range acts {
		if x.Replaces {
			if next[x.From] == nil {
				pages = append(pages, x.From)
			}
			next[x.From] = append(next[x.From], x.To)
		}
	}
	slices.Sort(pages)
	type frame struct {
		page int64
		i    int
	}
	var (
		index, low = map[int64]int{}, map[int64]int{}
		on         = map[int64]bool{}
		stack      []int64
		calls      []frame
	)
	enter := func(page int64) {
		index[page] = len(index) + 1
		low[page] = index[page]
		stack, on[page] = append(stack, page), true
		calls = append(calls, frame{page: page})
	}
	for _, start := range pages {
		if index[start] != 0 {
			continue
		}
		enter(start)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			page := f.page
			if f.i < len(next[page]) {
				to := next[page][f.i]
				f.i++
				switch {
				case index[to] == 0:
					enter(to)
				case on[to]:
					low[page] = min(low[page], index[to])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				before := calls[len(calls)-1].page
				low[before] = min(low[before], low[page])
			}
			if low[page] != index[page] {
				continue
			}
			i := slices.Index(stack, page)
			component := slices.Clone(stack[i:])
			stack = stack[:i]
			for _, p := range component {
				on[p] = false
			}
			if len(component) > 1 {
				slices.Sort(component)
				out = append(out, component)
			}
		}
	}
	return out
}
