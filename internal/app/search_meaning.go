package app

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// Mode says what a search goes by.
type Mode string

// The modes.
const (
	ModeWords  Mode = "fts"    // full text
	ModeVector Mode = "vector" // nearness in meaning
	ModeHybrid Mode = "hybrid" // both
	ModeExact  Mode = "exact"  // titles, slugs and aliases alone
)

// Fusion is how the lists of a hybrid search become one.
type Fusion string

// The strategies.
const (
	Weighted Fusion = "weighted"
	RRF      Fusion = "rrf"
	SetUnion Fusion = "set-union"
)

// pool is how many pages each list brings into the fusion.
const pool = 100

// passages is how many of the nearest passages are looked at to find the pages
// of a pool: a page of many list items may have dozens of them.
const passages = 10 * pool

func (r *SearchRequest) check() error {
	if r.Mode == "" {
		r.Mode = ModeWords
	}
	if !slices.Contains([]Mode{ModeWords, ModeVector, ModeHybrid, ModeExact}, r.Mode) {
		return kb.Errorf(kb.Usage, "there is no search mode %q", r.Mode).WithHint("Modes are fts, vector, hybrid, exact.")
	}
	if r.Fusion == "" {
		r.Fusion = Weighted
	}
	if !slices.Contains([]Fusion{Weighted, RRF, SetUnion}, r.Fusion) {
		return kb.Errorf(kb.Usage, "there is no fusion %q", r.Fusion).WithHint("Strategies are weighted, rrf, set-union.")
	}
	return nil
}

// question is a query as the model sees it. It is computed before the
// transaction of the search: a model may take its time.
type question struct {
	model  embed.Embedder
	vector []float32 // nil when the query has no words
	err    error     // why meaning cannot be asked for
}

func (a *App) question(ctx context.Context, q query.Query) question {
	m, err := a.activeModel(ctx)
	if err != nil {
		return question{err: err}
	}
	text := wordsOf(q.Root)
	if text == "" {
		return question{model: m}
	}
	vectors, err := m.Embed(ctx, []string{text}, embed.Query)
	if err != nil {
		return question{err: err}
	}
	return question{model: m, vector: vectors[0]}
}

// nearest is the passage of a page that is nearest to the query.
type nearest struct {
	page  int64
	rank  int // counted from 1
	score float64
	lines [2]int
}

// byMeaning searches by nearness in meaning, with or without words. Where
// vectors cannot be had it serves what the words find, and says so.
func (s *searching) byMeaning(ctx context.Context, q query.Query, allowed *lexical.IDs, out *SearchResult) (query.Query, []candidate, error) {
	near, err := s.nearest(ctx, allowed, out)
	if err != nil {
		if ctx.Err() != nil {
			return q, nil, err
		}
		out.Notes = append(out.Notes, wordsOnly(kb.AsError(err)))
		out.Mode = ModeWords
	}
	byRow := map[int64]*candidate{}
	var meaning []rank.Scored
	for i, n := range near {
		byRow[n.page] = &candidate{row: n.page, meaning: &near[i]}
		meaning = append(meaning, rank.Scored{ID: n.page, Score: n.score})
	}
	found := q
	var words []rank.Scored
	coverage := 0.0
	if s.req.Mode == ModeHybrid || err != nil {
		var res *lexical.Result
		if found, res, err = s.loose(ctx, q, allowed, out); err != nil {
			return q, nil, err
		}
		for i := range res.Hits {
			h := &res.Hits[i]
			c := byRow[h.ID]
			if c == nil {
				c = &candidate{row: h.ID}
				byRow[h.ID] = c
			}
			c.words, c.wordRank = h, i+1
			words = append(words, rank.Scored{ID: h.ID, Score: h.Score})
			coverage = max(coverage, h.Coverage)
		}
	}
	list := make([]candidate, 0, len(byRow))
	for _, f := range s.fuse(words, meaning, coverage) {
		c := byRow[f.ID]
		c.score = f.Score
		list = append(list, *c)
	}
	out.Total = len(list)
	return found, list, nil
}

