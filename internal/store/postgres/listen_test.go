package postgres_test

import (
	"fmt"
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

// A commit that is on disk succeeded, also if nobody can be notified of it.
func TestCommitWithoutANotification(t *testing.T) {
	t.Parallel()
	s, ctx, where := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	name := schema(t, where)
	open(t, where)
	// Only superusers may notify: the role finds this function before that of the server.
	s.SQL(t, fmt.Sprintf(`CREATE ROLE mute_%[1]s LOGIN; GRANT USAGE ON SCHEMA %[1]s TO mute_%[1]s;
GRANT ALL ON ALL TABLES IN SCHEMA %[1]s TO mute_%[1]s; GRANT ALL ON ALL SEQUENCES IN SCHEMA %[1]s TO mute_%[1]s;
CREATE SCHEMA mute_%[1]s; GRANT USAGE ON SCHEMA mute_%[1]s TO mute_%[1]s;
CREATE FUNCTION mute_%[1]s.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'too many notifications in the NOTIFY queue'; END $$;
ALTER ROLE mute_%[1]s SET search_path = mute_%[1]s, pg_catalog`, name))
	m := open(t, with(t, where, "user", "mute_"+name))
	for _, value := range []string{"v", "w"} { // and the connection can be used again
		if err := set(ctx, m, "k", value); err != nil {
			t.Fatal(err)
		}
		if got := get(t, m, "k"); got != value {
			t.Errorf("%q", got)
		}
	}
}
