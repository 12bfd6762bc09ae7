package retrieve

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// rules reads how the policies of the spaces want them searched where the question
// does not say: in which mode, if they agree on one, and the statuses of pages
// that it leaves out. A policy that cannot be read says nothing; doctor reports it.
func (s *Search) rules(ctx context.Context) {
	var modes []api.Mode
	asked := query.Names(s.query, query.Status)
	for _, sp := range s.spaces {
		mode := api.ModeWords
		if pol, _, err := s.engine.Spaces.Policy(ctx, sp, nil); err == nil {
			if pol.Search.Mode != "" {
				mode = api.Mode(pol.Search.Mode)
			}
			if hidden := pol.Search.Hidden(); len(hidden) > 0 && !asked {
				if s.hidden == nil {
					s.hidden = map[int64][]kb.Status{}
				}
				s.hidden[sp.Row] = hidden
			}
		}
		modes = append(modes, mode)
	}
	if s.req.Mode != "" {
		return
	}
	s.req.Mode = api.ModeWords
	if modes = slices.Compact(modes); len(modes) == 1 {
		s.req.Mode = modes[0]
	}
}

// hiddenRows returns the pages that the policies of their spaces leave out.
func (s *Search) hiddenRows(ctx context.Context) (map[int64]bool, error) {
	out := map[int64]bool{}
	for space, statuses := range s.hidden {
		rows, err := s.tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{space}, Statuses: statuses})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			out[row] = true
		}
	}
	return out, nil
}

// compactedInto is the relation from a page to the one that sums it up.
const compactedInto = "compacted_into"

// summaryOf returns the ref of the page that a compacted page was summed up in, ""
// where none is known.
func (s *Search) summaryOf(ctx context.Context, p kb.Page) (string, error) {
	if p.Status != kb.Compacted {
		return "", nil
	}
	links, err := s.tx.Links().From(ctx, p.Row)
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if l.Type == compactedInto && l.Page.Row != 0 {
			return l.Page.Ref(), nil
		}
	}
	return "", nil
}