// wordsOnly says why meaning was left out, and what to do about it.
func wordsOnly(e *kb.Error) string {
	note := "searched by words only: " + e.Message
	if e.Hint != "" {
		note += " (" + e.Hint + ")"
	}
	return note
}

// loose returns the pages that hold any of the query's words: in a hybrid
// search they are candidates, ranked by how much of the query they hold.
func (s *searching) loose(ctx context.Context, q query.Query, allowed *lexical.IDs, out *SearchResult) (query.Query, *lexical.Result, error) {
	if r, ok := query.Relax(q); ok {
		res, err := s.find(ctx, r, allowed, pool)
		return r, res, err
	}
	return s.byWords(ctx, q, allowed, out)
}

// nearest returns the pages with a passage near to the query, nearest first.
func (s *searching) nearest(ctx context.Context, allowed *lexical.IDs, out *SearchResult) ([]nearest, error) {
	if s.asked.err != nil {
		return nil, s.asked.err
	}
	m := s.asked.model
	var err error
	var spaces []int64
	for _, sp := range s.spaces {
		spaces = append(spaces, sp.Row)
	}
	if _, out.Left, err = s.tx.Vectors().Counts(ctx, m.Model(), vectorVersion(), spaces); err != nil {
		return nil, err
	}
	if s.asked.vector == nil {
		return nil, nil
	}
	ix, err := s.a.vectors(ctx, s.tx, m)
	if err != nil {
		return nil, err
	}
	var allow func(int64) bool
	if allowed != nil {
		allow = allowed.Contains
	}
	hits, err := ix.Search(s.asked.vector, passages, allow)
	if err != nil {
		return nil, err
	}
	var near []nearest
	seen := map[int64]bool{}
	for _, h := range hits {
		if !seen[h.Page] && len(near) < pool {
			seen[h.Page] = true
			near = append(near, nearest{page: h.Page, rank: len(near) + 1, score: h.Score, lines: h.Lines})
		}
	}
	return near, nil
}

// wordsOf returns the text that a query asks about, without what it excludes.
func wordsOf(root query.Node) string {
	var words []string
	for _, n := range query.Terms(root) {
		switch n := n.(type) {
		case *query.Word:
			words = append(words, n.Text)
		case *query.Phrase:
			words = append(words, n.Text)
		}
	}
	return strings.Join(words, " ")
}

// linesOf cuts the lines of a passage out of a text that starts after offset
// lines of its document.
func linesOf(text []byte, offset int, lines [2]int) ([]byte, int) {
	at, from, to := 0, 0, len(text)
	for n := offset + 1; at < len(text); n++ {
		if n == lines[0] {
			from = at
		}
		next := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		at = next
		if n == lines[1] {
			to = at
			break
		}
	}
	if from >= to {
		return text, offset
	}
	return text[from:to], max(lines[0]-1, offset)
}

// The weight of meaning lies between these: nearer to the least where one page
// holds all the words of the query, which then say best what is meant. Measured
// on three sets of judged queries (docs/benchmarks.md): the range is no better
// than one weight of 0.4 on any of them by more than noise, and worse on none.
const (
	leastMeaning = 0.3
	mostMeaning  = 0.65
)

// fuse puts the lists together as the request says.
func (s *searching) fuse(words, meaning []rank.Scored, coverage float64) []rank.Fused {
	w := leastMeaning + (mostMeaning-leastMeaning)*(1-coverage)
	lists := []rank.List{{Name: "words", Items: words, Weight: 1 - w}, {Name: "meaning", Items: meaning, Weight: w}}
	switch s.req.Fusion {
	case RRF:
		lists[0].Weight, lists[1].Weight = 1, 1
		return rank.RRF(rank.RRFConstant, lists...)
	case SetUnion:
		return rank.SetUnion(lists...)
	}
	return rank.Weighted(lists...)
}

// explain says where a page stood in each list.
func (c candidate) explain(w *Why) {
	if c.words != nil {
		w.Words = &Evidence{Rank: c.wordRank, Score: c.words.Score}
	}
	if c.meaning != nil {
		w.Meaning = &Evidence{Rank: c.meaning.rank, Score: c.meaning.score}
	}
}
