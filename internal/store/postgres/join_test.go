package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
)

// ended waits until no transaction of an application is open, and fails after some time.
func ended(t *testing.T, app string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); openTransactions(t, app) != "0"; {
		if time.Now().After(deadline) {
			t.Fatal("a transaction stays open")
		}
	}
}

// read is the value of a setting as Views of ctx see it.
func read(ctx context.Context, m store.Memory, key string) (value string, err error) {
	err = m.View(ctx, func(tx store.Tx) error {
		value, err = tx.Settings().Get(ctx, key)
		return err
	})
	return value, err
}

// Each goroutine sees what it wrote, whoever used the transaction at that moment; and once the
// context is left, no transaction stays.
func TestJoinedViewsOfManyGoroutines(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	name := schema(t, where)
	m := open(t, with(t, where, "application_name", name))
	for round := range 10 {
		ctx, leave := store.Join(t.Context(), m)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				key := fmt.Sprint("k", i)
				for n := range 3 {
					want := fmt.Sprint(round, n)
					if i%4 == 0 {
						if err := set(ctx, m, key, want); err != nil {
							t.Error(err)
						}
						if got, err := read(ctx, m, key); err != nil || got != want {
							t.Errorf("read %q, %v after %q was written", got, err, want)
						}
						continue
					}
					if _, err := read(ctx, m, key); err != nil {
						t.Error(err)
					}
					if i == 1 && n == 1 {
						leave()
					}
					store.Part(ctx, m)
				}
			})
		}
		all.Wait()
		leave()
	}
	ended(t, name)
}

// A transaction that the server ended while it was idle is followed by another one.
func TestJoinedViewAfterItsTransactionEnded(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	name := schema(t, where)
	other := open(t, where)
	for _, c := range []struct {
		what, setting, value string
		end                  func()
	}{
		{"idle for too long", "idle_in_transaction_session_timeout", "200", func() {}},
		{"terminated", "idle_in_transaction_session_timeout", "0", func() {
			pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+name+"' AND state = 'idle in transaction'")
		}},
	} {
		m := open(t, with(t, with(t, where, "application_name", name), c.setting, c.value))
		if err := set(t.Context(), other, "k", "old"); err != nil {
			t.Fatal(err)
		}
		ctx, leave := store.Join(t.Context(), m)
		for i, reads := range []func(key string) (string, error){
			func(key string) (string, error) { return read(ctx, m, key) },
			func(key string) (value string, err error) {
				if err := store.ForeseeViews(ctx, m, func() { _, _ = read(ctx, m, key) }); err != nil {
					return "", err
				}
				return read(ctx, m, key)
			},
		} {
			if _, err := read(ctx, m, "k"); err != nil {
				t.Fatal(err)
			}
			c.end()
			ended(t, name)
			key, want := fmt.Sprint("new", i), c.what
			if err := set(t.Context(), other, key, want); err != nil {
				t.Fatal(err)
			}
			if got, err := reads(key); err != nil || got != want {
				t.Errorf("%s: read %q, %v", c.what, got, err)
			}
			store.Part(ctx, m)
		}
		leave()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A View that lost its connection after its first answers goes on where nobody has written
// since, and says so otherwise: it must not see two states.
func TestViewThatLostItsConnection(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	name := schema(t, where)
	other, m := open(t, where), open(t, with(t, where, "application_name", name))
	for _, key := range []string{"kept", "asked", "late"} {
		if err := set(t.Context(), other, key, "old"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := read(t.Context(), m, "kept"); err != nil { // it is known from here on
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, first string
		writes      bool
		code        kb.Code
	}{
		{"after an answer that was kept", "kept", false, ""},
		{"after one of the server", "asked", false, ""},
		{"after a write of others", "kept", true, kb.Conflict},
	} {
		for _, joined := range []bool{false, true} {
			ctx, leave := t.Context(), func() {}
			if joined {
				ctx, leave = store.Join(ctx, m)
			}
			late := fmt.Sprint("late ", c.what, joined)
			err := m.View(ctx, func(tx store.Tx) error {
				if got, err := tx.Settings().Get(ctx, c.first); err != nil || got != "old" {
					t.Errorf("%s: read %q, %v", c.what, got, err)
				}
				pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '"+name+"'")
				if c.writes {
					if err := set(t.Context(), other, "late", late); err != nil {
						t.Fatal(err)
					}
				}
				_, err := tx.Settings().Get(ctx, late)
				return err
			})
			if kb.CodeOf(err) != c.code || c.code != "" && !store.IsBusy(err) {
				t.Errorf("%s, joined %v: %v", c.what, joined, err)
			}
			if got, err := read(ctx, m, "asked"); err != nil || got != "old" {
				t.Errorf("%s: then read %q, %v", c.what, got, err)
			}
			leave()
		}
	}
	ended(t, name)
}

// What was foreseen before a lock is not read again with it, unless others have written in
// between: then it is.
func TestForeseenBeforeALock(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m, other := open(t, p.URL(where)+"&default_query_exec_mode=cache_describe"), open(t, where)
	if err := set(t.Context(), other, "k", "old"); err != nil {
		t.Fatal(err)
	}
	// To make a connection would count as a round trip.
	if err := m.View(t.Context(), func(store.Tx) error { _, err := read(t.Context(), m, "k"); return err }); err != nil {
		t.Fatal(err)
	}
	want := "old"
	write := func(value string) {
		if err := set(t.Context(), other, "k", value); err != nil {
			t.Error(err)
		}
		want = value
	}
	for i, c := range []struct {
		what          string
		before, after bool // others write before the lock, and with it
		trips         int64
	}{
		{"nobody wrote", false, false, 0},
		{"others wrote before the lock", true, false, 2},
		{"others wrote with the lock", false, true, 0},
	} {
		ctx, leave := store.Join(t.Context(), m)
		if err := store.ForeseeViews(ctx, m, func() { _, _ = read(ctx, m, "k") }); err != nil {
			t.Fatal(err)
		}
		if c.before {
			write(fmt.Sprint("before ", i))
		}
		unlock, err := m.Lock(ctx, "space", store.Exclusive, store.BusyTime)
		if err != nil {
			t.Fatal(err)
		}
		locked := want
		if c.after {
			write(fmt.Sprint("after ", i))
		}
		p.Reset()
		if got, err := read(ctx, m, "k"); err != nil || got != locked {
			t.Errorf("%s: read %q, %v, want %q", c.what, got, err, locked)
		}
		if trips, _ := p.Trips(); trips != c.trips {
			t.Errorf("%s: %d round trips:\n%s", c.what, trips, strings.Join(p.Statements(), "\n"))
		}
		// A View has one state.
		err = m.View(ctx, func(tx store.Tx) error {
			if got, err := tx.Settings().Get(ctx, "k"); err != nil || got != locked {
				t.Errorf("%s: read %q, %v, want %q", c.what, got, err, locked)
			}
			_, err := tx.Settings().Get(ctx, fmt.Sprint("unforeseen ", i))
			return err
		})
		if errors.Is(err, store.ErrOvertaken) != c.after || err != nil && !c.after {
			t.Errorf("%s: %v", c.what, err)
		}
		if got, err := read(ctx, m, "k"); err != nil || got != want {
			t.Errorf("%s: then read %q, %v, want %q", c.what, got, err, want)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		leave()
	}
}
