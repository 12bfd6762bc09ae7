package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// SharedID is an id that occurs in several places of a space, such as a note and a
// conflict copy from a sync program. One page has it; the others have different ids
// until it is removed from them.
type SharedID struct {
	ID     kb.ID
	Has    string   // place of the page with the id: its path, for a heading with the line
	Others []string // the other places
}

// String returns the places of the id, and the page that has it.
func (s SharedID) String() string {
	places := append([]string{s.Has}, s.Others...)
	last := len(places) - 1
	return fmt.Sprintf("the id %s is in %s and %s: the page of %s has it", s.ID, strings.Join(places[:last], ", "), places[last], s.Has)
}

// StandsIn reports whether the id occurs in the document at path.
func (s SharedID) StandsIn(path string) bool {
	in := func(place string) bool { return place == path || strings.HasPrefix(place, path+":") }
	return in(s.Has) || slices.ContainsFunc(s.Others, in)
}

// SharedIDs returns the ids that occur in several places of a space, sorted by the
// place of the page that has each.
func SharedIDs(ctx context.Context, tx store.Tx, space int64) ([]SharedID, error) {
	ids, err := tx.Pages().Shared(ctx, space)
	if err != nil {
		return nil, err
	}
	return SharedOf(ctx, tx, space, ids)
}

// SharedOf returns those of ids that occur in several places of a space, sorted
// likewise.
func SharedOf(ctx context.Context, tx store.Tx, space int64, ids []kb.ID) ([]SharedID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	declarations, err := tx.Pages().Declared(ctx, space, ids)
	return sharedAmong(declarations), err
}

// SharedWith returns the ids of these documents that also occur elsewhere in
// the space, or twice in them. The documents may be indexed already; index
// entries under their paths, and under the paths that they leave, are ignored.
func SharedWith(ctx context.Context, tx store.Tx, space int64, docs []*Derived, left []string) ([]SharedID, error) {
	var (
		own []store.Declaration
		ids []kb.ID
	)
	paths := make(map[string]bool, len(left)+len(docs))
	for _, path := range left {
		paths[path] = true
	}
	for _, d := range docs {
		paths[d.Record.Path] = true
		for _, p := range d.Record.Pages {
			if p.Declared == "" {
				continue
			}
			p.Page.Path = d.Record.Path // the index only fills in the path when it is read
			if p.Page.ID == "" && p.Page.Node == "" {
				p.Page.ID = d.Record.ID // the present id of the document
			}
			own, ids = append(own, store.Declaration{Page: p.Page, Declared: p.Declared}), append(ids, p.Declared)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	others, err := tx.Pages().Declared(ctx, space, ids)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(d store.Declaration) bool { return paths[d.Page.Path] })
	return sharedAmong(append(others, own...)), nil
}

// sharedAmong returns the ids that several of the declarations contain.
func sharedAmong(declarations []store.Declaration) []SharedID {
	slices.SortFunc(declarations, byClaim)
	var out []SharedID
	for from := 0; from < len(declarations); {
		to := from + 1
		for to < len(declarations) && declarations[to].Declared == declarations[from].Declared {
			to++
		}
		if to-from > 1 {
			out = append(out, shared(declarations[from:to]))
		}
		from = to
	}
	slices.SortFunc(out, func(a, b SharedID) int { return cmp.Or(cmp.Compare(a.Has, b.Has), cmp.Compare(a.ID, b.ID)) })
	return out
}

// shared describes an id declared several times; the first of declarations by
// claim has it.
func shared(declarations []store.Declaration) SharedID {
	s := SharedID{ID: declarations[0].Declared, Has: standsAt(declarations[0].Page)}
	for _, d := range declarations[1:] {
		s.Others = append(s.Others, standsAt(d.Page))
	}
	return s
}

func standsAt(p kb.Page) string {
	if p.Node == "" {
		return p.Path
	}
	return fmt.Sprintf("%s:%d", p.Path, p.Line)
}

// byClaim sorts declarations by id, and those of one id by precedence: the page
// that has it, then the one with the shortest path, then the first in byte order,
// then in the file.
func byClaim(a, b store.Declaration) int {
	return cmp.Or(
		cmp.Compare(a.Declared, b.Declared),
		compareBool(b.Page.ID == b.Declared, a.Page.ID == a.Declared),
		cmp.Compare(len(a.Page.Path), len(b.Page.Path)),
		cmp.Compare(a.Page.Path, b.Page.Path),
		cmp.Compare(a.Page.Line, b.Page.Line),
	)
}

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
