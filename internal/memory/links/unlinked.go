package links

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// maxNamed is how many lines are listed for a page with unlinked mentions.
const maxNamed = 10

// Unlinked lists the names of pages that occur in texts of the current space as
// plain words, in pages without a link to the named one: those that most pages
// mention first. With a page it reads its text alone. Mentions in code,
// addresses and metadata do not count, nor do names of fewer than three
// letters.
func Unlinked(ctx context.Context, sess *memory.Session, page *kb.Page, limit, offset int) (out api.List[api.UnlinkedName], err error) {
	out.Items = []api.UnlinkedName{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := about(ctx, sess, tx, page)
		if err != nil {
			return err
		}
		all, _, err := tx.Pages().List(ctx, store.Filter{Spaces: spaces}, store.BySlug, -1, 0)
		if err != nil {
			return err
		}
		names := make([][]string, len(all))
		for i, p := range all {
			names[i] = slices.DeleteFunc(append([]string{p.Title}, p.Aliases...), func(name string) bool { return !link.IsSpecific(name) })
		}
		x := &unlinked{tx: tx, codecs: sess.Codecs, pages: all, names: link.NewFinder(names), by: map[int64]int{}}
		for i := range all {
			if page != nil && all[i].Row != page.Row {
				continue
			}
			if err := x.read(ctx, i); err != nil {
				return err
			}
		}
		slices.SortStableFunc(x.found, func(a, b named) int {
			return cmp.Or(cmp.Compare(x.by[b.to.Row], x.by[a.to.Row]), strings.Compare(a.to.Slug, b.to.Slug))
		})
		out.Total = len(x.found)
		shown := x.found[min(max(offset, 0), len(x.found)):]
		shown = shown[:min(api.Limit(limit), len(shown))]
		for _, f := range shown {
			out.Items = append(out.Items, api.UnlinkedName{From: f.from.Ref(), To: f.to.Ref(), Title: f.to.Title, Lines: f.lines})
		}
		out.Next = api.Next(offset, len(shown), out.Total)
		return nil
	})
	return out, err
}

// about is the space of a page, or what the question is about.
func about(ctx context.Context, sess *memory.Session, tx store.Tx, page *kb.Page) ([]int64, error) {
	if page == nil {
		return sess.Spaces.ScopeTx(ctx, tx, false)
	}
	s, err := space.OfPage(ctx, tx, *page)
	return []int64{s.Row}, err
}

// named is a page with its name in another one.
type named struct {
	from, to kb.Page
	lines    []int
}

// unlinked looks for names.
type unlinked struct {
	tx     store.Tx
	codecs []doc.Codec
	pages  []kb.Page
	names  *link.Finder
	found  []named
	by     map[int64]int // how many pages name a page

	last *doc.Document // that was read last
	of   kb.ID         // its space
}

// read looks for names in the text of a page.
func (x *unlinked) read(ctx context.Context, at int) error {
	p := x.pages[at]
	d, node, err := x.document(ctx, p)
	if err != nil || node < 0 {
		return err
	}
	lines := x.names.In(string(prose(d, node)))
	if len(lines) == 0 {
		return nil
	}
	edges, err := x.tx.Links().EdgesFrom(ctx, []int64{p.Row})
	if err != nil {
		return err
	}
	linked := map[int64]bool{p.Row: true}
	for _, e := range edges {
		linked[e.To] = true
	}
	for _, i := range slices.Sorted(maps.Keys(lines)) {
		other := x.pages[i]
		if linked[other.Row] {
			continue
		}
		x.by[other.Row]++
		x.found = append(x.found, named{p, other, lines[i][:min(len(lines[i]), maxNamed)]})
	}
	return nil
}

// document reads the document of a page, and returns the page's place in it; -1 where it
// has none.
func (x *unlinked) document(ctx context.Context, p kb.Page) (*doc.Document, int, error) {
	if x.last == nil || x.last.Path != p.Path || x.of != p.SpaceID {
		text, err := x.tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return nil, -1, err
		}
		x.last, x.of = doc.ForNote(x.codecs, p.Syntax, p.Path).Parse(p.Path, text), p.SpaceID
	}
	if p.Node == "" {
		return x.last, 0, nil
	}
	return x.last, slices.IndexFunc(x.last.Nodes, func(n doc.Node) bool { return n.ID == p.Node }), nil
}

// prose is the text of a node with blanks instead of everything but its own
// prose: nested pages, metadata, links, code and addresses. Line numbers stay
// the same.
func prose(d *doc.Document, node int) []byte {
	n := d.Nodes[node]
	out := bytes.Repeat([]byte{' '}, len(d.Text))
	for i, c := range d.Text {
		if c == '\n' {
			out[i] = c
		}
	}
	for _, s := range d.Shown(node, n.Span) {
		copy(out[s.Start:s.End], d.Text[s.Start:s.End])
	}
	blank := func(s doc.Span) {
		for i := s.Start; i < s.End; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	blank(n.Head)
	for _, l := range n.Links {
		blank(l.Span)
	}
	for _, r := range n.Relations {
		blank(r.Target.Span)
	}
	blankCode(out, blank)
	for _, at := range address().FindAllIndex(out, -1) {
		blank(doc.Span{Start: at[0], End: at[1]})
	}
	return out
}

var (
	address = lazyregexp.New(`[a-zA-Z][a-zA-Z0-9+.-]*://\S+`)
	inTicks = lazyregexp.New("`+[^`\n]+`+")
	opens   = lazyregexp.New("(?i)^\\s*(```+|~~~+|#\\+begin_(?:src|example|export)\\b)")
)

// blankCode blanks blocks of code and code within lines.
func blankCode(text []byte, blank func(doc.Span)) {
	closing, at := "", 0
	for line := range bytes.Lines(text) {
		span := doc.Span{Start: at, End: at + len(line)}
		at = span.End
		begun := strings.ToLower(strings.TrimSpace(string(line)))
		switch m := opens().FindSubmatch(line); {
		case closing != "":
			if strings.HasPrefix(begun, closing) {
				closing = ""
			}
			blank(span)
		case m != nil:
			if closing = strings.ToLower(string(m[1])); closing[0] == '#' {
				closing = strings.Replace(closing, "begin_", "end_", 1)
			}
			blank(span)
		default:
			for _, in := range inTicks().FindAllIndex(line, -1) {
				blank(doc.Span{Start: span.Start + in[0], End: span.Start + in[1]})
			}
		}
	}
}
