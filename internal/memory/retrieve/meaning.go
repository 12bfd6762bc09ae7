package retrieve

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Fusion is how the lists of a hybrid search become one.
type Fusion string

// The strategies.
const (
	Weighted Fusion = "weighted"
	RRF      Fusion = "rrf"
	SetUnion Fusion = "set-union"
	Mean     Fusion = "mean" // of the scores themselves, without anything added
)

// pool is how many pages each list brings into the fusion, unless the setting vector_k
// overrides it for the side of meaning.
const pool = 100

// passages is how many of the nearest passages are looked at first to find the
// pages of a pool: a page of many list items may have dozens of them.
const passages = 10 * pool

// nearest is the passage of a page that is nearest to the query.
type nearest struct {
	rank  int // of the page, counted from 1
	score float64
	chunk int    // its number among the vectors of the page
	lines [2]int // where it was when it was embedded
}

// byMeaning searches by nearness in meaning, with or without words. Where
// vectors cannot be had it serves keyword results, and reports it.
func (s *Search) byMeaning(ctx context.Context) ([]candidate, error) {
	near, err := s.nearest(ctx)
	withWords := s.req.Mode == api.ModeHybrid
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		s.wordsOnly(kb.AsError(err))
		if s.question.err != nil {
			if s.out.Left, err = s.waitingForModel(ctx); err != nil {
				return nil, err
			}
		}
		withWords = true
	}
	byRow := map[int64]candidate{}
	var meaning, words []rank.Scored
	for _, c := range near {
		byRow[c.page.Row] = c
		meaning = append(meaning, rank.Scored{ID: c.page.Row, Score: c.meaning.score})
	}
	coverage := 0.0
	if withWords {
		most := pool
		if s.bearing != nil {
			most = endless
		}
		w, err := s.byAnyWord(ctx, most)
		if err != nil {
			return nil, err
		}
		if s.weighted() {
			if err := s.boostNear(ctx, w.list); err != nil {
				return nil, err
			}
		}
		for _, c := range w.list {
			c.meaning = byRow[c.page.Row].meaning
			byRow[c.page.Row] = c
			words = append(words, rank.Scored{ID: c.page.Row, Score: c.score})
			coverage = max(coverage, c.words.Coverage)
		}
	}
	var fused []rank.Fused
	if withWords {
		fused = s.fuse(words, meaning, coverage)
	} else {
		fused = rank.Kept(rank.List{}, rank.List{Name: "meaning", Items: meaning})
	}
	if s.weighted() {
		if fused, err = s.boost(ctx, fused, byRow); err != nil {
			return nil, err
		}
	}
	list := make([]candidate, 0, len(byRow))
	read := 0
	for _, f := range fused {
		c := byRow[f.ID]
		c.score, c.votes = f.Score, f.Votes
		for _, v := range f.Votes {
			if v.From != 0 {
				c.borrowed = append(c.borrowed, borrowed{v, byRow[v.From].page})
			}
		}
		if withWords && c.words == nil && read < kinPages && s.unknownScript() != "" {
			if c.kin, err = s.isKin(ctx, c); err != nil {
				return nil, err
			}
			read++
		}
		if withWords && s.unrelated(c) {
			continue
		}
		list = append(list, c)
	}
	s.total = len(list)
	return list, nil
}

// unrelated reports whether a page shares no word with the query, and is not nearer to it in
// meaning than texts are that have nothing to do with each other. How near that is, is known
// of the built-in model.
func (s *Search) unrelated(c candidate) bool {
	if c.words != nil || c.kin || c.meaning == nil || !embedding.IsBuiltIn(s.question.model) {
		return false
	}
	least := rank.Hardly
	if len(s.query.Filters) > 0 || len(s.intent.times) > 0 { // they ask for the page in another way
		least = rank.Unrelated
	}
	if c.meaning.score >= least && s.unknownScript() != "" {
		return c.meaning.score < rank.UnrelatedUnknown
	}
	return c.meaning.score < least
}

// weighted reports whether the lists are fused by their scores, which what else
// speaks for a page can be added to.
func (s *Search) weighted() bool { return s.req.Mode == api.ModeHybrid && s.req.Fusion == Weighted }

// rows returns the rows of the spaces that are searched.
func (s *Search) rows() []int64 { return space.Rows(s.spaces) }

