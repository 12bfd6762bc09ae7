package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

func open(t *testing.T, where string) store.Engine {
	t.Helper()
	m, err := postgres.Driver{}.Open(t.Context(), where, store.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() }) // as often as a test closed it
	return m
}

func set(ctx context.Context, m store.Engine, key, value string) error {
	return m.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, key, value) })
}

func get(t *testing.T, m store.Engine, key string) (value string) {
	t.Helper()
	if err := m.View(t.Context(), func(tx store.Tx) (err error) {
		value, err = tx.Settings().Get(t.Context(), key)
		return err
	}); err != nil {
		t.Error(err)
	}
	return value
}

// schema is the schema of a memory, by its URL.
func schema(t *testing.T, where string) string {
	t.Helper()
	u, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	return "cairn_" + u.Query().Get("memory")
}

// with changes the parameters of a URL.
func with(t *testing.T, where string, values ...string) string {
	t.Helper()
	u, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(values); i += 2 {
		q.Set(values[i], values[i+1])
	}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return u.String()
}

func TestTextIsOrderedByBytes(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	open(t, where)
	got := pgtest.Shared(t).SQL(t, `SELECT count(*), count(*) FILTER (WHERE collation_name = 'C') FROM information_schema.columns
WHERE data_type = 'text' AND table_schema = '`+schema(t, where)+"'")
	all, ours, _ := strings.Cut(got, "|")
	if all != ours || all == "0" {
		t.Errorf("%s of %s columns", ours, all)
	}
}

