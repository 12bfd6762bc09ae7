package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/store"
)

// SearchRequest asks the full text.
type SearchRequest struct {
	Query         string
	Narrow        Narrow
	All           bool   // search every space
	Limit, Offset int    // Limit 0 is 10
	Sync          bool   // first sync the current space, when it is a directory
	SnippetLen    int    // characters of a snippet; 0 is 200
	AsOf          string // a time or date phrase: what was known then; "" is now
	Mode          Mode   // "" is ModeWords
	Fusion        Fusion
	Explain       bool // say in every hit what it was ranked by
	Progress      func(space, phase string, done, total int)
}

const (
	defaultHits    = 10
	defaultSnippet = 200
)

// Search answers a query with pages, best first. Any input gives an answer:
// what cannot be understood as meant is searched as text and noted.
func (a *App) Search(ctx context.Context, req SearchRequest) (SearchResult, error) {
	if req.AsOf != "" {
		return a.searchPast(ctx, req)
	}
	if req.Limit <= 0 {
		req.Limit = defaultHits
	}
	if req.SnippetLen <= 0 {
		req.SnippetLen = defaultSnippet
	}
	out := SearchResult{List: List[Hit]{Items: []Hit{}}, Spaces: []string{}}
	q := query.Parse(req.Query, a.opts.Now())
	if err := req.Narrow.apply(&q, a.opts.Now()); err != nil {
		return out, err
	}
	out.Query, out.Notes = q.String(), q.Notes
	spaces, err := a.searchSpaces(ctx, q, req.All)
	if err != nil {
		return out, err
	}
	for _, s := range spaces {
		out.Spaces = append(out.Spaces, s.Name)
	}
	if err := req.check(); err != nil {
		return out, err
	}
	if req.Sync {
		if err := a.syncForSearch(ctx, spaces, req, &out); err != nil {
			return out, err
		}
	}
	out.Mode = req.Mode
	var asked question
	if req.Mode == ModeHybrid || req.Mode == ModeVector {
		asked = a.question(ctx, q)
	}
	return out, a.db.View(ctx, func(tx store.Tx) error {
		s := &searching{a: a, tx: tx, spaces: spaces, req: req, asked: asked}
		return s.run(ctx, q, &out)
	})
}

// searchSpaces returns the spaces that a query is about: those it names, else
// the current one.
func (a *App) searchSpaces(ctx context.Context, q query.Query, everywhere bool) ([]kb.Space, error) {
	if everywhere || query.Names(q, query.Space) {
		return a.spaces(ctx)
	}
	s, err := a.current(ctx)
	if err != nil {
		return nil, err
	}
	return []kb.Space{s}, nil
}

// syncForSearch syncs the one directory that is searched. What goes wrong is
// part of the answer: stale results are better than none.
func (a *App) syncForSearch(ctx context.Context, spaces []kb.Space, req SearchRequest, out *SearchResult) error {
	if len(spaces) != 1 || spaces[0].Kind != kb.DirectorySpace {
		return nil
	}
	r, err := a.syncOne(ctx, spaces[0].Row, SyncRequest{Progress: req.Progress})
	if err != nil {
		if ctx.Err() != nil || spaces[0].Synced.IsZero() {
			return err
		}
		e := kb.AsError(err)
		out.Notes = append(out.Notes, "not synced: "+e.Message)
		return nil
	}
	out.Synced = &r
	return nil
}

// searching is one search within one transaction.
type searching struct {
	a       *App
	tx      store.Tx
	spaces  []kb.Space
	req     SearchRequest
	asked   question
	matcher *snippet.Matcher // of the query that found the hits
}

func (s *searching) run(ctx context.Context, q query.Query, out *SearchResult) error {
	allowed, err := s.allowed(ctx, q)
	if err != nil {
		return err
	}
	exact, err := s.exact(ctx, q, allowed)
	if err != nil {
		return err
	}
	found, list, err := s.candidates(ctx, q, allowed, out)
	if err != nil {
		return err
	}
	s.matcher = snippet.NewMatcher(found.Root)
	return s.answer(ctx, list, exact, out)
}

