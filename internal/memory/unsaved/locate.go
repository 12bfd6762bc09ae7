package unsaved

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Place is a span of a text.
type Place struct {
	*Text
	Span doc.Span
	Node int // of the document
}

// Locate returns the place of a page, or of a heading or block in it; the start of
// the page if that part does not exist. A page of a database has no file.
func (r Reader) Locate(ctx context.Context, p kb.Page, heading, block string) (Place, error) {
	t, node, err := r.Load(ctx, p)
	if err != nil {
		return Place{}, err
	}
	n := &t.Document.Nodes[node]
	if span, ok := Part(t.Document, n, heading, block); ok {
		return Place{t, span, node}, nil
	}
	if n.Heading >= 0 {
		return Place{t, n.Headings[n.Heading].Line, node}, nil
	}
	return Place{t, doc.Span{Start: n.Span.Start, End: n.Span.Start}, node}, nil
}

// Part returns the line of the heading or the block of a node in a link's target;
// ok is false if it does not exist.
func Part(d *doc.Document, n *doc.Node, heading, block string) (doc.Span, bool) {
	if block != "" {
		if span, err := d.Block(n, block); err == nil {
			return span, true
		}
		heading = cmp.Or(heading, block)
	}
	if heading == "" {
		return doc.Span{}, false
	}
	if i, err := n.Section(heading); err == nil {
		return n.Headings[i].Line, true
	}
	key := kb.NameKey(heading)
	for _, h := range n.Headings { // in Obsidian's form, or one of several
		if kb.NameKey(h.Text) == key || h.Text == heading {
			return h.Line, true
		}
	}
	return doc.Span{}, false
}

// maxPlaces limits the listed links to a page. Nobody reads a longer list.
const maxPlaces = 2000

// Backlinks returns the links to pages for which want returns true, by space and
// path of the texts that contain them. For an open text, they are those in the
// editor.
func (r Reader) Backlinks(ctx context.Context, pages []kb.Page, want func(Link) bool) (out []Place, err error) {
	to := map[int64]bool{}
	for _, p := range pages {
		to[p.Row] = true
	}
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := r.Session.Spaces.AllTx(ctx, tx)
		if err != nil {
			return err
		}
		type document struct {
			space kb.ID
			path  string
		}
		seen := map[document]bool{}
		texts := map[kb.ID][]*Text{}
		add := func(t *Text) {
			if at := (document{t.Space.ID, t.Path}); !seen[at] {
				seen[at] = true
				texts[t.Space.ID] = append(texts[t.Space.ID], t)
			}
		}
		for _, t := range r.Open {
			add(t)
		}
		for _, p := range pages {
			ends, err := tx.Links().To(ctx, p.Row)
			if err != nil {
				return err
			}
			for _, e := range ends[:min(len(ends), maxPlaces)] {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if seen[document{e.Page.SpaceID, e.Page.Path}] {
					continue
				}
				t, err := r.load(ctx, tx, spaces, e.Page)
				if kb.CodeOf(err) == kb.NotFound {
					continue // its text was pruned, or its space was removed
				}
				if err != nil {
					return err
				}
				add(t)
			}
		}
		for _, list := range texts {
			resolved, err := resolve(ctx, tx, list)
			if err != nil {
				return err
			}
			for _, t := range resolved {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				for _, l := range t.Links {
					if to[l.To] && want(l) {
						out = append(out, Place{t, l.Target.Span, l.Node})
					}
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Space.Name, b.Space.Name), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	return out, err
}

// Linking returns the number of links to a page.
func (r Reader) Linking(ctx context.Context, p kb.Page) (n int, err error) {
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		edges, err := tx.Links().EdgesTo(ctx, []int64{p.Row})
		for _, e := range edges {
			if e.From != p.Row {
				n++
			}
		}
		return err
	})
	return n, err
}
