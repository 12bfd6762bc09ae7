package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// longestWait is how long anybody may wait for a server that does not answer.
const longestWait = 15 * time.Second

// Nobody waits for long for a server that stopped, or a network that delivers nothing.
func TestStalledServer(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "waits until a server counts as stopped")
	ctx, where := t.Context(), pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m, direct := open(t, p.URL(where)), open(t, where)
	if err := set(ctx, m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	get(t, m, "k") // both kinds of connections are open
	view := func(tx store.Tx) error {
		_, err := tx.Settings().All(ctx)
		return err
	}
	for name, call := range map[string]func() error{
		"read":    func() error { return m.View(ctx, view) },
		"write":   func() error { return set(ctx, m, "k", "w") },
		"changed": func() error { _, err := m.Changed(ctx); return err },
		"info":    func() error { _, err := m.Info(ctx); return err },
		"lock":    func() error { _, err := m.Lock(ctx, "space", store.Exclusive, store.BusyTime); return err },
		"within": func() error {
			return m.View(ctx, func(tx store.Tx) error {
				if err := view(tx); err != nil {
					return err
				}
				return view(tx)
			})
		},
	} {
		end := p.Stall()
		began := time.Now()
		err := call()
		if took := time.Since(began); took > longestWait {
			t.Errorf("%s took %v", name, took)
		}
		end()
		if code := kb.CodeOf(err); code != kb.Damaged && code != kb.Internal {
			t.Errorf("%s: %s, %v", name, code, err)
		}
		if err := errors.Join(m.View(ctx, view), set(ctx, m, "k", "again")); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
		if got := get(t, direct, "k"); got != "again" {
			t.Errorf("after %s: %q", name, got)
		}
	}
}

// One who makes several calls, and goes on after an error, does not wait for each of them.
func TestCallsToAStalledServer(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "waits until a server counts as stopped")
	ctx, where := t.Context(), pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m := open(t, p.URL(where))
	if err := set(ctx, m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	get(t, m, "k")
	end := p.Stall()
	began := time.Now()
	_, changed := m.Changed(ctx)
	_, locked := m.Lock(ctx, "space", store.Exclusive, store.BusyTime)
	written := set(ctx, m, "k", "w")
	took := time.Since(began)
	end()
	for what, err := range map[string]error{"changed": changed, "lock": locked, "write": written} {
		if code := kb.CodeOf(err); code != kb.Damaged && code != kb.Internal {
			t.Errorf("%s: %s, %v", what, code, err)
		}
	}
	if took > longestWait {
		t.Errorf("three calls took %v", took)
	}
	if err := set(ctx, m, "k", "again"); err != nil {
		t.Errorf("after the server answers: %v", err)
	}
}

// Of several servers the one that answers is used: neither a long statement on it nor a call
// after it did not answer for a while fails because of another one that never answers.
func TestSilentFirstServer(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "waits until a server counts as stopped")
	where := pgtest.URL(t)
	silent, p := pgtest.NewProxy(t, pgtest.Shared(t)), pgtest.NewProxy(t, pgtest.Shared(t))
	defer silent.Stall()()
	m := open(t, with(t, where, "host", silent.Dir+","+p.Dir))
	if err := set(t.Context(), m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	get(t, m, "k")
	end := p.Stall()
	err := set(t.Context(), m, "k", "w")
	end()
	if kb.AsError(err).Reason != kb.DatabaseDown || !strings.Contains(err.Error(), "the server does not answer") {
		t.Errorf("a write while no server answers: %v", err)
	}
	if err := set(t.Context(), m, "k", "x"); err != nil {
		t.Errorf("a write once the second server answers: %v", err)
	}
	makeSlow(t, where)
	if err := m.View(t.Context(), func(tx store.Tx) error {
		_, err := tx.Settings().All(t.Context())
		return err
	}); err != nil {
		t.Errorf("a long statement: %v", err)
	}
}

// A statement that takes longer is waited for, as long as the server answers others.
func TestLongStatement(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "waits for a long statement")
	where := pgtest.URL(t)
	m := open(t, where)
	if err := set(t.Context(), m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	makeSlow(t, where)
	if err := m.View(t.Context(), func(tx store.Tx) error {
		_, err := tx.Settings().All(t.Context())
		return err
	}); err != nil {
		t.Error(err)
	}
}

// makeSlow has the settings of a memory be read slowly.
func makeSlow(t *testing.T, where string) {
	t.Helper()
	s := pgtest.Shared(t)
	s.SQL(t, "CREATE VIEW "+schema(t, where)+".slow AS SELECT pg_sleep(9)::text AS slept")
	s.SQL(t, "ALTER TABLE "+schema(t, where)+".settings RENAME TO kept; CREATE VIEW "+schema(t, where)+".settings AS SELECT k.* FROM "+schema(t, where)+".kept k, "+schema(t, where)+".slow WHERE slept = ''")
}
