package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/store"
)

// itemPages is how many pages are looked at for lines: the best of those with words of
// the query, or all where it has none, as far as that.
const (
	itemPages  = 1000
	itemListed = 5000
)

// kindsOf separates the filters for kinds of results from the others. nil is pages.
func kindsOf(filters []query.Filter) (kinds []string, rest []query.Filter) {
	var not []string
	for _, f := range filters {
		switch {
		case f.Key != query.Item:
			rest = append(rest, f)
		case f.Not:
			not = append(not, f.Value)
		default:
			kinds = append(kinds, f.Value)
		}
	}
	if len(kinds) == 0 && len(not) > 0 {
		kinds = query.Kinds
	}
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return slices.Contains(not, k) })
	if len(not) == 0 && !slices.ContainsFunc(kinds, func(k string) bool { return k != query.Entity }) {
		return nil, rest
	}
	return kinds, rest
}

// byLine is a search for lines of pages.
type byLine struct{ Search *Search }

// line is something that may be a hit of its own.
type line struct {
	by   *candidate // the page, or that which has it
	item *api.Item  // nil for the page itself
	at   int        // line of the document
	to   int64      // the page that a relation leads to; 0 for none
	near bool       // within the passage of its page that is nearest to the query

	matched map[string]bool // words and phrases of the query that are in it
	any     bool            // one of them says something
	score   float64
}

// find finds lines: those that hold all the words of the query, or are in a passage
// near to it; where there are none, those with any of the words. A query without words
// finds all lines of the pages that its filters let through.
func (ls byLine) find(ctx context.Context) ([]found, error) {
	s := ls.Search
	pages, listed, err := s.listed(ctx, itemListed)
	if err == nil && !listed {
		pages, err = ls.pagesOfItems(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.more = s.more || s.total > len(pages)
	matcher := snippet.NewMatcher(&query.And{Nodes: []query.Node{s.query.Root, s.found.Root}})
	lines, err := ls.linesOf(ctx, pages)
	if err != nil {
		return nil, err
	}
	if !listed {
		lines = ls.matching(lines, matcher)
		slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(y.score, x.score) })
	}
	s.out.Total, s.out.AtLeast = len(lines), s.more
	from := min(s.req.Offset, len(lines))
	to := min(from+s.req.Limit, len(lines))
	s.out.Next = api.Next(s.req.Offset, to-from, s.out.Total)
	return ls.showLines(ctx, lines[from:to], matcher)
}

// pagesOfItems returns the pages in which lines are looked for, best first.
func (ls byLine) pagesOfItems(ctx context.Context) (list []candidate, err error) {
	s := ls.Search
	if s.allowed, err = s.mayBeAnswered(ctx); err != nil {
		return nil, err
	}
	if s.question.asked {
		if list, err = s.byMeaning(ctx); err != nil {
			return nil, err
		}
		if s.req.Mode == api.ModeVector {
			return list, nil
		}
	}
	w, err := s.byWords(ctx, itemPages)
	s.total, s.more = w.total, w.more
	bestFirst(w.list)
	have := map[int64]int{}
	for i, c := range list {
		have[c.page.Row] = i
	}
	for _, c := range w.list {
		if i, ok := have[c.page.Row]; ok {
			list[i].words, list[i].loose = c.words, c.loose
			continue
		}
		list = append(list, c)
	}
	return list, err
}

