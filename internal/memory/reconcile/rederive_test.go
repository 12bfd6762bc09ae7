package reconcile_test

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/store"
)

// The rows that other rules derived are derived again, once, without a version.
func TestSyncDerivesAgainByNewRules(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := writetest.New(t)
	s := m.Space("notes", m.Files(map[string]string{"2023-05-06.md": "rain\n"}))
	sync1(t, m, s, reconcile.Options{})
	recorded := m.Pages(s)["2023-05-06.md"]
	derivation := func(change func(*kb.Space)) (n int) {
		t.Helper()
		if err := m.DB.Update(ctx, func(tx store.Tx) error {
			all, err := tx.Spaces().All(ctx)
			if err != nil {
				return err
			}
			n = all[0].Derivation
			change(&all[0])
			return tx.Spaces().Update(ctx, all[0])
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	forget := func() {
		t.Helper()
		if err := m.DB.Update(ctx, func(tx store.Tx) error {
			d, err := tx.Documents().ByPath(ctx, s.Row, "2023-05-06.md")
			if err == nil {
				d, err = tx.Documents().Load(ctx, d.Row)
			}
			if err != nil {
				return err
			}
			d.Pages[0].Page.Day = ""
			return tx.Documents().Put(ctx, []*store.Document{d})
		}); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	derivation(func(sp *kb.Space) { sp.Derivation = index.Derivation })
	sync1(t, m, s, reconcile.Options{})
	if day := m.Pages(s)["2023-05-06.md"].Day; day != "" {
		t.Errorf("derived again by the same rules: %q", day)
	}
	derivation(func(sp *kb.Space) { sp.Derivation = 0 })
	sync1(t, m, s, reconcile.Options{})
	if now := m.Pages(s)["2023-05-06.md"]; now.Day != "2023-05-06" || now.Version != recorded.Version || now.ID != recorded.ID {
		t.Errorf("%+v, was %+v", now, recorded)
	}
	if n := derivation(func(*kb.Space) {}); n != index.Derivation {
		t.Errorf("derivation %d", n)
	}
}
