package write

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkRelations refuses relations that end before they begin, and overlapping
// ones of one type to one page. Existing faults do not block a change.
func (s *changeSet) checkRelations(ctx context.Context, t *target) error {
	if s.restores() || !t.relates && !bytes.ContainsRune(t.new, '@') {
		return nil // no line has dates
	}
	now, err := s.relationFaults(ctx, t, t.to, t.new)
	if err != nil || len(now) == 0 {
		return err
	}
	var before []relationFault
	if t.exists() {
		if before, err = s.relationFaults(ctx, t, t.path, t.old); err != nil {
			return err
		}
	}
	for _, same := range []func(relationFault) string{relationFault.key, relationFault.kind} {
		now, before = without(now, before, same), without(before, now, same)
	}
	if len(now) == 0 {
		return nil
	}
	return now[0].err(t.to)
}

// without returns the faults beyond the number of equal ones in others.
func without(faults, others []relationFault, same func(relationFault) string) (out []relationFault) {
	had := map[string]int{}
	for _, f := range others {
		had[same(f)]++
	}
	for _, f := range faults {
		if had[same(f)]--; had[same(f)] < 0 {
			out = append(out, f)
		}
	}
	return out
}

// relationFault is an invalid combination of times: one relation that ends
// before it begins, or two that overlap.
type relationFault []kb.Link

// key is the same before and after a change elsewhere.
func (f relationFault) key() string {
	key := f.kind()
	for _, l := range f {
		key += " " + l.Interval().String()
	}
	return key
}

// kind is the same while one of two relations alike ends.
func (f relationFault) kind() string { return fmt.Sprint(len(f), kb.NameKey(f[0].Type)) }

func (s *changeSet) relationFaults(ctx context.Context, t *target, path string, text []byte) (out []relationFault, err error) {
	d := doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text)
	rec := &store.Document{Path: path, Pages: make([]store.PageRecord, len(d.Nodes))}
	lines := doc.NewLines(d.Text)
	dated := map[string]bool{} // types of relations
	for i := range d.Nodes {
		links := index.Relations(&d.Nodes[i], lines)
		rec.Pages[i].Links = links
		for _, l := range links {
			if l.Interval() != (kb.Interval{}) {
				dated[kb.NameKey(l.Type)] = true
			}
		}
		for _, l := range lifecycle.Reversed(links) {
			out = append(out, relationFault{l})
		}
	}
	if !t.relates {
		for i := range rec.Pages {
			rec.Pages[i].Links = slices.DeleteFunc(rec.Pages[i].Links, func(l kb.Link) bool { return !dated[kb.NameKey(l.Type)] })
		}
		if len(dated) == 0 {
			return out, nil
		}
	}
	err = s.w.Memory.View(ctx, func(tx store.Tx) error { return index.Lead(ctx, tx, t.space.Space, []*store.Document{rec}) })
	for i := range rec.Pages {
		for _, o := range lifecycle.Overlaps(rec.Pages[i].Links, t.relates) {
			out = append(out, relationFault{o.First, o.Second})
		}
	}
	return out, err
}

// relationAt names a relation of the page as it would be.
type relationAt struct {
	Line       int    `json:"line"`
	Type       string `json:"type"`
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
}

func (f relationFault) err(path string) error {
	at := make([]relationAt, len(f))
	for i, l := range f {
		at[i] = relationAt{l.Line, l.Type, l.ValidFrom, l.ValidUntil}
	}
	if len(f) == 1 {
		l := f[0]
		return kb.Errorf(kb.Invalid, "%s: the relation in line %d would end in %s, before it begins in %s", path, l.Line, l.ValidUntil, l.ValidFrom).
			WithHint("Nothing was written. Give an end that is not before the start.").With("relations", at)
	}
	return kb.Errorf(kb.Invalid, "%s: two %s relations to one page would hold at the same time: line %d (%s) and line %d (%s)",
		path, f[0].Type, at[0].Line, when(f[0]), at[1].Line, when(f[1])).
		WithHint("Nothing was written. End one before the other begins, or keep only one of them.").With("relations", at)
}

// when describes the interval of a relation.
func when(l kb.Link) string {
	if l.Interval() == (kb.Interval{}) {
		return "no dates"
	}
	return fmt.Sprint("@", l.Interval())
}