// Who lost a lock cannot commit, whatever it does: the server has given the lock to others.
func TestLostLock(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	m, other := open(t, where), open(t, where)
	unlock, err := m.Lock(ctx, "space-1", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := set(ctx, m, "k", "held"); err != nil {
		t.Fatal(err)
	}
	pgtest.Shared(t).SQL(t, `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND a.state = 'idle in transaction' AND a.query LIKE '%SET LOCAL lock_timeout%pg_advisory_xact_lock(%' AND a.pid IN
(SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = `+fmt.Sprint(postgres.LockKey(schema(t, where), "space-1"))+`)`)
	theirs, err := other.Lock(ctx, "space-1", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	err = set(ctx, m, "k", "lost")
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Reason != kb.DatabaseLockLost {
		t.Errorf("a process without its lock committed: %v", err)
	}
	if err := set(ctx, other, "k", "theirs"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(unlock(), theirs()); err != nil {
		t.Error(err)
	}
	if err := set(ctx, m, "k", "again"); err != nil {
		t.Errorf("after the lock was given back: %v", err)
	}
}

// cutter is a proxy that cuts a connection when COMMIT comes: after it went on, or before.
type cutter struct {
	armed   atomic.Bool
	deliver atomic.Bool
}

func (c *cutter) serve(t *testing.T, dir string) (at string) {
	t.Helper()
	at = t.TempDir()
	l, err := net.Listen("unix", filepath.Join(at, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.5432"))
			if err != nil {
				_ = client.Close()
				return
			}
			var once sync.Once
			end := func() { once.Do(func() { _, _ = client.Close(), server.Close() }) }
			cut := &atomic.Bool{}
			go func() {
				defer end()
				buf := make([]byte, 1<<16)
				for {
					n, err := client.Read(buf)
					if err != nil {
						return
					}
					if c.armed.Load() && bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
						c.armed.Store(false)
						cut.Store(true)
						if c.deliver.Load() {
							_, _ = server.Write(buf[:n])
							_, _ = io.ReadAtLeast(server, buf, 1) // it has answered
						}
						return
					}
					if _, err := server.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
			go func() {
				defer end()
				buf := make([]byte, 1<<16)
				for {
					n, err := server.Read(buf)
					if err != nil || cut.Load() {
						return
					}
					if _, err := client.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return at
}

func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	var c cutter
	where := pgtest.URL(t)
	at := c.serve(t, pgtest.Shared(t).Dir)
	m := open(t, with(t, where, "host", at, "default_query_exec_mode", "cache_describe"))
	ctx := t.Context()
	if err := set(ctx, m, "k", "first"); err != nil { // describes the statements
		t.Fatal(err)
	}
	c.deliver.Store(true)
	c.armed.Store(true)
	if err := set(ctx, m, "k", "made"); err != nil {
		t.Errorf("a commit that was made is reported as failed: %v", err)
	}
	if got := get(t, m, "k"); got != "made" || c.armed.Load() {
		t.Errorf("%s, cut %v", got, !c.armed.Load())
	}
	if err := set(ctx, m, "k", "between"); err != nil {
		t.Fatal(err)
	}
	c.deliver.Store(false)
	c.armed.Store(true)
	if err := set(ctx, m, "k", "lost"); err == nil {
		t.Error("a commit that was not made is reported as made")
	}
	if got := get(t, m, "k"); got != "between" || c.armed.Load() {
		t.Errorf("%s, cut %v", got, !c.armed.Load())
	}
}

// Idle connections that the server closed are replaced, and nobody notices.
func TestClosedIdleConnections(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	m := open(t, with(t, where, "application_name", schema(t, where)))
	for i := range 3 {
		value := fmt.Sprint(i)
		if err := set(t.Context(), m, "k", value); err != nil {
			t.Fatal(err)
		}
		pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+schema(t, where)+"'")
		if got := get(t, m, "k"); got != value {
			t.Errorf("%s, want %s", got, value)
		}
		pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+schema(t, where)+"'")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	where := pgtest.URL(t)
	name := schema(t, where)
	app := name + "_app"
	m := open(t, with(t, where, "application_name", app))
	if err := set(t.Context(), m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	s.SQL(t, fmt.Sprintf("CREATE ROLE reader_%[1]s LOGIN; GRANT USAGE ON SCHEMA %[1]s TO reader_%[1]s; GRANT SELECT ON ALL TABLES IN SCHEMA %[1]s TO reader_%[1]s; CREATE ROLE nobody_%[1]s", name))
	for what, c := range map[string]struct {
		where  string
		code   kb.Code
		reason kb.Reason
	}{
		"no server":        {with(t, where, "host", t.TempDir()), kb.Damaged, kb.DatabaseDown},
		"no such database": {strings.Replace(where, "/postgres?", "/nothing?", 1), kb.Damaged, kb.DatabaseMissing},
		"no such role":     {with(t, where, "user", "nobody"), kb.Refused, kb.DatabaseLogin},
		"may not log in":   {with(t, where, "user", "nobody_"+name), kb.Refused, kb.DatabaseLogin},
		"read only":        {with(t, where, "default_transaction_read_only", "on", "memory", "other"), kb.Refused, kb.DatabaseReadOnly},
	} {
		_, err := postgres.Driver{}.Open(t.Context(), c.where, store.Options{Clock: time.Now})
		if kb.CodeOf(err) != c.code || kb.AsError(err).Reason != c.reason {
			t.Errorf("%s: %s, %v", what, kb.AsError(err).Reason, err)
		}
	}
	reader := open(t, with(t, where, "user", "reader_"+name))
	if got := get(t, reader, "k"); got != "v" {
		t.Errorf("the reader reads %q", got)
	}
	if err := set(t.Context(), reader, "k", "w"); kb.AsError(err).Reason != kb.DatabaseRole {
		t.Errorf("the reader wrote: %v", err)
	}
	_, err := postgres.Driver{}.Open(t.Context(), with(t, where, "memory", "missing"), store.Options{MustExist: true})
	if kb.AsError(err).Reason != kb.NoDatabase {
		t.Error(err)
	}
	// A newer cairn keeps this one from writing, and from reading what it would misread.
	s.SQL(t, "UPDATE "+name+".meta SET schema = 99")
	if got := get(t, m, "k"); got != "v" {
		t.Errorf("a newer schema that may be read has %q", got)
	}
	if err := set(t.Context(), m, "k", "older"); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("a newer schema was written: %v", err)
	}
	s.SQL(t, "UPDATE "+name+".meta SET readable = 99")
	if err := m.View(t.Context(), func(tx store.Tx) error {
		_, err := tx.Settings().Get(t.Context(), "k")
		return err
	}); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("a newer schema was read: %v", err)
	}
	ended(t, app)
	s.SQL(t, fmt.Sprintf("UPDATE %[1]s.meta SET schema = (SELECT max(number) FROM %[1]s.migrations), readable = 2; UPDATE %[1]s.settings SET value = 'changed'", name))
	s.SQL(t, fmt.Sprintf("UPDATE %s.meta SET changes = changes + 1, rare = changes + 1", name))
	if got := get(t, m, "k"); got != "changed" {
		t.Errorf("%q is read through the handle that was refused", got)
	}
	s.SQL(t, "UPDATE "+name+".meta SET schema = 99, readable = 99")
	s.SQL(t, fmt.Sprintf("INSERT INTO %s.migrations VALUES (99, 'later', '', 0)", name))
	if _, err := (postgres.Driver{}).Open(t.Context(), where, store.Options{}); kb.AsError(err).Reason != kb.NewerSchema {
		t.Error(err)
	}
}

// openTransactions counts those of the connections with a name that wait for their client.
func openTransactions(t *testing.T, app string) string {
	t.Helper()
	return pgtest.Shared(t).SQL(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"+app+"' AND state LIKE 'idle in transaction%'")
}

// Whatever a View failed with, the next one on its connection is a good one.
func TestViewAfterOneThatFailed(t *testing.T) {
	t.Parallel()
	s, ctx, where := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	name := schema(t, where)
	m := open(t, with(t, where, "application_name", name))
	if err := set(ctx, m, "k", "v"); err != nil {
		t.Fatal(err)
	}
	var missing, remembered error
	ask := func(key string) error {
		return m.View(ctx, func(tx store.Tx) error {
			_, err := tx.Settings().Get(ctx, key)
			return err
		})
	}
	get(t, m, "k")
	for range 2 {
		s.SQL(t, "ALTER TABLE "+name+".meta RENAME TO gone")
		missing = ask("other")                           // begins with its query
		remembered = ask("k")                            // begins before the answer that is remembered is used
		ignored := m.View(ctx, func(tx store.Tx) error { // ends without an error
			_, _ = tx.Settings().Get(ctx, "third")
			return nil
		})
		s.SQL(t, "ALTER TABLE "+name+".gone RENAME TO meta")
		if kb.CodeOf(missing) != kb.Internal || kb.CodeOf(remembered) != kb.Internal || ignored != nil {
			t.Errorf("without meta: %v; %v; %v", missing, remembered, ignored)
		}
		ended(t, name) // nobody waits for the answer to a ROLLBACK
		if got := get(t, m, "k"); got != "v" {
			t.Errorf("%q is read", got)
		}
		if err := set(ctx, m, "l", "w"); err != nil {
			t.Error(err)
		}
	}
	// A query that fails after the transaction began.
	s.SQL(t, "ALTER TABLE "+name+".settings RENAME TO gone")
	err := ask("fourth")
	s.SQL(t, "ALTER TABLE "+name+".gone RENAME TO settings")
	if err == nil {
		t.Error("a table that is gone was read")
	}
	ended(t, name)
	if got := get(t, m, "l"); got != "w" {
		t.Errorf("%q is read", got)
	}
}

// Who locks a table, as a migration and VACUUM FULL do, keeps readers waiting for the one bounded
// wait, however little patience with writers they have, and writers for their patience.
func TestLockedTables(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"meta", "settings"} {
		where := pgtest.URL(t)
		m := open(t, where)
		if err := set(t.Context(), m, "k", "v"); err != nil {
			t.Fatal(err)
		}
		const patience, wait = 200 * time.Millisecond, 600 * time.Millisecond
		postgres.SetBusyTime(m, wait)
		impatient := store.WithPatience(t.Context(), patience)
		get(t, m, "k") // remembered from now on
		lock, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s user=cairn dbname=postgres", pgtest.Shared(t).Dir))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lock.Close(context.Background()) }()
		if _, err := lock.Exec(t.Context(), "BEGIN; LOCK TABLE "+schema(t, where)+"."+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			t.Fatal(err)
		}
		read := func(key string) error {
			return m.View(impatient, func(tx store.Tx) error {
				_, err := tx.Settings().Get(impatient, key)
				return err
			})
		}
		joined, leave := store.Join(impatient, m)
		defer leave()
		for n := range 5 {
			asks := map[string]func() error{
				"a read": func() error { return read(fmt.Sprint("new ", n)) },
				"a foreseen read": func() error {
					return store.ForeseeViews(joined, m, func() {
						_ = m.View(joined, func(tx store.Tx) error {
							_, err := tx.Settings().Get(joined, fmt.Sprint("newer ", n))
							return err
						})
					})
				},
			}
			if table == "meta" {
				asks["a read that is remembered"] = func() error { return read("k") }
				asks["a write"] = func() error { return set(impatient, m, "k", "w") }
			}
			for what, ask := range asks {
				start := time.Now()
				err := ask()
				least := wait
				if what == "a write" {
					least = patience
				}
				if took := time.Since(start); kb.CodeOf(err) != kb.Conflict || !store.IsBusy(err) || took < least/2 || took > 20*least {
					t.Errorf("%s, %d: %v after %s", what, n, err, took)
				}
				if what == "a read" && n == 0 && !strings.Contains(fmt.Sprint(err), "locked by another session") {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
		if _, err := lock.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if got := get(t, m, "k"); got != "v" {
			t.Errorf("%q is read", got)
		}
	}
}

// Views of a joined context see one state, until the caller writes, locks or parts, and fail
// alone.
func TestJoinedViews(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	m, other := open(t, where), open(t, where)
	ctx, leave := store.Join(t.Context(), m)
	read := func(ctx context.Context) (value string) {
		t.Helper()
		if err := m.View(ctx, func(tx store.Tx) (err error) {
			value, err = tx.Settings().Get(ctx, "k")
			return err
		}); err != nil {
			t.Error(err)
		}
		return value
	}
	write := func(value string) {
		t.Helper()
		if err := set(t.Context(), other, "k", value); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q is read, want %q", what, got, want)
		}
	}
	write("a")
	expect("at first", read(ctx), "a")
	write("b")
	expect("joined", read(ctx), "a")
	expect("apart", read(store.Apart(ctx)), "b")
	if err := m.View(ctx, func(store.Tx) error { return errors.New("of the caller") }); err == nil {
		t.Error("no error")
	}
	expect("after an error of the caller", read(ctx), "a")
	store.Part(ctx, m)
	expect("after Part", read(ctx), "b")
	write("c")
	unlock, err := m.Lock(ctx, "some-lock", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	expect("after Lock", read(ctx), "c")
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if err := set(ctx, m, "l", "x"); err != nil {
		t.Fatal(err)
	}
	write("d")
	expect("after Update", read(ctx), "d")
	if err := m.View(ctx, func(tx store.Tx) error { // ends with the View in which it was written
		write("e")
		return set(ctx, m, "l", "y")
	}); err != nil {
		t.Error(err)
	}
	expect("after an Update within", read(ctx), "e")
	if err := store.ForeseeViews(ctx, m, func() {
		if set(ctx, m, "l", "z") == nil {
			t.Error("a foreseen Update wrote")
		}
		if _, err := m.Lock(ctx, "some-lock", store.Exclusive, time.Minute); err == nil {
			t.Error("a foreseen Lock locked")
		}
		_ = m.View(ctx, func(tx store.Tx) error { _, err := tx.Settings().Get(ctx, "l"); return err })
	}); err != nil {
		t.Error(err)
	}
	expect("after foresight", read(ctx), "e")
	// Its connection is lost.
	pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%"+schema(t, where)+"%' AND pid <> pg_backend_pid()")
	if err := m.View(ctx, func(tx store.Tx) error { _, err := tx.Settings().Get(ctx, "new"); return err }); err != nil && kb.AsError(err).Reason != kb.DatabaseDown {
		t.Errorf("on a lost connection: %v", err)
	}
	expect("after a lost connection", read(ctx), "e")
	leave()
	write("f")
	expect("after leave", read(ctx), "f")
}

// The grants of the documentation are enough for what they say.
func TestRoles(t *testing.T) {
	t.Parallel()
	s, ctx, where := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	name := schema(t, where)
	owner := open(t, where)
	if err := set(ctx, owner, "k", "owner"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/postgres.md")
	if err != nil {
		t.Fatal(err)
	}
	grants := 0
	s.SQL(t, fmt.Sprintf("CREATE ROLE writer_%[1]s LOGIN; CREATE ROLE reader_%[1]s LOGIN", name))
	for line := range strings.Lines(string(page)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "GRANT ") {
			grants++
			s.SQL(t, strings.NewReplacer("cairn_team", name, "TO writer", "TO writer_"+name, "reader;", "reader_"+name+";").Replace(line))
		}
	}
	if grants < 4 {
		t.Errorf("%d grants are documented", grants)
	}
	writer := open(t, with(t, where, "user", "writer_"+name))
	unlock, err := writer.Lock(ctx, "space", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	err = writer.Update(ctx, func(tx store.Tx) error {
		sp := kb.Space{ID: "s", Name: "s", Kind: kb.DatabaseSpace}
		if err := tx.Spaces().Add(ctx, &sp); err != nil {
			return err
		}
		return tx.Settings().Set(ctx, "k", "writer")
	})
	if err := errors.Join(err, unlock()); err != nil {
		t.Errorf("the writer: %v", err)
	}
	reader := open(t, with(t, where, "user", "reader_"+name))
	if got := get(t, reader, "k"); got != "writer" {
		t.Errorf("the reader reads %q", got)
	}
	if err := set(ctx, reader, "k", "reader"); kb.AsError(err).Reason != kb.DatabaseRole {
		t.Errorf("the reader wrote: %v", err)
	}
}

// PgBouncer in transaction mode gives each transaction another connection of the server.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	s, ctx, direct := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	where := with(t, direct, "host", s.Bouncer(t), "default_query_exec_mode", "cache_describe")
	m, other := open(t, where), open(t, where)
	unlock, err := m.Lock(ctx, "space", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Lock(ctx, "space", store.Exclusive, 0); !store.IsBusy(err) {
		t.Errorf("the lock is held twice: %v", err)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := range 10 {
				from, to := m, other
				if w%2 == 1 {
					from, to = other, m
				}
				key := fmt.Sprintf("%d/%d", w, n)
				if err := set(ctx, from, key, "x"); err != nil {
					t.Error(err)
				}
				if get(t, to, key) != "x" {
					t.Errorf("%s is not there", key)
				}
			}
		})
	}
	wg.Wait()
	if err := unlock(); err != nil {
		t.Error(err)
	}
	theirs, err := other.Lock(ctx, "space", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(set(ctx, other, "k", "theirs"), theirs()); err != nil {
		t.Error(err)
	}
}

// More processes than PgBouncer has connections wait for a lock, and its holder can write.
func TestWritersOfASmallPool(t *testing.T) {
	t.Parallel()
	s, ctx, direct := pgtest.Shared(t), t.Context(), pgtest.URL(t)
	where := with(t, direct, "host", s.Bouncer(t), "default_query_exec_mode", "cache_describe")
	var all []store.Engine
	for range 12 {
		all = append(all, open(t, where))
	}
	var wg sync.WaitGroup
	for w, m := range all {
		wg.Go(func() {
			unlock, err := m.Lock(ctx, "space", store.Exclusive, time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(set(ctx, m, strconv.Itoa(w), "x"), unlock()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A handle that is closed has told the server which statements it does not wait for any more: a
// pooler may end where the process breaks that off.
func TestCloseWaitsForCancelledStatements(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	m, other := open(t, where), open(t, where)
	unlock, err := other.Lock(t.Context(), "space", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if _, err := m.Lock(ctx, "space", store.Exclusive, time.Minute); err == nil {
		t.Fatal("the lock is held twice")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if all, conns := postgres.CleanedUp(m); !all || conns == 0 {
		t.Errorf("something is left of some of %d connections", conns)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// The commands that cairn prints bring a memory back, also one that was written since.
func TestRestoreReplaces(t *testing.T) {
	t.Parallel()
	ctx, where, s := t.Context(), pgtest.URL(t), pgtest.Shared(t)
	run := func(task store.Task) {
		t.Helper()
		command, err := postgres.Driver{}.Tool(where, task)
		if err != nil {
			t.Fatal(err)
		}
		s.Shell(t, strings.Replace(command, "FILE", schema(t, where)+".dump", 1))
	}
	m := open(t, where)
	if err := set(ctx, m, "k", "dumped"); err != nil {
		t.Fatal(err)
	}
	run(store.BackupTask)
	if err := set(ctx, m, "k", "later"); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	run(store.RestoreTask)
	m = open(t, where)
	if got := get(t, m, "k"); got != "dumped" {
		t.Errorf("%q is there", got)
	}
	if err := set(ctx, m, "k", "again"); err != nil {
		t.Error(err)
	}
	run(store.CompactTask)
	if got := s.SQL(t, "SELECT count(*) FROM "+schema(t, where)+".meta"); got != "1" {
		t.Errorf("%s rows of meta", got)
	}
}

// The isolation that the role or the database has by default loses no write.
func TestDefaultIsolation(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	m := open(t, with(t, where, "default_transaction_isolation", "serializable"))
	other := open(t, with(t, where, "default_transaction_isolation", "repeatable read"))
	var wg sync.WaitGroup
	for _, m := range []store.Engine{m, other} {
		for i := range 4 {
			wg.Go(func() {
				for n := range 10 {
					if err := set(t.Context(), m, fmt.Sprintf("%d/%d", i, n), "x"); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
}

// A writer that stopped in a transaction does not keep the others from writing for long.
func TestStoppedWriter(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "waits until the server ends a transaction")
	ctx, where := t.Context(), pgtest.URL(t)
	m, other := open(t, where), open(t, where)
	inside, stopped := make(chan struct{}), make(chan error, 1)
	goOn := make(chan struct{})
	go func() {
		stopped <- m.Update(ctx, func(tx store.Tx) error {
			err := tx.Settings().Set(ctx, "k", "stopped")
			if _, e := tx.Settings().Get(ctx, "k"); err == nil { // sends it
				err = e
			}
			close(inside)
			<-goOn
			return err
		})
	}()
	<-inside
	deadline := time.Now().Add(30 * time.Second)
	err := set(ctx, other, "k", "other")
	for store.IsBusy(err) && time.Now().Before(deadline) {
		err = set(ctx, other, "k", "other")
	}
	if err != nil {
		t.Error(err)
	}
	close(goOn)
	// The last message of the server may be read, or the connection is only found closed.
	if code := kb.CodeOf(<-stopped); code != kb.Conflict && code != kb.Damaged {
		t.Errorf("the write that was ended: %v", code)
	}
	if got := get(t, m, "k"); got != "other" {
		t.Errorf("%q is kept", got)
	}
}

// A commit that waits for the disk is found, whatever number of others came after it.
func TestManyCommitsOfOthers(t *testing.T) {
	t.Parallel()
	where := pgtest.URL(t)
	m := open(t, where)
	s := pgtest.Shared(t)
	s.SQL(t, fmt.Sprintf("CREATE FUNCTION %[1]s.crowd() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "+
		"INSERT INTO %[1]s.commits SELECT new.number + i, i FROM generate_series(1, 5000) i; UPDATE %[1]s.meta SET changes = changes + 5000; RETURN NULL; END$$; "+
		"CREATE TRIGGER crowd AFTER INSERT ON %[1]s.commits FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION %[1]s.crowd()", schema(t, where)))
	for i := range 8 {
		if err := set(t.Context(), m, "k", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// The outcome of a commit is looked up also when it is the last of as many statements as are
// sent together.
func TestUnknownOutcomeOfManyStatements(t *testing.T) {
	t.Parallel()
	var c cutter
	where := pgtest.URL(t)
	m := open(t, with(t, where, "host", c.serve(t, pgtest.Shared(t).Dir), "default_query_exec_mode", "cache_describe"))
	ctx := t.Context()
	c.deliver.Store(true)
	for n := 494; n <= 500; n++ {
		write := func(value string) error {
			return m.Update(ctx, func(tx store.Tx) error {
				for range n {
					if err := tx.Settings().Set(ctx, "k", value); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := write("first"); err != nil {
			t.Fatal(err)
		}
		c.armed.Store(true)
		err := write(fmt.Sprint(n)) // it may be cut in the middle of the message
		if got := get(t, m, "k"); (err == nil) != (got == fmt.Sprint(n)) || c.armed.Load() {
			t.Errorf("%d: %s, %v", n, got, err)
		}
	}
}

// A server that lost its lease writes on, sees that it lost it, and takes it again.
func TestLostLease(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	m := open(t, with(t, where, "application_name", schema(t, where)))
	holds := func() bool { return m.(store.Leaser).Holds(ctx, "serve") }
	if holds() {
		t.Error("held without a call of Lock")
	}
	for range 2 {
		unlock, err := m.Lock(ctx, "serve", store.Lease, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, where).Lock(ctx, "serve", store.Lease, 0); !store.IsBusy(err) {
			t.Errorf("taken twice: %v", err)
		}
		if !holds() {
			t.Error("not held")
		}
		pgtest.Shared(t).SQL(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+schema(t, where)+"'")
		if err := set(ctx, m, "k", "v"); err != nil {
			t.Errorf("a write after the lease was lost: %v", err)
		}
		if holds() {
			t.Error("held after its connection was lost")
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}
