package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
)

// A standby is read, reports how far behind it is, and is written once it is the primary.
func TestStandby(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary, err := pgtest.New("-c", "fsync=off")
	pgtest.Need(t, err)
	t.Cleanup(func() { _ = primary.Close() })
	m := open(t, primary.URL("team"))
	if err := set(ctx, m, "k", "first"); err != nil {
		t.Fatal(err)
	}
	if err := m.(store.Readable).Unwritable(); err != nil {
		t.Error(err)
	}
	second := primary.Standby(t)
	s := open(t, second.URL("team"))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	wait := func(what string, f func() bool) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); !f(); <-tick.C {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	if got := get(t, s, "k"); got != "first" {
		t.Errorf("%q is read", got)
	}
	note := func() string { return fmt.Sprint(s.(store.Readable).Unwritable()) }
	if got := note(); !strings.Contains(got, "is a standby, ") || !strings.Contains(got, " s behind the primary server") {
		t.Error(got)
	}
	refused := func(what string, err error) {
		t.Helper()
		if kb.CodeOf(err) != kb.Refused || kb.AsError(err).Reason != kb.DatabaseReadOnly {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a write", set(ctx, s, "k", "here"))
	_, err = s.Lock(ctx, "space", store.Exclusive, time.Minute)
	refused("a lock", err)
	_, err = postgres.Driver{}.Open(ctx, second.URL("missing"), store.Options{Clock: time.Now})
	refused("a memory that is missing", err)

	if err := set(ctx, m, "k", "second"); err != nil {
		t.Fatal(err)
	}
	wait("the write does not come", func() bool { return get(t, s, "k") == "second" })
	wait("it remains behind", func() bool { return strings.Contains(note(), ", 0.0 s behind") })
	second.SQL(t, "SELECT pg_wal_replay_pause()")
	if err := set(ctx, m, "k", "third"); err != nil {
		t.Fatal(err)
	}
	wait("it is not behind", func() bool { return !strings.Contains(note(), ", 0.0 s behind") })
	if got := get(t, s, "k"); got != "second" {
		t.Errorf("%q is read", got)
	}
	second.SQL(t, "SELECT pg_wal_replay_resume()")
	second.SQL(t, "SELECT pg_promote()")
	wait("it does not become the primary", func() bool { return s.(store.Readable).Unwritable() == nil })
	if err := set(ctx, s, "k", "promoted"); err != nil {
		t.Error(err)
	}
}
