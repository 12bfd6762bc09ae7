package postgres_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
)

// Questions that depend on each other are foreseen as far as they can be, from missing and from
// outdated rows, and the answers are those of the transaction.
func TestForesee(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m, direct := open(t, p.URL(where)+"&default_query_exec_mode=cache_describe"), open(t, where)
	for k, v := range map[string]string{"a": "b", "b": "c", "c": "d", "x": "y"} {
		if err := set(ctx, direct, k, v); err != nil {
			t.Fatal(err)
		}
	}
	read := func(tx store.Tx) (last string) {
		for _, first := range []string{"a", "x"} { // a, b and c name each other
			for at := first; at != ""; {
				last = at
				next, err := tx.Settings().Get(ctx, at)
				if err != nil {
					t.Error(err)
				}
				at = next
			}
		}
		return last
	}
	for _, c := range []struct {
		change string // of the last value, elsewhere
		want   string
		most   int64 // round trips
	}{
		{"", "y", 4},  // of the longest chain
		{"", "y", 1},  // known
		{"z", "z", 3}, // one, and those that the change leads to
	} {
		if c.change != "" {
			if err := set(ctx, direct, "x", c.change); err != nil {
				t.Fatal(err)
			}
			if err := m.View(ctx, func(tx store.Tx) error { _, err := tx.Settings().Get(ctx, "x"); return err }); err != nil {
				t.Fatal(err)
			}
		}
		p.Reset()
		got := ""
		err := m.View(ctx, func(tx store.Tx) error {
			if err := store.Foresee(ctx, tx, func() {
				read(tx)
				if tx.Settings().Set(ctx, "a", "never") == nil {
					t.Error("wrote in a reader")
				}
			}); err != nil {
				return err
			}
			got = read(tx)
			return nil
		})
		if trips, _ := p.Trips(); err != nil || got != c.want || trips > c.most {
			t.Errorf("read %q, %v, in %d round trips:\n%s", got, err, trips, strings.Join(p.Statements(), "\n"))
		}
	}
	// A transaction that wrote reads what it wrote, and a writer that has not may foresee.
	err := m.Update(ctx, func(tx store.Tx) error {
		ask := func() {
			read(tx)
			_ = tx.Settings().Set(ctx, "a", "never")
		}
		if err := store.Foresee(ctx, tx, ask); err != nil {
			return err
		}
		if err := tx.Settings().Set(ctx, "x", "w"); err != nil {
			return err
		}
		if err := store.Foresee(ctx, tx, ask); err != nil {
			return err
		}
		if got := read(tx); got != "w" {
			t.Errorf("read %q in the transaction that wrote", got)
		}
		return nil
	})
	if err != nil || get(t, direct, "a") != "b" || get(t, direct, "x") != "w" {
		t.Errorf("%v, a is %q, x is %q", err, get(t, direct, "a"), get(t, direct, "x"))
	}
}
