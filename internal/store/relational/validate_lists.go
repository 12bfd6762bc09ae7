package relational

import (
	"context"
	"fmt"
	"slices"
)

// pageLists are the rows of names and tags of a page.
type pageLists struct{ names, tags []string }

func (l *pageLists) sort() *pageLists {
	slices.Sort(l.names)
	slices.Sort(l.tags)
	return l
}

// tagRow returns a row of tags as one string.
func tagRow(fold, tag string) string { return fmt.Sprintf("%q %q", fold, tag) }

// unlikeLists returns the pages with rows of names and tags that do not match their lists.
func (t *Tx) unlikeLists(ctx context.Context) ([]int64, error) {
	have := map[int64]*pageLists{}
	of := func(page int64) *pageLists {
		if have[page] == nil {
			have[page] = &pageLists{}
		}
		return have[page]
	}
	err := t.query(ctx, "SELECT page, key FROM names", nil, func(r Row) error {
		l := of(r.Int(0))
		l.names = append(l.names, r.Text(1))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = t.query(ctx, "SELECT page, tag_fold, tag FROM tags", nil, func(r Row) error {
		l := of(r.Int(0))
		l.tags = append(l.tags, tagRow(r.Text(1), r.Text(2)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var unlike []int64
	err = t.query(ctx, "SELECT row, names, tags FROM pages ORDER BY row", nil, func(r Row) error {
		want, err := listsOf(r)
		if got := of(r.Int(0)).sort(); err == nil && (!slices.Equal(got.names, want.names) || !slices.Equal(got.tags, want.tags)) {
			unlike = append(unlike, r.Int(0))
		}
		return err
	})
	return unlike, err
}

// listsOf returns the rows that a page should have, from its columns names and tags, the
// second and third of r. Of tags that differ only in case, the first counts.
func listsOf(r Row) (*pageLists, error) {
	names, err := r.List(1)
	if err != nil {
		return nil, err
	}
	tags, err := r.List(2)
	if err != nil {
		return nil, err
	}
	l, seen := &pageLists{names: names}, map[string]bool{}
	for _, tag := range tags {
		if f := foldText(tag); !seen[f] {
			seen[f] = true
			l.tags = append(l.tags, tagRow(f, tag))
		}
	}
	l.sort()
	l.names = slices.Compact(l.names)
	return l, nil
}

// repeatLists rewrites the rows of names and tags of a page from its lists.
func (t *Tx) repeatLists(ctx context.Context, page int64) error {
	var names, tags []string
	_, err := t.one(ctx, "SELECT names, tags FROM pages WHERE row = ?", []any{page}, func(r Row) {
		names, _ = r.List(0) // unlikeLists has read both
		tags, _ = r.List(1)
	})
	if err != nil {
		return err
	}
	for _, table := range []string{"names", "tags"} {
		if err := t.exec(ctx, "DELETE FROM "+table+" WHERE page = ?", page); err != nil {
			return err
		}
	}
	in := newInserts(t)
	if err := t.putLists(ctx, in, page, names, tags, nil); err != nil {
		return err
	}
	return in.flush(ctx)
}
