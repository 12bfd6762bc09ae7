package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// rowsOf returns the rows of each table as text.
func rowsOf(t *testing.T, db *DB, tables []string) map[string][]string {
	t.Helper()
	c, err := db.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.release(c)
	out := map[string][]string{}
	for _, table := range tables {
		out[table] = nil
		if err := c.query(t.Context(), "SELECT * FROM "+table+" ORDER BY 1", nil, func(r row) error {
			out[table] = append(out[table], fmt.Sprint(r))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := open(t)
	fill(t, db, len(embeddedMigrations(t)))
	before := rowsOf(t, db, relational.Tables())
	engine, err := db.Snapshot(ctx, store.Options{Clock: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	out, ok := engine.(*DB)
	if !ok {
		t.Fatalf("it is a %T", engine)
	}
	set(t, db, "k", "written after it")
	for table, got := range rowsOf(t, out, relational.Tables()) {
		want := before[table]
		switch {
		case len(want) == 0:
			continue // nothing is shown
		case table == "models":
			continue // see below
		case !slices.Contains(ofDocuments, table):
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	if err := out.Validate(ctx); err != nil {
		t.Error(err)
	}
	if err := out.View(ctx, func(tx store.Tx) error {
		models, err := tx.Models().All(ctx)
		if len(models) != 2 || slices.ContainsFunc(models, func(m store.Model) bool { return m.Active }) {
			t.Errorf("models: %+v", models)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	set(t, out, "k", "written to the copy") // it can be written, and belongs to itself
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before["documents"], rowsOf(t, db, []string{"documents"})["documents"]); diff != "" {
		t.Errorf("the memory changed: %s", diff)
	}
}

// A caller that gives up gets its error, and nothing is left of the copy.
func TestSnapshotStops(t *testing.T) {
	t.Parallel()
	db := open(t)
	fill(t, db, len(embeddedMigrations(t)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Snapshot(ctx, store.Options{Clock: fixedClock}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
