package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// QueryRequest asks a question.
type QueryRequest struct {
	SearchRequest
	Depth  api.Depth // "" is auto
	Budget int       // tokens of the model that all texts together may have; 0 is what the setting says, else Usual
	Usual  int       // 0 is 4,000

	// PerPage is how many tokens of the budget the caller prints about each page in addition to its text.
	PerPage int
	Listed  bool // in the order of pages rather than of their best passages
}

const (
	defaultBudget = 4000
	maxAround     = 8 // the part of a budget that a page may cost in addition to its text
)

// Check fills in defaults, and refuses unknown values.
func Check(sess *memory.Session, r *QueryRequest) error {
	if r.Mode == "" {
		r.Mode = api.ModeHybrid
	}
	switch r.Depth {
	case "":
		r.Depth = api.DepthAuto
	case api.DepthSummary, api.DepthSection, api.DepthFull, api.DepthAuto:
	default:
		return kb.Errorf(kb.Usage, "there is no depth %q", r.Depth).WithHint("Depths are summary, section, full, auto.")
	}
	if r.Budget < 0 {
		return kb.Errorf(kb.Usage, "invalid token budget %d: must not be negative", r.Budget)
	}
	if r.Budget == 0 {
		text, err := sess.Place.Setting("token_budget")
		if err == nil && text != "" {
			r.Budget, err = strconv.Atoi(text)
		}
		if err != nil {
			return err
		}
		r.Budget = cmp.Or(r.Budget, r.Usual, defaultBudget)
	}
	if r.Exhaustive && r.PerPage > 0 { // half of the budget is for texts
		r.Limit = min(r.Limit, max(1, r.Budget/(2*r.PerPage)))
	}
	return nil
}

// Serve searches, and serves the best passages within a budget of tokens.
func (s *Search) Serve(ctx context.Context, req QueryRequest) (api.QueryResult, error) {
	s.ask(ctx, false)
	count := tokenCounter{s.counter(ctx), req.Budget}
	depth, budget := req.Depth, req.Budget
	items, spent := []api.Served{}, 0
	hits, err := s.run(ctx, func(hits []found) (err error) {
		if s.bearing != nil {
			if depth == api.DepthAuto {
				depth = api.DepthSection // something of every page
			}
		} else if s.out.Match == string(rank.None) {
			depth = api.DepthSummary // the budget is not for what answers nothing
		}
		x := &selection{hits: hits, count: count, left: budget, around: min(req.PerPage, budget/maxAround), listed: req.Listed, pages: make([]selected, len(hits))}
		if s.bearing != nil { // every page is in the answer, with or without a text
			x.left, x.around = max(0, budget-len(hits)*req.PerPage), 0
		}
		items, err = s.serve(ctx, hits, depth, x)
		s.judgeTurns()
		return err
	})
	if err != nil {
		return api.QueryResult{}, err
	}
	if s.kinds != nil {
		items, _ = byLine{s}.serve(hits, budget, count)
	} else if s.nothing {
		return s.noAnswer(budget), nil
	}
	for _, h := range items {
		spent += h.Tokens
	}
	return api.QueryResult{SearchResult: s.out, Items: items, Budget: budget, Spent: spent}, nil
}

