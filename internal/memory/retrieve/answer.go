package retrieve

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// MatchWeak is the match of an answer to a part of the question.
const MatchWeak = string(rank.Weak)

// found is a hit with what it was made of.
type found struct {
	api.Hit
	page kb.Page
	body *pageText

	lines  [][]byte     // of the text as a reader sees it, once it was cut into passages
	blocks []passage    // of lines, in order
	heads  map[int]bool // the lines that are headings

	remarked map[int]bool // headings of nothing but comments
	title    int          // that of them which is the page's title; 0 for none
	truth    [2]int       // lines

	by candidate
}

// answer puts the pages that the query names first, then the rest by score,
// and fills in the part of the list that was asked for.
func (s *Search) answer(ctx context.Context, list []candidate) ([]found, error) {
	all, err := s.named(ctx)
	if err != nil {
		return nil, err
	}
	if s.out.Total, err = s.count(ctx, list, all); err != nil {
		return nil, err
	}
	at := map[int64]int{}
	for i, c := range all {
		at[c.page.Row] = i
	}
	bestFirst(list)
	for _, c := range list {
		if i, ok := at[c.page.Row]; ok {
			c.name = all[i].name
			all[i] = c
			continue
		}
		all = append(all, c)
	}
	if err := store.Foresee(ctx, s.tx, func() { s.foresee(ctx, all) }); err != nil {
		return nil, err
	}
	if err := s.judge(ctx, all); err != nil {
		return nil, err
	}
	if all, err = s.succeed(ctx, all, s.req.Offset+s.req.Limit); err != nil {
		return nil, err
	}
	if all, err = s.oppose(ctx, all); err != nil {
		return nil, err
	}
	if s.out.Left > 0 {
		memory.Keep[embedding.State](s.engine).Want(rowsOf(all[:min(len(all), wanted)]))
	}
	from := min(s.req.Offset, len(all))
	to := min(from+s.req.Limit, len(all))
	s.out.Next = api.Next(s.req.Offset, to-from, s.out.Total)
	v, err := api.NewViewer(ctx, s.tx)
	if err != nil {
		return nil, err
	}
	pages := make([]kb.Page, 0, to-from)
	for _, c := range all[from:to] {
		pages = append(pages, c.page)
	}
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	if s.req.AsOf == "" {
		if err := contradiction.Mark(ctx, s.engine, s.tx, pages, shown); err != nil {
			return nil, err
		}
	}
	if err := s.tx.History().Ahead(ctx, pages); err != nil {
		return nil, err
	}
	matcher := snippet.NewMatcher(s.found.Root)
	ask := func() {
		for _, p := range pages {
			if p.Size > keptBytes { // it would be fetched again
				continue
			}
			if own, err := s.pageText(ctx, p); err == nil {
				_, _ = s.snippet(ctx, own.readingLines(), matcher)
			}
		}
	}
	if err := store.Foresee(ctx, s.tx, ask); err != nil {
		return nil, err
	}
	hits := make([]found, 0, to-from)
	for i, c := range all[from:to] {
		h, err := s.hit(ctx, shown[i], c, matcher)
		if err != nil {
			return nil, err
		}
		hits = append(hits, h)
		h.Ended = h.EndedIn(h.Lines)
		s.out.Items = append(s.out.Items, h.Hit)
	}
	return hits, nil
}

// foresee reads the rows of the best of a list, as far as nothing changes their order.
func (s *Search) foresee(ctx context.Context, all []candidate) {
	_, _ = s.successors(ctx, all[:min(s.req.Offset+s.req.Limit, len(all))])
	var pages []kb.Page
	for _, c := range all[min(s.req.Offset, len(all)):min(s.req.Offset+s.req.Limit, len(all))] {
		pages = append(pages, c.page)
	}
	if v, err := api.NewViewer(ctx, s.tx); err == nil {
		_, _ = v.Pages(ctx, pages)
	}
	if s.req.AsOf == "" {
		_ = contradiction.Mark(ctx, s.engine, s.tx, pages, make([]api.Page, len(pages)))
	}
	_ = s.tx.History().Ahead(ctx, pages)
}

// count returns how many pages there are to answer: those that were found, and
// those that the query names and that were not.
func (s *Search) count(ctx context.Context, list, named []candidate) (int, error) {
	if s.out.AtLeast = s.more; s.more {
		return s.total, nil
	}
	if s.total > len(list) { // the list is the best of more: ask the full text
		both, err := s.among(ctx, s.found, named)
		return s.total + len(named) - both, err
	}
	have := map[int64]bool{}
	for _, c := range slices.Concat(list, named) {
		have[c.page.Row] = true
	}
	return len(have), nil
}