// linesOf returns what may be a hit in pages, in order of them.
func (ls byLine) linesOf(ctx context.Context, pages []candidate) (lines []line, err error) {
	s := ls.Search
	rows := rowsOf(pages)
	observations, links := map[int64][]kb.Observation{}, map[int64][]kb.Link{}
	if slices.Contains(s.kinds, query.Observation) {
		all, err := s.tx.Facts().Observations(ctx, rows)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			observations[o.Page] = append(observations[o.Page], o)
		}
	}
	if slices.Contains(s.kinds, query.Relation) {
		all, err := s.tx.Facts().Links(ctx, rows, false)
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			links[l.From] = append(links[l.From], l)
		}
	}
	for i := range pages {
		c := &pages[i]
		near := func(at int) bool { return c.meaning != nil && at >= c.meaning.lines[0] && at <= c.meaning.lines[1] }
		if slices.Contains(s.kinds, query.Entity) {
			lines = append(lines, line{by: c, near: c.meaning != nil})
		}
		for _, o := range observations[c.page.Row] {
			if ls.ofCategory(o.Category) {
				lines = append(lines, line{
					by: c, at: o.Line, near: near(o.Line),
					item: &api.Item{Kind: query.Observation, Category: o.Category, Content: o.Text, Tags: o.Tags, Context: o.Context},
				})
			}
		}
		for _, l := range links[c.page.Row] {
			lines = append(lines, line{
				by: c, at: l.Line, near: near(l.Line), to: l.To,
				item: &api.Item{Kind: query.Relation, Relation: l.Type, Content: l.Name, Context: l.Context},
			})
		}
	}
	return lines, nil
}

// ofCategory reports whether the filters let observations of a category through.
func (ls byLine) ofCategory(category string) bool {
	s := ls.Search
	some, met := false, false
	for _, f := range s.query.Filters {
		if f.Key != query.Category {
			continue
		}
		is := slices.ContainsFunc(spellings(f.Value), func(name string) bool { return strings.EqualFold(name, category) })
		if f.Not && is {
			return false
		}
		some, met = some || !f.Not, met || !f.Not && is
	}
	return met || !some
}

// text is what words of a query are looked for in.
func (l *line) text() string {
	return strings.Join([]string{l.item.Category, strings.ReplaceAll(l.item.Relation, "_", " "), l.item.Content, strings.Join(l.item.Tags, " "), l.item.Context}, "\n")
}

// matching returns the lines that the query finds, scored: by words the share of them
// that a line has, by meaning how near its passage is, by both the mean of the two.
func (ls byLine) matching(lines []line, matcher *snippet.Matcher) []line {
	s := ls.Search
	words := s.req.Mode != api.ModeVector || s.out.SearchMode == api.ModeWords
	terms := 0
	for _, leaf := range query.Terms(s.query.Root) {
		if fieldOf(leaf) == "" {
			terms++
		}
	}
	counts := map[string]bool{} // words that a line may be found by when it has not all
	for _, leaf := range query.Terms(s.found.Root) {
		counts[leaf.String()] = true
	}
	share := func(l *line) float64 {
		switch {
		case !words:
			return 0
		case l.item == nil && l.by.words == nil:
			return 0
		case l.item == nil && l.by.loose:
			return min(l.by.words.Coverage, 1)
		case l.item == nil:
			return 1
		}
		l.matched = map[string]bool{}
		for _, f := range matcher.Find(l.text()) {
			l.matched[f.Leaf] = true
			l.any = l.any || counts[f.Leaf]
		}
		if holds(s.query.Root, l.matched) {
			return 1
		}
		return min(float64(len(l.matched))/float64(max(terms, 1)), 1)
	}
	strict := false
	for i := range lines {
		l := &lines[i]
		has := share(l)
		l.score = has
		if s.question.asked {
			meaning := 0.0
			if l.near {
				meaning = l.by.meaning.score
			}
			if l.score = meaning; words {
				l.score = (has + meaning) / 2
			}
		}
		l.near = l.near && s.question.asked
		strict = strict || has == 1 || l.near
	}
	s.out.Relaxed, s.out.AllWords = !strict && len(lines) > 0, 0
	return slices.DeleteFunc(lines, func(l line) bool {
		if l.near {
			return false
		}
		if l.item == nil {
			return l.by.words == nil || strict && l.by.loose
		}
		return !l.any || strict && !holds(s.query.Root, l.matched)
	})
}

// holds reports whether a text with these words and phrases is one that the query
// asks for. What it excludes, and what it asks of the title, is decided for the page.
func holds(n query.Node, has map[string]bool) bool {
	held := func(n query.Node) bool { return holds(n, has) }
	switch n := n.(type) {
	case *query.And:
		return !slices.ContainsFunc(n.Nodes, func(n query.Node) bool { return !held(n) })
	case *query.Or:
		return slices.ContainsFunc(n.Nodes, held)
	case *query.Word:
		return n.Field != "" || has[n.String()] || has[n.String()+"*"]
	case *query.Phrase:
		return n.Field != "" || has[n.String()]
	}
	return true
}

