package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

func opened(t *testing.T, where string) *DB {
	t.Helper()
	m, err := Driver{}.Open(t.Context(), where, store.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m.(*DB)
}

func setting(t *testing.T, d *DB) (value string) {
	t.Helper()
	if err := d.View(t.Context(), func(tx store.Tx) (err error) {
		value, err = tx.Settings().Get(t.Context(), "k")
		return err
	}); err != nil {
		t.Error(err)
	}
	return value
}

func setSetting(ctx context.Context, d *DB, value string) error {
	return d.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, "k", value) })
}

// A process that has the memory open sees what a migration changed, and one that opens it later
// says which schema it has.
func TestAnswersEndWithAMigration(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	open := opened(t, where)
	if err := setSetting(ctx, open, "before"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := setting(t, open); got != "before" {
			t.Errorf("%q is read", got)
		}
	}
	newer := opened(t, where)
	all, err := relational.ReadMigrations(embedded)
	if err != nil {
		t.Fatal(err)
	}
	later := relational.Migration{Number: len(all) + 1, Name: "later", SQL: "UPDATE settings SET value = 'after'", Checksum: "later"}
	if err := newer.with(ctx, func(c *conn) error { return newer.migrate(ctx, c, append(all, later)) }); err != nil {
		t.Fatal(err)
	}
	if got := setting(t, open); got != "after" {
		t.Errorf("%q is read after the migration", got)
	}
	if err := open.with(ctx, func(c *conn) error {
		return c.Query(ctx, "SELECT (SELECT count(*) FROM "+open.where.schema()+".commits c WHERE c.number = m.changes AND c.mark <> 0) FROM "+open.where.schema()+".meta m", nil, func(r row) error {
			if r.Int(0) != 1 {
				t.Error("the migration has no mark")
			}
			return nil
		})
	}); err != nil {
		t.Error(err)
	}
	if err := setSetting(ctx, open, "older"); kb.CodeOf(err) != kb.Damaged || kb.AsError(err).Reason == kb.NewerSchema {
		t.Errorf("a write of a process that had the memory open: %v", err)
	}
	again := opened(t, where)
	if got := setting(t, again); got != "after" {
		t.Errorf("%q is read", got)
	}
	err = setSetting(ctx, again, "older")
	if want := fmt.Sprintf("the memory at %s has schema %d, and this cairn knows schemas up to %d; nothing was changed", again.where.shown, later.Number, len(all)); kb.CodeOf(err) != kb.Damaged ||
		kb.AsError(err).Reason != kb.NewerSchema || kb.AsError(err).Message != want {
		t.Errorf("a write of a process that opened a newer memory: %v", err)
	}
}