func (s *Search) hit(ctx context.Context, page api.Page, c candidate, matcher *snippet.Matcher) (found, error) {
	p := c.page
	own, err := s.pageText(ctx, p)
	if err != nil {
		return found{}, err
	}
	out := found{page: p, by: c, body: own, Hit: api.Hit{Page: page, Score: c.score, Marks: [][2]int{}, Permalink: p.Permalink}}
	out.Why.Exact, out.SupersededBy = c.name, c.successor
	if out.CompactedInto, err = s.summaryOf(ctx, p); err != nil {
		return out, err
	}
	if c.words != nil {
		out.Why.Fields, out.Why.Terms = c.words.Fields.Names(), c.words.Terms
	}
	out.Gist = Begins(p, own.truth(beginsBytes))
	text, offset := own.readingLines(), 0
	if c.meaning != nil {
		if out.Why.Chunk, err = s.present(ctx, &out, c.meaning); err != nil {
			return out, err
		}
		if near, _ := linesOf(text, out.Why.Chunk); doc.Blank(near) {
			out.Why.Chunk = [2]int{} // nothing but relations
		}
		if c.words == nil && out.Why.Chunk != [2]int{} { // no word matched: show the passage that is near
			text, offset = linesOf(text, out.Why.Chunk)
		}
	}
	if n := s.firstMatch(text); n > 0 {
		line, before := linesOf(text, [2]int{n, n})
		text, offset = line, offset+before
	}
	sn, err := s.snippet(ctx, text, matcher)
	if err != nil {
		return out, err
	}
	if c.words != nil && len(sn.Matches) == 0 { // they may be in an address
		if raw := snippet.Make(own.withoutOwnRelations(own.everyLine(own.d.UncommentedLines)), matcher, s.req.SnippetLen); len(raw.Matches) > 0 {
			sn = raw
		}
	}
	out.Snippet, out.Lines = sn.Text, [2]int{sn.Line + offset, sn.To + offset}
	if p.Syntax == kb.Transcript {
		out.Said = said(own.d.Text, out.Lines[0])
	}
	for _, m := range sn.Matches {
		out.Marks = append(out.Marks, [2]int{m.Start, m.End})
	}
	if s.req.Explain {
		err = s.explain(c, &out)
		return out, err
	}
	return out, nil
}

// said returns the turn of a past session that a line is in, nil for none.
func said(page []byte, line int) *api.Said {
	t, resume := transcript.At(page, line)
	if t.N == 0 {
		return nil
	}
	return &api.Said{Turn: t.N, By: string(t.Role), At: api.When(t.Time), Resume: resume}
}

// wanted is how many of the pages that a question finds are to be embedded
// before others.
const wanted = 32

func rowsOf(list []candidate) []int64 {
	rows := make([]int64, len(list))
	for i, c := range list {
		rows[i] = c.page.Row
	}
	return rows
}

// embeddedBefore reports whether the vectors of a page are those of an earlier text.
func (s *Search) embeddedBefore(ctx context.Context, p kb.Page) (bool, error) {
	if s.out.Left == 0 {
		return false, nil
	}
	v, err := s.tx.Vectors().Get(ctx, s.question.model.Model(), p.Row)
	if kb.CodeOf(err) == kb.NotFound {
		return true, nil
	}
	return err == nil && v.Hash != p.Hash, err
}

// present returns the lines of a passage now, none if it is gone:
// its page may have changed since it was embedded.
func (s *Search) present(ctx context.Context, h *found, passage *nearest) ([2]int, error) {
	if s.out.Left == 0 {
		return passage.lines, nil
	}
	v, err := s.tx.Vectors().Get(ctx, s.question.model.Model(), h.page.Row)
	if kb.CodeOf(err) == kb.NotFound {
		return [2]int{}, nil // the vectors in memory are newer than the transaction
	}
	if err != nil || v.Hash == h.page.Hash {
		return passage.lines, err
	}
	_, vectors, err := vector.Unpack(v.Info, v.Values)
	if err != nil || passage.chunk >= len(vectors) {
		return [2]int{}, err
	}
	chunks, _, err := embedding.Cut(s.question.model, h.body.d, h.body.node)
	for _, c := range chunks {
		if embedding.ShortHash(c) == vectors[passage.chunk].Hash {
			return c.Lines, err
		}
	}
	return [2]int{}, err
}

// nodeOf finds a page in its document; one that is not there is taken for the whole.
func nodeOf(d *doc.Document, p kb.Page) int {
	i := slices.IndexFunc(d.Nodes, func(n doc.Node) bool { return p.Node != "" && n.ID == p.Node })
	return max(i, 0)
}
