package contradiction

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// rivals returns the pages that state the same exclusive predicate and object, and
// those on either side of an inverse predicate: in a whole space, or only those
// involving pages of in.
func (f *found) rivals(ctx context.Context, in store.Claimants) ([]int64, error) {
	types := map[string]bool{}
	for key := range f.rules.Exclusive {
		key = strings.TrimPrefix(key, "is-")
		types[key], types["is-"+key] = true, true
	}
	for key := range f.rules.Inverse {
		types[key], types["has-"+key] = true, true
	}
	if len(types) == 0 {
		return nil, nil
	}
	links, err := f.tx.Claims().Typed(ctx, in, types)
	if err != nil {
		return nil, err
	}
	if in.Pages == nil { // all assertions are read
		return f.stating(links), nil
	}
	objects, err := f.exclusiveObjects(ctx, in, links)
	if err != nil || len(objects) == 0 {
		return nil, err
	}
	if links, err = f.tx.Claims().Typed(ctx, store.Claimants{Space: in.Space, Pages: objects}, types); err != nil {
		return nil, err
	}
	asserted, err := f.assertedOf(ctx, objects)
	return slices.Concat(f.stating(links), asserted, objects), err
}

// stating returns the pages with links, and those that an inverse predicate refers
// to.
func (f *found) stating(links []kb.Link) (out []int64) {
	for _, l := range links {
		inverse := f.rules.InverseOf(l.Type) != ""
		if l.To != 0 || inverse {
			out = append(out, l.From)
		}
		if l.To != 0 && inverse {
			out = append(out, l.To)
		}
	}
	return out
}

// exclusiveObjects returns the objects of exclusive predicates that pages of in
// state, or are.
func (f *found) exclusiveObjects(ctx context.Context, in store.Claimants, links []kb.Link) ([]int64, error) {
	objects := map[int64]bool{}
	for _, l := range links {
		objects[l.To] = l.To != 0
		if f.rules.InverseOf(l.Type) != "" {
			objects[l.From] = true
		}
	}
	all, err := f.assertions(ctx, in)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a kb.Assertion) bool { return !f.rules.IsExclusive(a.Predicate) })
	values, rows := make([]kb.Property, len(all)), make([]int64, len(all))
	for i, a := range all {
		values[i], rows[i] = kb.Property{Page: a.Page, Text: a.Object}, a.Page
	}
	if err := f.load(ctx, rows); err != nil {
		return nil, err
	}
	led, err := index.LeadValues(ctx, f.tx, f.space.Row, f.pages, values)
	for _, l := range led {
		objects[l.To] = l.To != 0
	}
	if err != nil {
		return nil, err
	}
	if len(f.rules.Inverse) > 0 { // pages with an assertion about one of them
		pages, err := f.assertedOf(ctx, in.Pages)
		if err != nil {
			return nil, err
		}
		for _, row := range pages {
			objects[row] = true
		}
	}
	for _, row := range in.Pages {
		objects[row] = true
	}
	delete(objects, 0)
	return slices.Sorted(maps.Keys(objects)), nil
}

// assertedOf returns the pages with assertions of exclusive predicates about
// objects.
func (f *found) assertedOf(ctx context.Context, objects []int64) (out []int64, err error) {
	if err := f.load(ctx, objects); err != nil {
		return nil, err
	}
	var keys []string
	for _, row := range objects {
		p := f.pages[row]
		keys = append(keys, string(p.ID))
		keys = append(keys, link.Names(link.Page{Path: p.Path, Node: p.Node, Title: p.Title, Aliases: p.Aliases})...)
	}
	keys = link.KeysAbroad(f.space.Name, keys)
	all, err := f.tx.Assertions().List(ctx, store.AssertionFilter{Spaces: []int64{f.space.Row}, Objects: keys})
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if f.rules.IsExclusive(a.Predicate) || f.rules.InverseOf(a.Predicate) != "" {
			out = append(out, a.Page)
		}
	}
	if len(f.rules.Inverse) == 0 {
		return out, nil
	}
	all, err = f.tx.Assertions().List(ctx, store.AssertionFilter{Spaces: []int64{f.space.Row}, Subjects: keys})
	for _, a := range all {
		if f.rules.InverseOf(a.Predicate) != "" {
			out = append(out, a.Page)
		}
	}
	return out, err
}
