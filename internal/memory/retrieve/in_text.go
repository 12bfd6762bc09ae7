package retrieve

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/store"
)

// textTime is for how long a search reads pages for the filters that their texts decide.
const textTime = 2 * time.Second

// inText keeps of pages those with a text that meets a filter. Where reading them takes too
// long, the others are left out, and a note reports it.
func (s *Search) inText(ctx context.Context, rows []int64, x query.Filter) ([]int64, error) {
	test := newTextTest(x, s.engine.Now())
	candidates := rows
	if _, all := test.node.(*query.All); !all {
		met, err := s.engine.Index.Text().Matching(ctx, s.tx.Lexical(), required(test.node), lexical.Options{Allowed: lexical.NewIDs(rows...)})
		if err != nil {
			return nil, err
		}
		if met != nil {
			candidates = slices.DeleteFunc(slices.Clone(rows), func(row int64) bool { return !met.Contains(row) })
		}
	}
	if test.key == query.Task || test.key == query.TaskTodo || test.key == query.TaskDone {
		having, err := s.withTasks(ctx, test.key)
		if err != nil {
			return nil, err
		}
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(row int64) bool { return !having[row] })
	}
	limited, cancel := context.WithTimeout(ctx, textTime)
	defer cancel()
	found, unread, long := map[int64]bool{}, lexical.NewIDs(), 0
	pages, err := store.PagesByRow(ctx, s.tx, candidates)
	if err != nil {
		return nil, err
	}
	for i, row := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.textOver = s.textOver || limited.Err() != nil; s.textOver {
			s.note("%s: %d of %d pages were read in %v; the others are left out", &x, i, len(candidates), textTime)
			for _, row := range candidates[i:] {
				unread.Add(row)
				s.unread[row] = true
			}
			break
		}
		p := pages[row]
		text, err := s.tx.History().Bytes(ctx, p.Hash)
		if kb.CodeOf(err) == kb.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !test.fits(len(text)) {
			unread.Add(row)
			s.unread[row] = true
			long++
			continue
		}
		if s.meetsText(p, text, test) {
			found[row] = true
		}
	}
	if long > 0 {
		s.note("%s: %d of %d pages are too long for this regular expression; they are left out", &x, long, len(candidates))
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row int64) bool { return unread.Contains(row) || found[row] == x.Not }), nil
}

// withTasks returns the pages that have a task of a kind.
func (s *Search) withTasks(ctx context.Context, kind query.Key) (map[int64]bool, error) {
	f := store.ItemFilter{Kind: kb.TaskItem}
	for _, sp := range s.spaces {
		f.Pages.Spaces = append(f.Pages.Spaces, sp.Row)
	}
	if done := kind == query.TaskDone; kind != query.Task {
		f.Done = &done
	}
	items, _, err := s.tx.Items().List(ctx, f, math.MaxInt32, 0)
	having := map[int64]bool{}
	for _, it := range items {
		having[it.Page.Row] = true
	}
	return having, err
}

// meetsText reports whether the text of a page, as it is shown, meets a test.
func (s *Search) meetsText(p kb.Page, source []byte, test *textTest) bool {
	text, _ := doc.Decode(source)
	if test.key == query.Regex && !test.holds(string(text)) {
		return false // without reading its structure
	}
	d := doc.ForNote(s.engine.Codecs, p.Syntax, p.Path).Parse(p.Path, secrets.Hide(text))
	return slices.ContainsFunc(test.parts(newPageText(d, nodeOf(d, p))), test.holds)
}

// textTest is what a part of a page must hold.
type textTest struct {
	key     query.Key
	node    query.Node // *query.All for no words
	matcher *snippet.Matcher
	regexes []regexTest
}

type regexTest struct {
	*query.Expression
	not bool
}

func newTextTest(x query.Filter, now time.Time) *textTest {
	t := &textTest{key: x.Key, node: &query.All{}}
	regexes := []query.Filter{{Key: query.Regex, Value: x.Value}}
	if x.Key != query.Regex {
		t.node, regexes = query.Part(x.Value, now)
	}
	t.matcher = snippet.NewMatcher(&query.And{Nodes: leavesOf(t.node)})
	for _, f := range regexes {
		if re, err := query.CompileRegex(f.Value); err == nil { // as the parser has checked
			t.regexes = append(t.regexes, regexTest{re, f.Not})
		}
	}
	return t
}

