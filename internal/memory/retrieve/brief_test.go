package retrieve

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// otherSearch is a transaction in which a search of another caller forgets what is remembered,
// while pages are read.
type otherSearch struct {
	store.Tx
	of *briefPages
}

type readPages struct {
	store.Pages
	of *briefPages
}

func (o otherSearch) Pages() store.Pages { return readPages{nil, o.of} }

func (o readPages) Get(_ context.Context, rows []int64) (out []kb.Page, err error) {
	o.of.by = nil
	for _, row := range rows {
		out = append(out, kb.Page{Row: row, Slug: "read"})
	}
	return out, nil
}

// A page that was known when the others began to be read is counted.
func TestKnownPagesAreNotLost(t *testing.T) {
	t.Parallel()
	b := &briefPages{by: map[int64]briefPage{1: {slug: "known"}}}
	page, err := b.read(context.Background(), otherSearch{of: b}, []int64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range map[int64]string{1: "known", 2: "read"} {
		if p, ok := page(row); !ok || p.Slug != want {
			t.Errorf("page %d is %q, %v", row, p.Slug, ok)
		}
	}
}
