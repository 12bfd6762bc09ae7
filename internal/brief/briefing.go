package brief

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request asks for a briefing.
type Request struct {
	Since  string // date or date phrase; "" is a day ago
	Budget int    // tokens; 0 is DefaultBudget
	All    bool   // of every space
}

// DefaultBudget is the default token budget of a briefing.
const DefaultBudget = 2000

// Ranges of a briefing, and limits of its sections.
const (
	dueDays  = 7 // ahead
	playDays = 7 // back
	minScore = "3"
	maxOf    = 20
)

// CompileBriefing lists what needs attention now.
func CompileBriefing(ctx context.Context, sess *memory.Session, req Request) (api.Briefing, error) {
	now := sess.Now()
	out := api.Briefing{Date: now.Format(time.DateOnly), Since: now.Add(-24 * time.Hour), Budget: req.Budget, Sections: []api.BriefingSection{}}
	if req.Budget < 0 {
		return out, kb.Errorf(kb.Usage, "a budget of %d tokens holds nothing", req.Budget)
	}
	if req.Budget == 0 {
		out.Budget = DefaultBudget
	}
	if req.Since != "" {
		t, err := query.Since(req.Since, now)
		if err != nil {
			return out, err
		}
		out.Since = t
	}
	since := out.Since
	out.Since = since.UTC().Truncate(time.Second)
	l := &look{Session: sess, req: req, now: now, since: since, today: out.Date}
	all := make([]api.BriefingSection, len(sections))
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		l.tx = tx
		if l.spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		for i, s := range sections {
			all[i].Name, all[i].Title = s.name, s.title
			if s.pages == nil {
				continue
			}
			if err := s.pages(l, ctx, &all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	for i, s := range sections {
		if s.doubts == nil {
			continue
		}
		if err := s.doubts(l, ctx, &all[i]); err != nil {
			return out, err
		}
	}
	fit(&out, all)
	return out, nil
}

// section defines the content of a section: pages to read, and results of other
// checks.
type section struct {
	name, title   string
	pages, doubts func(*look, context.Context, *api.BriefingSection) error
}

// sections lists all sections in display order.
var sections = []section{
	{"calendar", "Today", (*look).calendar, nil},
	{"deals", "Active deals", (*look).deals, nil},
	{"commitments", "Commitments due", (*look).commitments, nil},
	{"actions", "Actions", (*look).actions, nil},
	{"shifted", "What shifted", (*look).shifted, nil},
	{"threads", "Open threads", (*look).threads, nil},
	{"contradictions", "Contradictions", nil, (*look).contradictions},
	{"gaps", "Open questions", nil, (*look).gaps},
	{"changes", "Recent changes", (*look).changes, nil},
	{"people", "People in play", (*look).people, nil},
	{"stale", "Stale", (*look).stale, (*look).behind},
}

// fit fills a briefing up to its budget: first with the first item of each section,
// then with the second of each, and so on, so that no section takes the space of
// the others.
func fit(out *api.Briefing, all []api.BriefingSection) {
	shown, full := make([]int, len(all)), make([]bool, len(all))
	for more := true; more; {
		more = false
		for i, s := range all {
			if full[i] || shown[i] == len(s.Items) {
				continue
			}
			cost := chunk.Estimate(strings.Join(s.Items[shown[i]].Lines(), "\n") + "\n")
			if shown[i] == 0 {
				cost += chunk.Estimate("## " + s.Title + "\n")
			}
			if out.Tokens+cost > out.Budget {
				full[i] = true
				continue
			}
			out.Tokens += cost
			shown[i]++
			more = true
		}
	}
	for i, s := range all {
		if s.Total == 0 {
			continue
		}
		s.Items = append([]api.BriefingItem{}, s.Items[:shown[i]]...)
		s.LeftOut = s.Total - shown[i]
		out.LeftOut += s.LeftOut
		out.Sections = append(out.Sections, s)
	}
}
