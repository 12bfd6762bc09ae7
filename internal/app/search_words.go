package app

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// wordHits are the pages that the words of a query find.
type wordHits struct {
	total int
	list  []candidate // best first
}

// byWords searches the full text for the best pages, more loosely when nothing
// holds all words.
func (s *searching) byWords(ctx context.Context, limit int) (wordHits, error) {
	w, err := s.find(ctx, s.query, limit)
	for _, looser := range []func(query.Query) (query.Query, bool){query.Complete, query.Relax} {
		if err != nil || w.total > 0 {
			break
		}
		q, ok := looser(s.query)
		if !ok {
			continue
		}
		if w, err = s.find(ctx, q, limit); w.total > 0 {
			s.out.Relaxed = true
		}
	}
	return w, err
}

// byAnyWord returns the pages that hold any of the query's words: in a hybrid
// search they are candidates, ranked by how much of the query they hold.
func (s *searching) byAnyWord(ctx context.Context, limit int) (wordHits, error) {
	if q, ok := query.Relax(s.query); ok {
		return s.find(ctx, q, limit)
	}
	return s.byWords(ctx, limit)
}

// find asks the full-text index. Equal scores go by ref, so that a rebuilt
// index answers in the same order, and lists that are read in parts have each
// page once.
func (s *searching) find(ctx context.Context, q query.Query, limit int) (wordHits, error) {
	res, err := s.a.index.Text().Search(ctx, s.tx.Lexical(), q.Root, lexical.Options{Limit: limit, Allowed: s.allowed, Filter: s.filter})
	if err != nil {
		return wordHits{}, err
	}
	s.found = q
	rows := make([]int64, len(res.Hits))
	for i, h := range res.Hits {
		rows[i] = h.ID
	}
	pages, err := s.pages(ctx, rows)
	if err != nil {
		return wordHits{}, err
	}
	out := wordHits{total: res.Total, list: make([]candidate, 0, len(pages))}
	for i, h := range res.Hits {
		if p, ok := pages[h.ID]; ok {
			out.list = append(out.list, candidate{page: p, score: h.Score, words: &res.Hits[i]})
		}
	}
	bestFirst(out.list)
	out.list = out.list[:min(limit, len(out.list))]
	for i := range out.list {
		out.list[i].wordRank = i + 1
	}
	return out, nil
}

// pages returns pages by row.
func (s *searching) pages(ctx context.Context, rows []int64) (map[int64]kb.Page, error) {
	list, err := s.tx.Pages().Get(ctx, rows)
	out := make(map[int64]kb.Page, len(list))
	for _, p := range list {
		out[p.Row] = p
	}
	return out, err
}

// bestFirst sorts by score, equal ones by ref.
func bestFirst(list []candidate) {
	slices.SortStableFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.page.Ref(), y.page.Ref()))
	})
}