// candidates returns the pages of the mode that was asked for, best first, and
// the query that found them.
func (s *searching) candidates(ctx context.Context, q query.Query, allowed *lexical.IDs, out *SearchResult) (query.Query, []candidate, error) {
	switch s.req.Mode {
	case ModeExact:
		return q, nil, nil
	case ModeHybrid, ModeVector:
		return s.byMeaning(ctx, q, allowed, out)
	}
	found, res, err := s.byWords(ctx, q, allowed, out)
	if err != nil {
		return q, nil, err
	}
	list := make([]candidate, len(res.Hits))
	for i, h := range res.Hits {
		list[i] = candidate{row: h.ID, score: h.Score, words: &res.Hits[i], wordRank: i + 1}
	}
	out.Total = res.Total
	return found, list, nil
}

// byWords searches the full text, more loosely when nothing holds all words.
func (s *searching) byWords(ctx context.Context, q query.Query, allowed *lexical.IDs, out *SearchResult) (query.Query, *lexical.Result, error) {
	limit := s.req.Offset + s.req.Limit + maxExact
	res, err := s.find(ctx, q, allowed, limit)
	if err != nil {
		return q, nil, err
	}
	for _, looser := range []func(query.Query) (query.Query, bool){query.Complete, query.Relax} {
		if res.Total > 0 {
			break
		}
		r, ok := looser(q)
		if !ok {
			continue
		}
		if res, err = s.find(ctx, r, allowed, limit); err != nil {
			return q, nil, err
		}
		if res.Total > 0 {
			out.Relaxed = true
			return r, res, nil
		}
	}
	return q, res, nil
}

// candidate is a page that was found, with the evidence for it.
type candidate struct {
	row      int64
	score    float64
	words    *lexical.Hit // nil when no word matched
	wordRank int          // among the pages with words, counted from 1
	meaning  *nearest     // nil when its meaning is not near
}

// find asks the full-text index.
func (s *searching) find(ctx context.Context, q query.Query, allowed *lexical.IDs, limit int) (*lexical.Result, error) {
	return s.a.index.Text().Search(ctx, s.tx.Lexical(), q.Root, lexical.Options{Limit: limit, Allowed: allowed, Filter: s.filter})
}

// maxExact is how many pages may be lifted because the query is their name.
const maxExact = 8

// exactHit is a page that the query names.
type exactHit struct {
	page kb.Page
	how  string
}

// exact returns the pages whose slug, title or alias the query text is.
func (s *searching) exact(ctx context.Context, q query.Query, allowed *lexical.IDs) ([]exactHit, error) {
	text, ok := plainText(q.Root)
	if !ok || text == "" {
		return nil, nil
	}
	key := link.Key(string(doc.WikiLink), text)
	if key == "" {
		return nil, nil
	}
	var out []exactHit
	for _, space := range s.spaces {
		found, err := s.tx.Pages().ByNames(ctx, space.Row, []string{key})
		if err != nil {
			return nil, err
		}
		for _, p := range found[key] {
			how := howNamed(p, text)
			if how != "" && (allowed == nil || allowed.Contains(p.Row)) {
				out = append(out, exactHit{p, how})
			}
		}
	}
	slices.SortFunc(out, func(x, y exactHit) int {
		return cmp.Or(cmp.Compare(x.how, y.how)*-1, cmp.Compare(x.page.Ref(), y.page.Ref()))
	})
	return out[:min(len(out), maxExact)], nil
}

// plainText returns the text of a query that is nothing but words and limits,
// which are met otherwise. Alternatives and beginnings of words name nothing.
func plainText(n query.Node) (string, bool) {
	if query.Limits(n) == n {
		return "", true
	}
	switch n := n.(type) {
	case *query.Word:
		return n.Text, !n.Prefix
	case *query.Phrase:
		return n.Text, true
	case *query.And:
		var parts []string
		for _, m := range n.Nodes {
			t, ok := plainText(m)
			if !ok {
				return "", false
			}
			if t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, " "), true
	}
	return "", false
}

