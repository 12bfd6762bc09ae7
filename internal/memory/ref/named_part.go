package ref

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Named is the page and the part that a ref such as "Page#Heading" or
// "Page#^block" refers to.
type Named struct {
	Page kb.Page
	Name string // of the page, as in the ref
	Part string // heading or "^block" within the page, "" for the whole of it
}

// WithPart resolves a ref to a page or to a part of one, with Resolve or
// ResolveToChange. A page with # in its name takes precedence.
func WithPart(ctx context.Context, tx store.Tx, raw string, resolve func(context.Context, store.Tx, string) (kb.Page, error)) (Named, error) {
	page, missing := resolve(ctx, tx, raw)
	if id, ok := Block(raw); ok && missing == nil && string(page.ID) != id {
		return Named{Page: page, Name: raw, Part: "^" + id}, nil
	}
	if kb.CodeOf(missing) != kb.NotFound {
		return Named{Page: page, Name: raw}, missing
	}
	for at := strings.LastIndexByte(raw, '#'); at > 0; at = strings.LastIndexByte(raw[:at], '#') {
		name, part := strings.TrimSpace(raw[:at]), strings.TrimSpace(raw[at+1:])
		if name == "" || part == "" {
			continue
		}
		page, err := resolve(ctx, tx, name)
		if kb.CodeOf(err) != kb.NotFound {
			return Named{page, name, part}, err
		}
	}
	return Named{}, missing
}

// Block returns the block id in a ref such as "((UUID))".
func Block(raw string) (id string, ok bool) {
	key, ok := link.RefKey(strings.TrimSpace(raw))
	return strings.TrimPrefix(key, "^"), ok && strings.HasPrefix(key, "^")
}

// maxAlike limits the pages that are examined for a name within their title.
const maxAlike = 200

// titledAlike returns the pages of a space with a name in their title: those with
// titles that begin with it first, and of these the shortest.
func titledAlike(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	name = strings.TrimSpace(name)
	if in.Row == 0 || len(name) < 2 {
		return nil, nil
	}
	pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{in.Row}, Titles: []string{name}}, store.BySlug, maxAlike, 0)
	begins := func(p kb.Page) int {
		if strings.HasPrefix(kb.NameKey(p.Title), kb.NameKey(name)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(pages, func(a, b kb.Page) int {
		return cmp.Or(begins(a)-begins(b), cmp.Compare(len(a.Title), len(b.Title)))
	})
	return pages, err
}

// Meant returns the pages of a space for a name as a reader types it: pages with
// exactly this name, else pages with this name after leading symbols.
func Meant(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	found, err := ByName(ctx, tx, name, in)
	if len(found) > 0 || err != nil {
		return found, err
	}
	return adorned(ctx, tx, name, in)
}

// adorned returns the pages with a name after leading symbols.
func adorned(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	key := kb.NameKey(name)
	found, err := tx.Pages().ByNames(ctx, in.Row, []string{key})
	return slices.DeleteFunc(found[key], func(p kb.Page) bool { return !link.Adorned(name, linked(p)) }), err
}

// linked returns the names of a page for link resolution.
func linked(p kb.Page) link.Page {
	return link.Page{Row: p.Row, ID: p.ID, Path: p.Path, Node: p.Node, Title: p.Title, Aliases: p.Aliases}
}
