package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// embeddedMigrations are the real ones.
func embeddedMigrations(t testing.TB) []migration {
	t.Helper()
	all, err := readMigrations(embedded)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// openWith opens with other migrations than the embedded ones.
func openWith(t *testing.T, path string, all []migration) (*DB, error) {
	t.Helper()
	d := newDB(path, Options{Clock: fixedClock, BusyTime: store.BusyTime})
	if err := d.ensureFile(); err != nil {
		t.Fatal(err)
	}
	err := d.prepareWith(context.Background(), all)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, err
}

func withNext(all []migration, sql string) []migration {
	return append(all[:len(all):len(all)], migration{Number: len(all) + 1, Name: "next", SQL: sql, Checksum: "c"})
}

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	for name, fsys := range map[string]fstest.MapFS{
		"none":   {},
		"gap":    {"migrations/0001_a.sql": file, "migrations/0003_b.sql": file},
		"twice":  {"migrations/0001_a.sql": file, "migrations/0001_b.sql": file},
		"letter": {"migrations/a_b.sql": file},
		"noname": {"migrations/0001.sql": file},
	} {
		if got, err := readMigrations(fsys); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestOlderMemoryIsBackedUpAndMigrated(t *testing.T) {
	t.Parallel()
	path, all := made(t), embeddedMigrations(t)
	next := withNext(all, "CREATE TABLE later (x TEXT) STRICT; INSERT INTO later SELECT value FROM settings WHERE key = 'k';")
	db, err := openWith(t, path, next)
	if err != nil {
		t.Fatal(err)
	}
	info, err := db.Info(context.Background())
	if err != nil || info.Schema != len(next) {
		t.Errorf("schema %d, %v", info.Schema, err)
	}
	backup := openAt(t, db.BackupPath(len(all)), Options{MustExist: true})
	if got := get(t, backup, "k"); got != "v" {
		t.Errorf("backup has %q", got)
	}
	// This cairn refuses what the newer one made.
	_, err = Open(context.Background(), path, Options{})
	if e := wantCode(t, err, kb.Damaged); e.Details["schema"] != len(next) || e.Details["supported"] != len(all) {
		t.Errorf("details %v", e.Details)
	}
}

func TestFailedMigrationLeavesTheOldMemory(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"syntax":    "CREATE TABLE later (x TEXT) STRICT; CREATE GARBAGE;",
		"reference": "CREATE TABLE later (x INTEGER REFERENCES spaces) STRICT; PRAGMA defer_foreign_keys = 1; INSERT INTO later VALUES (77);",
	} {
		path := made(t)
		if _, err := openWith(t, path, withNext(embeddedMigrations(t), sql)); err == nil {
			t.Fatalf("%s: no error", name)
		}
		db := openAt(t, path, Options{MustExist: true})
		if got := get(t, db, "k"); got != "v" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestChangedMigrationIsRefused(t *testing.T) {
	t.Parallel()
	path, all := made(t), embeddedMigrations(t)
	all[0].Checksum = "another"
	_, err := openWith(t, path, all)
	wantCode(t, err, kb.Damaged)
	openAt(t, path, Options{MustExist: true})
}

func TestEmptyFileBecomesAMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	set(t, openAt(t, path, Options{MustExist: true}), "k", "v")
}

func TestReadOnlyDoesNotMigrate(t *testing.T) {
	t.Parallel()
	path, all := made(t), embeddedMigrations(t)
	d := newDB(path, Options{ReadOnly: true, BusyTime: store.BusyTime})
	err := d.prepareWith(context.Background(), withNext(all, "CREATE TABLE later (x TEXT) STRICT"))
	wantCode(t, errors.Join(err, d.Close()), kb.Damaged)
}

// A process that has the memory open when a newer cairn brings it up to date reads
// and writes nothing more: what it would write is of the old schema.
func TestMemoryMigratedUnderAProcess(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path, all := made(t), embeddedMigrations(t)
	old := startHolder(t, path)
	old.tell("set before", "done")
	db := openAt(t, path, Options{}) // another, in this process
	newer, err := openWith(t, path, withNext(all, "CREATE TABLE later (x TEXT) STRICT"))
	if err != nil {
		t.Fatal(err)
	}
	old.tell("set after", "damaged")
	old.tell("get before", "damaged")
	for name, err := range map[string]error{
		"write": db.Update(ctx, func(store.Tx) error { t.Error("the write began"); return nil }),
		"read":  db.View(ctx, func(store.Tx) error { t.Error("the reading began"); return nil }),
	} {
		if e := wantCode(t, err, kb.Damaged); e.Details["schema"] != len(all)+1 || e.Details["supported"] != len(all) || e.Hint == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	old.tell("close", "done")
	if err := newer.View(ctx, func(tx store.Tx) error {
		before, err := tx.Settings().Get(ctx, "before")
		after, e := tx.Settings().Get(ctx, "after")
		if before != "1" || after != "" {
			t.Errorf("before %q, after %q", before, after)
		}
		return errors.Join(err, e)
	}); err != nil {
		t.Error(err)
	}
}

// The table of spaces was made again: what refers to it stays, and no row number is used twice.
func TestSpacesKeepTheirRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	add := func(db *DB, name string) (row int64) {
		s := kb.Space{ID: kb.ID(name), Name: name, Kind: kb.DatabaseSpace}
		if err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Spaces().Add(t.Context(), &s) }); err != nil {
			t.Fatal(err)
		}
		return s.Row
	}
	db, err := openWith(t, path, embeddedMigrations(t)[:37])
	if err != nil {
		t.Fatal(err)
	}
	stays, last := add(db, "stays"), add(db, "gone")
	if err := db.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.Spaces().Map(t.Context(), "/work/**", stays), tx.Spaces().Remove(t.Context(), last))
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, Options{MustExist: true})
	if row := add(db, "new"); row != last+1 {
		t.Errorf("the new space has row %d, and %d was used", row, last)
	}
	if err := db.View(t.Context(), func(tx store.Tx) error {
		maps, err := tx.Spaces().Maps(t.Context())
		if len(maps) != 1 || maps[0].Space != stays {
			t.Errorf("mappings: %v", maps)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	for name, sql := range map[string]string{"the name": "UPDATE spaces SET name = 'new'", "a reference": "INSERT INTO mappings VALUES ('/x', 99)"} {
		if err := db.Update(t.Context(), func(store.Tx) error { _, err := db.writer.exec(t.Context(), sql); return err }); err == nil {
			t.Errorf("%s is not checked any more", name)
		}
	}
}
