package doctor

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// counted notes for which spaces links are counted.
type counted struct {
	store.Links
	of []string
}

func (c *counted) Count(ctx context.Context, spaces []int64) (store.LinkCounts, error) {
	c.of = append(c.of, fmt.Sprint(spaces))
	return c.Links.Count(ctx, spaces)
}

type counting struct {
	store.Tx
	links *counted
}

func (c counting) Links() store.Links { return c.links }

// The links of a space are the same whichever way they are counted, and those of a
// large one are counted without reading its pages.
func TestLinksOfALargeSpaceAreCountedByTheOthers(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	sync := func(name string, files map[string]string) int64 {
		space := m.Space(name, m.Files(files))
		s := &reconcile.Syncer{Writer: m.Writer, Workers: 1, Rules: vault.Rules{Extensions: []string{".md"}}}
		if _, err := s.Sync(t.Context(), space, reconcile.Options{}); err != nil {
			t.Fatal(err)
		}
		return space.Row
	}
	asked := func(space int64) (n store.LinkCounts, of string) {
		t.Helper()
		err := m.DB.View(t.Context(), func(tx store.Tx) error {
			c := &counted{Links: tx.Links()}
			var err error
			if n, err = linksIn(t.Context(), counting{tx, c}, space); err != nil {
				return err
			}
			want, err := tx.Links().Count(t.Context(), []int64{space})
			if n != want || n.Links == 0 {
				t.Errorf("space %d has %+v, counted by itself %+v", space, n, want)
			}
			of = fmt.Sprint(c.of)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n, of
	}
	large := sync("large", map[string]string{
		"a.md": "[[b]] [[nowhere]] [[x]]\n", "b.md": "[[a]]\n", "c/x.md": "x\n", "d/x.md": "x\n", "e.md": "e\n",
	})
	if n, of := asked(large); of != "[[]]" || n.Ambiguous != 1 || n.Unresolved != 1 {
		t.Errorf("alone it has %+v, of %s", n, of)
	}
	small := sync("little", map[string]string{"s.md": "[[nothing]] [[t]]\n", "t.md": "t\n"})
	if _, of := asked(large); of != fmt.Sprintf("[[] [%d]]", small) {
		t.Errorf("the large space is counted by %s", of)
	}
	if _, of := asked(small); of != fmt.Sprintf("[[%d]]", small) {
		t.Errorf("the small space is counted by %s", of)
	}
}
