package retrieve

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// wordHits are the pages that the words of a query find.
type wordHits struct {
	total int
	more  bool        // there may be more
	list  []candidate // best first
}

// enough is how many pages must have all of a query's words for those that
// have some to be left out. It does not depend on how many are shown, so that
// the parts of a list fit together.
const enough = 10

// byWords searches the full text for the best pages. Where few hold all words,
// those that hold some follow: they come after, so they cost nothing but their
// place. Quoted text is searched as it is written, and few results are enough.
func (s *Search) byWords(ctx context.Context, limit int) (wordHits, error) {
	strict, err := s.inLanguages(ctx, s.query, false)
	if err != nil {
		return wordHits{}, err
	}
	w, err := s.find(ctx, strict, limit)
	if err != nil || w.total >= enough || w.total > 0 && query.Quotes(s.query.Root) {
		return w, err
	}
	all := w.total
	if all == 0 {
		if q, ok := query.Complete(s.query); ok {
			if w, err = s.find(ctx, q, limit); err != nil {
				return w, err
			}
		}
	}
	asked := s.query
	inside := func() (err error) { // reads the whole vocabulary
		if q, ok := query.Inside(s.query); ok && w.total == 0 {
			w, err = s.find(ctx, q, limit)
		}
		return err
	}
	_, several := query.Relax(s.query)
	if !several {
		if err := inside(); err != nil {
			return w, err
		}
	}
	if w.total == 0 {
		q, ok, err := s.corrected(ctx)
		if err != nil {
			return w, err
		}
		if asked = q; ok {
			if w, err = s.find(ctx, q, limit); err != nil {
				return w, err
			}
		}
	}
	if w.total < enough {
		if q, ok := query.Relax(asked); ok || len(s.languages) > 0 {
			if q, err = s.inLanguages(ctx, q, true); err != nil {
				return w, err
			}
			if w, err = s.followed(ctx, w, q, limit); err != nil {
				return w, err
			}
		}
	}
	if several {
		if err := inside(); err != nil {
			return w, err
		}
	}
	if s.out.Relaxed = w.total > all; s.out.Relaxed {
		s.out.AllWords = all
	}
	return w, nil
}

// followed appends to fewer than enough pages the further results of a looser query,
// up to limit.
func (s *Search) followed(ctx context.Context, w wordHits, q query.Query, limit int) (wordHits, error) {
	loose, err := s.find(ctx, q, limit)
	if err != nil {
		return w, err
	}
	both, err := s.among(ctx, q, w.list)
	if err != nil {
		return w, err
	}
	have := map[int64]bool{}
	for _, c := range w.list {
		have[c.page.Row] = true
	}
	w.list = slices.Grow(w.list, max(0, min(limit-len(w.list), len(loose.list))))
	for _, c := range loose.list {
		if len(w.list) < limit && !have[c.page.Row] {
			c.loose, c.wordRank = true, len(w.list)+1
			w.list = append(w.list, c)
		}
	}
	if w.more = loose.more; w.more {
		w.total = loose.total
	} else {
		w.total += loose.total - both
	}
	return w, nil
}

// among returns how many of these pages a query finds.
func (s *Search) among(ctx context.Context, q query.Query, list []candidate) (int, error) {
	if len(list) == 0 {
		return 0, nil
	}
	ids := lexical.NewIDs()
	for _, c := range list {
		ids.Add(c.page.Row)
	}
	res, err := s.engine.Index.Text().Search(ctx, s.tx.Lexical(), q.Root, lexical.Options{Allowed: ids, Filter: s.filter})
	if err != nil {
		return 0, err
	}
	return res.Total, nil
}

// byAnyWord returns the pages that hold any of the query's words: in a hybrid
// search they are candidates, ranked by how much of the query they hold. What an
// address holds makes none of them, unless it is all that is asked for.
func (s *Search) byAnyWord(ctx context.Context, limit int) (wordHits, error) {
	asked, _, err := s.corrected(ctx)
	if err != nil {
		return wordHits{}, err
	}
	q, ok := query.Relax(asked)
	if !ok {
		return s.byWords(ctx, limit)
	}
	if q, err = s.inLanguages(ctx, q, true); err != nil {
		return wordHits{}, err
	}
	w, err := s.find(ctx, q, limit)
	if err == nil && w.total == 0 {
		if q, ok := query.Inside(s.query); ok {
			w, err = s.find(ctx, q, limit)
		}
	}
	w.list = slices.DeleteFunc(w.list, func(c candidate) bool { return c.words.Coverage == 0 && c.words.Markup < allMarkup })
	return w, err
}

// allMarkup is the share of a query that an address holds when it holds all of it,
// which is a sum of floating-point numbers.
const allMarkup = 0.999

// find asks the full-text index. Equal scores are in the order of refs, so that a rebuilt
// index answers in the same order, and lists that are read in parts have each
// page once.
func (s *Search) find(ctx context.Context, q query.Query, limit int) (wordHits, error) {
	res, err := s.engine.Index.Text().Search(ctx, s.tx.Lexical(), q.Root,
		lexical.Options{Limit: limit, Count: s.countTo(limit), Allowed: s.allowed, Filter: s.filter})
	if err != nil {
		return wordHits{}, err
	}
	s.found = q
	if s.bearing != nil {
		res.Hits = s.bearing.bearWords(res.Hits)
	}
	rows := make([]int64, len(res.Hits))
	for i, h := range res.Hits {
		rows[i] = h.ID
	}
	page, err := s.pagesOf(ctx, rows)
	if err != nil {
		return wordHits{}, err
	}
	out := wordHits{total: res.Total, more: res.AtLeast, list: make([]candidate, 0, len(rows))}
	for i, h := range res.Hits {
		if p, ok := page(h.ID); ok {
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

// pagesOf returns a function that returns pages by their rows: of a search for facets alone, what
// facets count of them.
func (s *Search) pagesOf(ctx context.Context, rows []int64) (func(row int64) (kb.Page, bool), error) {
	if s.brief != nil {
		return s.brief.read(ctx, s.tx, rows)
	}
	pages, err := store.PagesByRow(ctx, s.tx, rows)
	return func(row int64) (kb.Page, bool) {
		p, ok := pages[row]
		return p, ok
	}, err
}

// countTo returns how many pages are counted that words find, 0 for all: more than are
// shown, so that it is known whether others follow. The total of a search by meaning is
// that of its list.
func (s *Search) countTo(limit int) int {
	switch {
	case s.question.asked:
		return enough
	case s.req.ExactTotal:
		return 0
	}
	return max(counted, limit)
}

// bestFirst sorts by score, equal ones by ref; hits of a looser query come
// last.
func bestFirst(list []candidate) {
	slices.SortStableFunc(list, func(x, y candidate) int {
		if x.loose != y.loose {
			if x.loose {
				return 1
			}
			return -1
		}
		if x.score != y.score {
			return cmp.Compare(y.score, x.score)
		}
		if x.page.Space == y.page.Space { // as their refs, which take memory
			return cmp.Compare(x.page.Slug, y.page.Slug)
		}
		return cmp.Compare(x.page.Ref(), y.page.Ref())
	})
}
