package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/chunk"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// QueryRequest asks a question.
type QueryRequest struct {
	SearchRequest
	Depth  api.Depth // "" is auto
	Budget int       // tokens of the model that all texts together may have; 0 is what the setting says, else Usual
	Usual  int       // 0 is 4,000
}

const defaultBudget = 4000

// Check fills in what was left open, and refuses what there is not.
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
		return kb.Errorf(kb.Usage, "a budget of %d tokens cannot be", r.Budget)
	}
	if r.Budget > 0 {
		return nil
	}
	text, err := sess.Place.Setting("token_budget")
	if err == nil && text != "" {
		r.Budget, err = strconv.Atoi(text)
	}
	r.Budget = cmp.Or(r.Budget, r.Usual, defaultBudget)
	return err
}

// Serve searches and serves texts within a budget of tokens: in rank order first
// a summary of each hit, then the passage that answers, then the whole.
func (s *Search) Serve(ctx context.Context, depth api.Depth, budget int) (api.QueryResult, error) {
	hits, err := s.run(ctx)
	if err != nil {
		return api.QueryResult{}, err
	}
	count := tokenCounter{s.counter(ctx), budget}
	if s.kinds != nil {
		out := api.QueryResult{SearchResult: s.out, Budget: budget}
		out.Items, out.Spent = byLine{s}.serve(hits, budget, count)
		return out, nil
	}
	if s.nothing {
		return s.noAnswer(budget), nil
	}
	if s.out.Match == string(rank.None) {
		depth = api.DepthSummary // the budget is not for what answers nothing
	}
	texts := make([]levels, len(hits))
	for i := range hits {
		texts[i] = textLevels(s.engine, &hits[i], count)
		if depth == api.DepthAuto && s.out.Match == MatchWeak {
			texts[i][2].text = "" // what may not answer is served in passages
		}
		if depth == api.DepthAuto && hits[i].SupersededBy != "" {
			texts[i][1].text, texts[i][2].text = "", "" // the budget is for what holds now
		}
	}
	out := api.QueryResult{SearchResult: s.out, Items: []api.Served{}, Budget: budget}
	for i, c := range fill(texts, depth, budget) {
		h := api.Served{Hit: hits[i].Hit, LeftOut: texts[i][2].tokens}
		if c >= 0 {
			t := texts[i][c]
			h.Depth, h.Text, h.Tokens, h.Stands = depths[c], t.text, t.tokens, loadPageText(s.engine, &hits[i]).linesOf(t.span)
			h.LeftOut = max(0, h.LeftOut-h.Tokens)
		}
		h.Ended = hits[i].EndedIn(h.Lines, h.Stands)
		out.Spent += h.Tokens
		out.Items = append(out.Items, h)
	}
	return out, nil
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
	return WithUnseen(func(text string) int {
		n, err := m.CountTokens(text)
		if err != nil {
			return chunk.Estimate(text)
		}
		return n
	})
}

// depths are the levels of a page's text, in the order of levels.
var depths = [3]api.Depth{api.DepthSummary, api.DepthSection, api.DepthFull}

// level is a text with its tokens, see tokenCounter.
type level struct {
	text   string
	tokens int
	span   doc.Span // where it stands; empty of a summary
}

// levels are a page's summary, best passage and truth.
type levels [3]level

func textLevels(sess *memory.Session, h *found, count tokenCounter) (out levels) {
	o := loadPageText(sess, h)
	passage := h.Why.Chunk
	if passage == ([2]int{}) {
		passage = h.Lines
	}
	summary := strings.TrimSpace(o.n.Summary)
	if summary == "" {
		summary = h.Snippet
	}
	out[0] = level{text: summary, tokens: count.of(summary)}
	best := o.passage(passage)
	text := o.within(best)
	out[1] = level{text, count.of(text), best}
	text, whole := o.whole(best)
	out[2] = level{text, count.of(text), whole}
	return out
}

// fill chooses a level for each page, -1 for none, so that the sum of their
// tokens stays within the budget. Pages come best first. With depth auto every
// page gets its summary as long as they fit, then the best pages get their
// passage, then their whole truth; a higher level replaces the lower one. With
// another depth each page gets that much in turn, or as much of it as fits. A
// passage may be shorter than the summary, which it replaces all the same: it is
// what answers.
func fill(pages []levels, depth api.Depth, budget int) []int {
	chosen := make([]int, len(pages))
	for i := range chosen {
		chosen[i] = -1
	}
	spent := 0
	raise := func(i, l int) {
		had := 0
		if chosen[i] >= 0 {
			had = pages[i][chosen[i]].tokens
		}
		to := pages[i][l]
		if to.text == "" || spent-had+to.tokens > budget {
			return
		}
		spent += to.tokens - had
		chosen[i] = l
	}
	if depth == api.DepthAuto {
		for l := range depths {
			for i := range pages {
				raise(i, l)
			}
		}
		return chosen
	}
	for i := range pages {
		for l := range slices.Index(depths[:], depth) + 1 {
			raise(i, l)
		}
	}
	return chosen
}

// counting is the built-in model for whoever counts without a memory: its table
// of words is made once.
var counting = sync.OnceValues(func() (*bge.Embedder, error) { return bge.New(bge.Options{}) })

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