// fits reports whether a text of n bytes can be matched in time.
func (t *textTest) fits(n int) bool {
	return !slices.ContainsFunc(t.regexes, func(re regexTest) bool { return !re.Fits(n) })
}

// parts returns the parts of a page and the filter must hold in one of them.
func (t *textTest) parts(page *pageText) (out []string) {
	text := page.rawLines()
	switch t.key {
	case query.Line:
		for line := range bytes.Lines(text) {
			out = append(out, strings.TrimRight(string(line), "\r\n"))
		}
	case query.Block:
		start := 0
		for at := 0; at < len(text); {
			end := doc.LineEnd(text, at)
			if doc.Blank(text[at:end]) {
				out, start = append(out, string(text[start:at])), end
			}
			at = end
		}
		out = append(out, string(text[start:]))
	case query.Section:
		heads := []int{}
		for _, h := range page.n.Headings {
			heads = append(heads, doc.LineAt(page.d.Text, h.Line.Start))
		}
		var section strings.Builder
		n := 0
		for line := range bytes.Lines(text) {
			if n++; slices.Contains(heads, n) {
				out = append(out, section.String())
				section.Reset()
			}
			section.Write(line)
		}
		out = append(out, section.String())
	case query.Task, query.TaskTodo, query.TaskDone:
		for _, task := range page.n.Tasks {
			if t.key == query.Task || task.Done == (t.key == query.TaskDone) {
				out = append(out, task.Text)
			}
		}
	default:
		out = []string{string(text)}
	}
	return out
}

// holds reports whether a text has the words and matches the expressions.
func (t *textTest) holds(text string) bool {
	for _, re := range t.regexes {
		if re.MatchString(text) == re.not {
			return false
		}
	}
	has := map[string]bool{}
	for _, f := range t.matcher.Find(text) {
		has[f.Leaf] = true
	}
	return heldBy(t.node, has)
}

// heldBy is holds for a part of a page, about which exclusions are as well.
func heldBy(n query.Node, has map[string]bool) bool {
	held := func(n query.Node) bool { return heldBy(n, has) }
	switch n := n.(type) {
	case *query.And:
		return !slices.ContainsFunc(n.Nodes, func(n query.Node) bool { return !held(n) })
	case *query.Or:
		return slices.ContainsFunc(n.Nodes, held)
	case *query.Not:
		return !held(n.Node)
	}
	return holds(n, has)
}

// leavesOf returns the words and phrases of a tree, also the excluded ones.
func leavesOf(n query.Node) (out []query.Node) {
	switch n := n.(type) {
	case *query.And:
		for _, c := range n.Nodes {
			out = append(out, leavesOf(c)...)
		}
	case *query.Or:
		for _, c := range n.Nodes {
			out = append(out, leavesOf(c)...)
		}
	case *query.Not:
		return leavesOf(n.Node)
	case *query.Word, *query.Phrase:
		return []query.Node{n}
	}
	return out
}

// required returns a tree without exclusions, which are about one part of a page.
func required(n query.Node) query.Node {
	switch n := n.(type) {
	case *query.And:
		out := &query.And{}
		for _, c := range n.Nodes {
			out.Nodes = append(out.Nodes, required(c))
		}
		return out
	case *query.Or:
		out := &query.Or{}
		for _, c := range n.Nodes {
			out.Nodes = append(out.Nodes, required(c))
		}
		return out
	case *query.Not, *query.Filter:
		return &query.All{}
	}
	return n
}

// firstMatch returns the line of a text that the first regular expression of the query matches,
// 0 for none.
func (s *Search) firstMatch(text []byte) int {
	for _, f := range s.query.Filters {
		if f.Key != query.Regex || f.Not {
			continue
		}
		re, err := query.CompileRegex(f.Value)
		if err != nil || !re.Fits(len(text)) {
			continue
		}
		if at := re.FindIndex(text); at != nil {
			return doc.LineAt(text, at[0])
		}
	}
	return 0
}
