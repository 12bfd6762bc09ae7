package postgres_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
)

// until asks until the number is another one, and returns it.
func until(t *testing.T, m store.Engine, was int64, within time.Duration) int64 {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(within); ; <-tick.C {
		n, err := m.(store.Listener).Heard(t.Context())
		if err != nil {
			t.Error(err)
		}
		if n != was {
			return n
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing was heard in %v", within)
		}
	}
}

// Commits of others are heard at once, without a question to the server.
func TestCommitsAreHeard(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	p := pgtest.NewProxy(t, pgtest.Shared(t))
	m, other := open(t, p.URL(where)), open(t, where)
	n := until(t, m, -1, time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for quiet := 0; quiet < 10; quiet++ { // until it listens
		p.Reset()
		until(t, m, -1, time.Second)
		if trips, _ := p.Trips(); trips > 0 {
			quiet = 0
		}
		<-tick.C
	}
	p.Reset()
	for range 1000 {
		until(t, m, -1, time.Second)
	}
	if trips, _ := p.Trips(); trips != 0 {
		t.Errorf("%d round trips", trips)
	}
	for range 3 {
		if err := set(ctx, other, "k", "v"); err != nil {
			t.Fatal(err)
		}
		n = until(t, m, n, time.Second)
	}
	// Without its connection it asks, until it listens again.
	p.Cut()
	if err := set(ctx, other, "k", "w"); err != nil {
		t.Fatal(err)
	}
	n = until(t, m, n, 2*time.Second)
	if err := set(ctx, m, "k", "own"); err != nil {
		t.Fatal(err)
	}
	until(t, m, n, 2*time.Second)
}

// Behind a pooler nobody can listen: the number is read.
func TestNobodyListensBehindAPooler(t *testing.T) {
	t.Parallel()
	s, ctx, direct := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	m, other := open(t, with(t, direct, "host", s.Bouncer(t), "default_query_exec_mode", "cache_describe")), open(t, direct)
	n := until(t, m, -1, time.Second)
	for range 3 {
		if err := set(ctx, other, "k", "v"); err != nil {
			t.Fatal(err)
		}
		n = until(t, m, n, time.Second)
	}
	if got := s.SQL(t, "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN "+schema(t, direct)+"'"); got != "0" {
		t.Errorf("%s listen", got)
	}
}