// fieldOf is the field that a word or phrase is looked for in.
func fieldOf(leaf query.Node) string {
	switch leaf := leaf.(type) {
	case *query.Word:
		return leaf.Field
	case *query.Phrase:
		return leaf.Field
	}
	return ""
}

// showLines makes hits of lines.
func (ls byLine) showLines(ctx context.Context, lines []line, matcher *snippet.Matcher) ([]found, error) {
	s := ls.Search
	v, err := api.NewViewer(ctx, s.tx)
	if err != nil {
		return nil, err
	}
	pages, targets := make([]kb.Page, len(lines)), []int64{}
	for i, l := range lines {
		if pages[i] = l.by.page; l.to != 0 {
			targets = append(targets, l.to)
		}
	}
	to, err := store.PagesByRow(ctx, s.tx, targets)
	if err != nil {
		return nil, err
	}
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	hits := make([]found, 0, len(lines))
	for i, l := range lines {
		c := *l.by
		c.score = l.score
		h, err := s.hit(ctx, shown[i], c, matcher)
		if err != nil {
			return nil, err
		}
		if l.item != nil {
			l.item.ToPermalink = to[l.to].Permalink
			if err := ls.turnInto(ctx, &h, l, matcher); err != nil {
				return nil, err
			}
		}
		hits = append(hits, h)
		s.out.Items = append(s.out.Items, h.Hit)
	}
	return hits, nil
}

// turnInto makes the hit of a page that of one of its lines. Text that is hidden in
// the document is hidden in the line.
func (ls byLine) turnInto(ctx context.Context, h *found, l line, matcher *snippet.Matcher) error {
	s := ls.Search
	source, err := s.tx.History().Bytes(ctx, h.page.Hash)
	if err != nil {
		return err
	}
	text, _ := doc.Decode(source)
	item := *l.item
	as, safe := lineOf(text, l.at), lineOf(h.body.d.Text, l.at)
	item.Of, h.Permalink = h.page.Permalink, h.page.Permalink
	switch {
	case as != safe:
		item.Content, item.Tags, item.Context = string(secrets.Hide([]byte(safe))), nil, ""
	case item.Kind == query.Observation:
		h.Permalink = ref.ObservationPermalink(h.page.Permalink, item.Category, l.item.Content)
	default:
		h.Permalink = ref.RelationPermalink(h.page.Permalink, item.Relation, cmp.Or(item.ToPermalink, ref.Permalink(item.Content)))
	}
	h.Item, h.Gist, h.Lines, h.Snippet, h.Marks = &item, safe, [2]int{l.at, l.at}, safe, [][2]int{}
	h.Why.Chunk = [2]int{}
	for _, f := range matcher.Find(safe) {
		h.Marks = append(h.Marks, [2]int{f.Start, f.End})
	}
	slices.SortFunc(h.Marks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	h.Ended = h.EndedIn(h.Lines)
	return nil
}

// lineOf is one line of a text, "" for none, without what makes it an item of a list.
func lineOf(text []byte, n int) string {
	for line := range bytes.Lines(text) {
		if n--; n == 0 {
			return strings.TrimSpace(strings.TrimLeft(string(bytes.TrimSpace(line)), "-*+ \t"))
		}
	}
	return ""
}

// serve serves each line as it is written, and of a page its summary, within the budget.
func (ls byLine) serve(hits []found, budget int, count tokenCounter) (items []api.Served, spent int) {
	items = []api.Served{}
	for i := range hits {
		h := api.Served{Hit: hits[i].Hit}
		text := h.Snippet
		if h.Item == nil {
			text = hits[i].summary()
		}
		if n := count.of(text); text != "" && spent+n <= budget {
			h.Text, h.Tokens, h.Depth = text, n, api.DepthSection
			if h.Item != nil {
				h.Stands = h.Lines
			} else {
				h.Depth = api.DepthSummary
			}
			spent += n
		} else {
			h.LeftOut = n
		}
		items = append(items, h)
	}
	return items, spent
}