// serve chooses the texts of hits, and puts those with passages first, in the
// order of the best of them.
func (s *Search) serve(ctx context.Context, hits []found, depth api.Depth, x *selection) ([]api.Served, error) {
	whole := make([]int, len(hits))
	for i := range hits {
		whole[i] = s.tokensOf(x.count, &hits[i])
	}
	if depth != api.DepthSummary {
		if err := s.passages(ctx, x, depth, whole); err != nil {
			return nil, err
		}
	}
	served := make([]api.Served, len(hits))
	for i := range hits {
		h := &served[i]
		h.Hit, h.LeftOut = hits[i].Hit, whole[i]
		runs := [][2]int{h.Lines}
		if len(x.pages[i].taken) > 0 {
			h.Text, runs = x.text(i)
			h.Depth, h.Tokens, h.Stands = api.DepthSection, x.count.of(h.Text), [2]int{runs[0][0], runs[len(runs)-1][1]}
			if len(runs) > 1 {
				h.Parts = runs
			}
			if h.LeftOut = max(0, h.LeftOut-h.Tokens); x.pages[i].whole {
				h.Depth, h.LeftOut = api.DepthFull, x.pages[i].hidden
			}
			runs = append(runs[:len(runs):len(runs)], h.Lines)
		} else if text := hits[i].summary(); text != "" { // summaries take the rest
			if n := x.count.of(text); n+x.around <= x.left {
				h.Depth, h.Text, h.Tokens = api.DepthSummary, text, n
				h.LeftOut = max(0, h.LeftOut-n)
				x.left -= n + x.around
				x.order = append(x.order, i)
			}
		}
		h.Ended = hits[i].EndedIn(runs...)
	}
	if x.listed {
		return served, nil
	}
	items := make([]api.Served, 0, len(hits))
	for _, i := range x.order {
		items = append(items, served[i])
	}
	for i := range hits {
		if !slices.Contains(x.order, i) {
			items = append(items, served[i])
		}
	}
	return items, nil
}

// passages chooses passages of hits; whole has the tokens of their truths.
func (s *Search) passages(ctx context.Context, x *selection, depth api.Depth, whole []int) error {
	ranked, err := s.rankPassages(ctx, x.hits)
	if err != nil {
		return err
	}
	if depth != api.DepthFull {
		if err := s.hideShared(ctx, x); err != nil {
			return err
		}
	}
	most := x.left
	switch {
	case depth == api.DepthSection, depth == api.DepthAuto && s.out.Match == MatchWeak:
		most = weakTokens // what may not answer is served in passages
	case depth == api.DepthFull:
		slices.SortStableFunc(ranked, func(a, b passage) int { return cmp.Compare(a.page, b.page) })
	}
	err = s.choose(ctx, x, ranked, most, func(i int) bool {
		return depth != api.DepthAuto || x.hits[i].SupersededBy == "" // the budget is for what holds now
	})
	if most == weakTokens {
		return err
	}
	for _, i := range x.order {
		if err == nil {
			err = s.complete(ctx, x, i, whole[i], depth == api.DepthFull)
		}
	}
	return err
}

// summary is the summary of a page, or where it matched.
func (h *found) summary() string {
	if text := strings.TrimSpace(h.body.n.Summary); text != "" {
		return text
	}
	return h.Snippet
}

// noAnswer is the answer to a question that nothing fits. Its note names the nearest page: an
// agent pays for everything else.
func (s *Search) noAnswer(budget int) api.QueryResult {
	out := api.QueryResult{SearchResult: s.out, Items: []api.Served{}, Budget: budget}
	out.SearchResult.Items, out.Total, out.AtLeast, out.Next = nil, 0, false, ""
	return out
}

// counter counts tokens as the model does, or estimates them without one, and
// what it does not see.
func (s *Search) counter(ctx context.Context) func(string) int {
	m := s.question.model
	if !s.question.asked {
		m, _ = embedding.ActiveModel(ctx, s.engine) // an estimate will do
	}
	if m == nil {
		return WithUnseen(chunk.Estimate)
	}
	s.countedBy = m.Model()
	return WithUnseen(func(text string) int {
		n, err := m.CountTokens(text)
		if err != nil {
			return chunk.Estimate(text)
		}
		return n
	})
}

// counting is the built-in model for callers without a memory: its table
// of words is made once.
var counting = sync.OnceValues(func() (*packed.Embedder, error) { return bge.New("", 0) })

// CountTokens counts tokens as the built-in model does, or estimates them in a
// build without it.
func CountTokens(text string) int {
	if m, err := counting(); err == nil {
		if n, err := m.CountTokens(text); err == nil {
			return n
		}
	}
	return chunk.Estimate(text)
}
