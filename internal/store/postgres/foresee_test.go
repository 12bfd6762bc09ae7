package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/lexical"
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

// Pages of the full text are asked for together, whether they exist or are known, in any order.
func TestPagesTogether(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m := open(t, p.URL(where)+"&default_query_exec_mode=cache_describe")
	var segment int64
	if err := m.Update(ctx, func(tx store.Tx) (err error) {
		if segment, err = tx.Lexical().CreateSegment(ctx); err != nil {
			return err
		}
		for _, page := range []int{0, 1, 2, 4, 300} {
			if err := tx.Lexical().PutPage(ctx, segment, 1, page, fmt.Appendf(nil, "page %d;", page)); err != nil {
				return err
			}
		}
		return tx.Lexical().PutHeader(ctx, segment, []byte("h"))
	}); err != nil {
		t.Fatal(err)
	}
	other := open(t, p.URL(where)+"&default_query_exec_mode=cache_describe")
	if err := other.View(ctx, func(tx store.Tx) error {
		one, err := tx.Lexical().Pages(ctx, segment, 1, 2, 3)
		if err != nil || string(one) != "page 2;" {
			t.Errorf("one page: %q, %v", one, err)
		}
		p.Reset()
		var all []lexical.PageAt
		for _, page := range []int{300, 4, 3, 2, 1, 0, 1} {
			all = append(all, lexical.PageAt{Segment: segment, Stream: 1, Page: page})
		}
		if err := tx.Lexical().Ahead(ctx, all); err != nil {
			return err
		}
		for from, want := range map[int]string{0: "page 0;page 1;page 2;page 4;", 3: "page 4;", 5: "", 300: "page 300;"} {
			if got, err := tx.Lexical().Pages(ctx, segment, 1, from, from+5); err != nil || string(got) != want {
				t.Errorf("pages from %d: %q, %v, want %q", from, got, err, want)
			}
		}
		// The missing pages are not known.
		if trips, _ := p.Trips(); trips > 5 {
			t.Errorf("%d round trips", trips)
		}
		if statements := strings.Join(p.Statements(), "\n"); !strings.Contains(statements, "= ANY") {
			t.Errorf("not asked for together:\n%s", statements)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