// nearest returns the pages with a passage near to the query, nearest first.
func (s *Search) nearest(ctx context.Context) ([]candidate, error) {
	if s.question.err != nil {
		return nil, s.question.err
	}
	m := s.question.model
	count, err := embedding.CountCoverage(ctx, s.engine, s.tx, m.Model(), s.rows(), s.mark)
	if err != nil {
		return nil, err
	}
	s.left(count.Left)
	ix, err := embedding.Vectors(ctx, s.engine, s.tx, m, s.mark)
	if err != nil {
		return nil, err
	}
	s.index, s.embedded = ix, count
	if damaged := embedding.DamagedPages(s.engine); damaged > 0 {
		s.note("the vectors of %s are damaged, so semantic search misses them%s", api.Plural(damaged, "page"), s.command(" (recompute them with: cairn embed --all)"))
	}
	var rows []int64
	var best map[int64]*nearest
	if s.question.vector != nil { // there was a vector when the search began
		rows, best, err = s.bestPassages(ix)
	}
	if err == nil && s.bearing != nil {
		rows, err = s.bearNear(ctx, rows, best)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 && count.Left > 0 && (count.Done == 0 || s.question.vector == nil) {
		return nil, kb.Errorf(kb.NotFound, "nothing is embedded yet")
	}
	pages, err := store.PagesByRow(ctx, s.tx, rows)
	if err != nil {
		return nil, err
	}
	near := make([]candidate, 0, len(rows))
	for _, row := range rows {
		if p, ok := pages[row]; ok {
			near = append(near, candidate{page: p, score: best[row].score, meaning: best[row]})
		}
	}
	bestFirst(near)
	for i := range near {
		near[i].meaning.rank = i + 1
	}
	return near, nil
}

// bestPassages returns the pool of pages that come nearest, nearest first, and the
// best passage of each. Where few pages have all of the nearest passages, it
// asks again for those of the others.
func (s *Search) bestPassages(ix *vector.Index) (rows []int64, best map[int64]*nearest, err error) {
	best = map[int64]*nearest{}
	var allow func(int64) bool
	if s.allowed != nil {
		allow = s.allowed.Contains
	}
	for k := max(passages, s.question.most); ; k *= 4 {
		hits, err := ix.Search(s.question.vector, k, allow)
		if err != nil {
			return nil, nil, err
		}
		for _, h := range hits {
			if h.Score < s.question.least || len(rows) == s.question.most {
				return rows, best, nil
			}
			if best[h.Page] == nil {
				rows = append(rows, h.Page)
				best[h.Page] = &nearest{score: h.Score, chunk: h.Chunk, lines: h.Lines}
			}
		}
		if len(hits) < k {
			return rows, best, nil
		}
		allow = func(page int64) bool {
			return best[page] == nil && (s.allowed == nil || s.allowed.Contains(page))
		}
	}
}

// linesOf cuts lines out of a text, and returns how many come before them; all
// of it where there are no such lines.
func linesOf(text []byte, lines [2]int) ([]byte, int) {
	span := doc.CutLines(text, doc.Span{End: len(text)}, lines[0], lines[1], true)
	if span.Len() == 0 {
		return text, 0
	}
	return text[span.Start:span.End], max(lines[0]-1, 0)
}

// The weight of meaning is between these: nearer to the least where one page
// holds all the words of the query, which are then the best evidence, and
// decide where each side has a page of its own. Measured on three sets of
// judged queries (docs/benchmarks.md): better on abstracts than a range from 0.3
// on, on both halves of their queries, and the same within noise on the others.
const (
	leastMeaning = 0.45
	maxMeaning   = 0.65
)

// Scores that differ by less in a whole list are of pages that match about equally. The
// lists of questions to many pages differ by more.
const (
	wordsWidth   = 0.25 // of the best score
	meaningWidth = 0.1  // of a similarity
)

// best returns the greatest score of a list, which comes first.
func best(list []rank.Scored) float64 {
	if len(list) == 0 {
		return 0
	}
	return list[0].Score
}

// fuse puts the lists together as the request says.
func (s *Search) fuse(words, meaning []rank.Scored, coverage float64) []rank.Fused {
	w := leastMeaning + (maxMeaning-leastMeaning)*(1-coverage)
	lists := []rank.List{
		wordsList:   {Name: "words", Items: words, Weight: 1 - w, Width: wordsWidth * best(words)},
		meaningList: {Name: "meaning", Items: meaning, Weight: w, Width: meaningWidth},
	}
	switch s.req.Fusion {
	case RRF:
		lists[0].Weight, lists[1].Weight = 1, 1
		return rank.RRF(rank.RRFConstant, lists...)
	case SetUnion:
		return rank.SetUnion(lists...)
	case Mean:
		return rank.Mean(lists[wordsList], lists[meaningList])
	}
	fused := rank.Weighted(lists...)
	if s.index == nil || len(words) == 0 {
		return fused
	}
	return rank.Partial{
		List: meaningList, Other: wordsList, Ratio: w / (1 - w), Pool: pool,
		Knows: s.index.Has, Share: s.embedded.Share(),
	}.Even(fused)
}