// A row gets its number also while an answer is read, after a statement gave numbers itself.
func TestNumberWhileAnAnswerIsRead(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	rows := 0
	err := d.Update(ctx, func(store.Tx) error {
		c := d.writer
		return c.Query(ctx, "SELECT generate_series(1, 3000)::bigint", nil, func(r row) error {
			if rows++; rows == 1 {
				delete(c.numbers, "writes")
				if err := c.readNumber(ctx, "writes"); err != nil || c.numbers["writes"] != 0 {
					t.Errorf("number %d, %v", c.numbers["writes"], err)
				}
			}
			return nil
		})
	})
	if err != nil || rows != 3000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// A process was killed while it wrote down that it has a lock, and the server does so when another
// one has it: the write of that one is not refused.
func TestLateNoteOfALock(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	killed, d := opened(t, where), opened(t, where)
	unlock, err := d.Lock(ctx, "space-1", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.with(ctx, func(c *conn) error { return killed.note(ctx, c, "space-1", token(), int64(c.pg.PgConn().PID())) }); err != nil {
		t.Fatal(err)
	}
	if err := d.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, "k", "v") }); err != nil {
		t.Error(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// What is kept for each statement has a bound: filters make any number of statements.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	for i := range 2*maxStatements + 1 {
		sql := fmt.Sprintf("SELECT value FROM settings WHERE key = 'many %d' AND key <> ?", i)
		want := fmt.Sprintf("SELECT value FROM settings WHERE key = 'many %d' AND key <> $1", i)
		for range 2 { // found, and remembered
			if got := readingOf(sql).holds; got != untilRare {
				t.Fatalf("%s: lifetime %v", sql, got)
			}
			if got := translate(sql); got != want {
				t.Fatalf("%s: translation %s", sql, got)
			}
		}
	}
	size := func(kept int) {
		if t.Helper(); kept > maxStatements {
			t.Errorf("%d statements are kept", kept)
		}
	}
	readings.mu.RLock()
	size(len(readings.by))
	readings.mu.RUnlock()
	translated.mu.RLock()
	size(len(translated.by))
	translated.mu.RUnlock()

	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	if err := d.with(ctx, func(c *conn) error {
		often := statement{sql: "SELECT 0", qualified: true}
		var name string
		for range prepareAfter + 1 {
			var err error
			if name, err = c.prepared(ctx, often); err != nil {
				return err
			}
		}
		for i := range 2*maxStatements + 1 {
			if _, err := c.prepared(ctx, statement{sql: fmt.Sprintf("SELECT %d", i+1)}); err != nil {
				return err
			}
		}
		size(len(c.used))
		if again, err := c.prepared(ctx, often); again != name || name == "" || err != nil {
			t.Errorf("prepared as %q, then %q, %v", name, again, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// The first query of a View is prepared as well, once it was used often, though the View begins
// with it. One that cannot be prepared harms nobody.
func TestQueriesOfViewsArePrepared(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	const often = "SELECT value FROM settings WHERE key = ?"
	ask := func(key string, bad string) {
		t.Helper()
		if err := d.view(ctx, func(c *conn, _ store.Tx) error {
			err := c.Query(ctx, often, []any{key}, func(row) error { return nil })
			if bad != "" {
				c.wanted = map[string]bool{bad: true}
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
	for i := range prepareAfter + 3 {
		ask(fmt.Sprintf("key %d", i), "")
	}
	prepared := func() (uses string) {
		t.Helper()
		if err := d.with(ctx, func(c *conn) error {
			if err := c.ended(); err != nil {
				return err
			}
			results, err := c.simple(ctx, "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE name = '"+c.used[translate(often)].name+"'")
			if err == nil && len(results[0].Rows) == 1 {
				uses = string(results[0].Rows[0][0])
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		return uses
	}
	if got := prepared(); got != "2" {
		t.Errorf("the prepared query was used %q times", got)
	}
	ask("key", "SELECT value FROM nothing")
	ask("another key", "")
	if got := prepared(); got != "4" {
		t.Errorf("the prepared query was used %q times after one that cannot be prepared", got)
	}
}

// A connection whose prepared statements the server forgot, as some poolers make it do, fails once.
func TestForgottenStatements(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	failed := 0
	for i := range prepareAfter + 6 {
		if i == prepareAfter+3 {
			if err := d.with(ctx, func(c *conn) error {
				err := c.ended()
				if err == nil {
					_, err = c.simple(ctx, "DISCARD ALL")
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.view(ctx, func(c *conn, _ store.Tx) error {
			return c.Query(ctx, "SELECT value FROM settings WHERE key = ?", []any{fmt.Sprint(i)}, func(row) error { return nil })
		}); err != nil {
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("%d Views failed", failed)
	}
}

// A statement that took too long is not a write of another process: to try it again is in vain.
func TestRefusedByTime(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), opened(t, pgtest.URL(t))
	err := d.public(d.with(ctx, func(c *conn) error {
		if _, err := c.simple(ctx, "SET statement_timeout = 100"); err != nil {
			return err
		}
		defer c.end()
		return c.Query(ctx, "SELECT 1 FROM (SELECT pg_sleep(10)) s", nil, func(row) error { return nil })
	}))
	if !strings.Contains(fmt.Sprint(err), "the statement took longer than the server allows (SQLSTATE 57014)") || store.IsBusy(err) ||
		kb.CodeOf(err) != kb.Internal || kb.AsError(err).Reason != kb.DatabaseResources {
		t.Errorf("a statement that took too long: %s %s %v", kb.CodeOf(err), kb.AsError(err).Reason, err)
	}
	err = d.public(&pgconn.PgError{Code: "55P03"})
	if !store.IsBusy(err) || kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a lock that was not free in time: %v", err)
	}
}

// Connections that a process keeps for later do not keep its writer from having one.
func TestCrowdedServer(t *testing.T) {
	t.Parallel()
	ctx, where := t.Context(), pgtest.URL(t)
	role := "crowd_" + pgtest.Shared(t).SQL(t, "SELECT txid_current()")
	pgtest.Shared(t).SQL(t, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 2; GRANT CREATE ON DATABASE postgres TO "+role)
	d := opened(t, strings.Replace(where, "user=cairn", "user="+role, 1))
	if err := d.View(ctx, func(tx store.Tx) error {
		_, err := tx.Settings().All(ctx)
		return errors.Join(err, d.View(ctx, func(tx store.Tx) error {
			_, err := tx.Settings().All(ctx)
			return err
		}))
	}); err != nil {
		t.Fatal(err)
	}
	if err := d.Update(store.WithPatience(ctx, time.Minute), func(tx store.Tx) error { return tx.Settings().Set(ctx, "a", "b") }); err != nil {
		t.Error(err)
	}
}

// A process uses no more than its number of connections: further readers wait, and then fail.
func TestConnectionsOfAProcess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := opened(t, pgtest.URL(t))
	const most = maxIdle + 2
	d.conns.Limit(most, time.Second/2)
	var nest func(depth int) error
	nest = func(depth int) error {
		return d.View(ctx, func(tx store.Tx) error {
			if _, err := tx.Settings().All(ctx); err != nil || depth == 1 {
				return err
			}
			return nest(depth - 1)
		})
	}
	if err := nest(most); err != nil {
		t.Error(err)
	}
	if err := nest(most + 1); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("one too many: %v", err)
	}
	if err := nest(most); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
