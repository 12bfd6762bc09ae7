package app_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// plant changes the memory's rows behind its back.
func (b *bed) plant(change func(tx store.Tx) error) {
	b.t.Helper()
	ctx := context.Background()
	path := ok[string](b.t)(app.DatabasePath(b.opts))
	db := ok[*sqlite.DB](b.t)(sqlite.Open(ctx, path, sqlite.Options{}))
	if err := db.Update(ctx, change); err != nil {
		b.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.t.Fatal(err)
	}
}

// Every fault that doctor offers to mend is planted, found, mended and not
// found again, and the memory is then what it was before.
func TestDoctorMendsWhatItFinds(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		check string
		deep  bool
		plant func(t *testing.T, b *bed, root string)
	}{
		{"permissions", false, func(t *testing.T, b *bed, _ string) {
			if runtime.GOOS == "windows" {
				t.Skip("permissions are kept otherwise here")
			}
			path := ok[string](t)(app.DatabasePath(b.opts))
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{"default space", false, func(t *testing.T, b *bed, _ string) {
			b.plant(func(tx store.Tx) error { return tx.Settings().Set(ctx, "default_space", "gone") })
		}},
		{"sync garden", false, func(t *testing.T, b *bed, root string) {
			path := filepath.Join(root, "unsynced.md")
			if err := os.WriteFile(path, []byte("later"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"leftovers garden", false, func(t *testing.T, b *bed, root string) {
			if err := os.WriteFile(filepath.Join(root, ".cairn-tmp-0123456789abcdef"), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"full text", false, func(t *testing.T, b *bed, _ string) { // a page is missing
			b.plant(func(tx store.Tx) error { return index.New().DropText(ctx, tx, []int64{1}) })
		}},
		{"full text", false, func(t *testing.T, b *bed, _ string) { // a page is not there
			b.plant(func(tx store.Tx) error {
				texts := lexical.NewBatch()
				texts.Put(lexical.Document{ID: 999})
				return index.New().Text().Apply(ctx, tx.Lexical(), texts)
			})
		}},
		{"index of garden", true, func(t *testing.T, b *bed, _ string) {
			b.plant(func(tx store.Tx) error {
				d, err := tx.Documents().Load(ctx, 1)
				if err != nil {
					return err
				}
				d.Pages[0].Page.Title = "another"
				if err := tx.Documents().Put(ctx, []*store.Document{d}); err != nil {
					return err
				}
				return tx.Links().Put(ctx, []*store.Document{d})
			})
		}},
	} {
		t.Run(tt.check, func(t *testing.T) {
			b := newBed(t)
			root := b.dir("garden", garden())
			a := b.open()
			ok[app.Space](t)(a.SpaceAdd(ctx, app.SpaceAdd{Root: root}))
			ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{Space: "*"}))
			if plan := app.Fixable(ok[[]app.Check](t)(a.Doctor(ctx, true))); len(plan) != 0 {
				t.Fatalf("before anything was planted: %+v", plan)
			}
			before := dump(t, a)
			tt.plant(t, b, root)
			plan := app.Fixable(ok[[]app.Check](t)(a.Doctor(ctx, tt.deep)))
			if len(plan) != 1 || plan[0].Name != tt.check || plan[0].State == "ok" || plan[0].Remedy == "" || plan[0].Fix == "" {
				t.Fatalf("found %+v, want %s", plan, tt.check)
			}
			for _, m := range ok[[]app.Mended](t)(a.Mend(ctx, plan)) {
				if m.Error != "" {
					t.Errorf("%s: %s", m.Name, m.Error)
				}
			}
			for _, c := range ok[[]app.Check](t)(a.Doctor(ctx, true)) {
				if c.State == "error" || c.Fix != "" {
					t.Errorf("after mending: %+v", c)
				}
			}
			if after := dump(t, a); tt.check != "sync garden" && after != before {
				t.Errorf("the memory is not what it was before:\n%s\n%s", before, after)
			}
		})
	}
}