func howNamed(p kb.Page, text string) string {
	key := kb.NameKey(text)
	switch {
	case kb.NameKey(p.Title) == key:
		return "title"
	case kb.NameKey(p.Slug) == key, kb.NameKey(p.Slug[strings.LastIndexByte(p.Slug, '/')+1:]) == key:
		return "slug"
	}
	for _, a := range p.Aliases {
		if kb.NameKey(a) == key {
			return "alias"
		}
	}
	return ""
}

// answer puts exact matches first, then the rest by score; equal scores go
// by ref, so that a rebuilt index answers in the same order.
func (s *searching) answer(ctx context.Context, list []candidate, exact []exactHit, out *SearchResult) error {
	type ranked struct {
		page kb.Page
		candidate
		how string
	}
	byRow := map[int64]candidate{}
	rows := make([]int64, len(list))
	for i, c := range list {
		byRow[c.row] = c
		rows[i] = c.row
	}
	pages, err := s.tx.Pages().Get(ctx, rows)
	if err != nil {
		return err
	}
	var all []ranked
	named := map[int64]bool{}
	for _, e := range exact {
		named[e.page.Row] = true
		all = append(all, ranked{e.page, byRow[e.page.Row], e.how})
	}
	lifted := len(all)
	for _, p := range pages {
		if !named[p.Row] {
			all = append(all, ranked{p, byRow[p.Row], ""})
		}
	}
	slices.SortStableFunc(all[lifted:], func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.page.Ref(), y.page.Ref()))
	})
	// Exact matches count among the total even where no word of their text
	// matched, as with an alias kept out of the index by its form.
	out.Total = max(out.Total, len(all))
	from := min(s.req.Offset, len(all))
	to := min(from+s.req.Limit, len(all))
	out.Next = next(s.req.Offset, to-from, out.Total)
	v, err := s.a.viewer(ctx, s.tx)
	if err != nil {
		return err
	}
	for _, r := range all[from:to] {
		h, err := s.hit(ctx, v, r.page, r.candidate)
		if err != nil {
			return err
		}
		h.Why.Exact = r.how
		out.Items = append(out.Items, h)
	}
	return nil
}

func (s *searching) hit(ctx context.Context, v *viewer, p kb.Page, c candidate) (Hit, error) {
	page, err := v.page(ctx, p)
	if err != nil {
		return Hit{}, err
	}
	out := Hit{Page: page, Score: c.score, Date: p.Updated.UTC().Format(time.DateOnly), Marks: [][2]int{}}
	source, err := s.tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return Hit{}, err
	}
	text, offset := nodeText(s.a.codecs, p, source)
	text = mask(text)
	if c.words != nil {
		out.Why.Fields, out.Why.Terms = c.words.Fields.Names(), c.words.Terms
	}
	if c.meaning != nil {
		out.Why.Chunk = c.meaning.lines
		if c.words == nil { // no word matched: show the passage that is near
			text, offset = linesOf(text, offset, c.meaning.lines)
		}
	}
	if s.req.Explain {
		c.explain(&out.Why)
	}
	sn := snippet.Make(text, s.matcher, s.req.SnippetLen)
	out.Snippet, out.Lines = sn.Text, [2]int{sn.Line + offset, sn.To + offset}
	for _, m := range sn.Matches {
		out.Marks = append(out.Marks, [2]int{m.Start, m.End})
	}
	return out, nil
}

// nodeText returns a page's own text and how many lines of the document come
// before it.
func nodeText(codecs []doc.Codec, p kb.Page, source []byte) ([]byte, int) {
	text, _ := doc.Decode(source)
	if p.Node == "" {
		return text, 0
	}
	d := doc.ForPath(codecs, p.Path).Parse(p.Path, source)
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.ID == p.Node {
			return d.Text[n.Span.Start:n.Span.End], doc.LineAt(d.Text, n.Span.Start) - 1
		}
	}
	return text, 0
}
