package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// filled makes a memory with something in every table.
func filled(t testing.TB, db *DB) {
	t.Helper()
	ctx := context.Background()
	space := addSpace(t, db, "s")
	docs := vault(space, 20, 3)
	docs[0].Pages[0].Properties = []kb.Property{{Key: "stage", Text: "design"}}
	docs[0].Pages[0].Items = []kb.Item{{Kind: kb.TaskItem, Text: "read", State: "todo", Line: 3}}
	putAll(t, db, docs)
	if err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Links().Put(t.Context(), docs) }); err != nil {
		t.Fatal(err)
	}
	body := []byte(strings.Repeat("the bytes of a page ", 30))
	if err := db.Update(ctx, func(w store.Tx) error {
		var versions []*store.NewVersion
		for _, d := range docs {
			versions = append(versions, &store.NewVersion{Bytes: body, Version: kb.Version{Space: space, Page: d.ID, Change: kb.Created, Path: d.Path, Hash: sum(body)}})
		}
		if err := w.Gaps().Log(ctx, &kb.Gap{Space: space, Hash: kb.QuestionHash("who?"), Last: time.Unix(1, 0)}); err != nil {
			return err
		}
		if err := w.Models().Put(ctx, store.Model{Name: "m", Dims: 4}); err != nil {
			return err
		}
		if err := w.Vectors().Put(ctx, []store.PageVectors{{Page: docs[0].Pages[0].Page.Row, Model: "m", Hash: docs[0].Hash, Chunks: 1, Info: body, Values: body, SpareInfo: body, SpareValues: body}}); err != nil {
			return err
		}
		return w.History().Record(ctx, &kb.Write{Time: time.Unix(1, 0), Operation: "sync"}, versions)
	}); err != nil {
		t.Fatal(err)
	}
}

// swept are the faults that Sweep mends.
var swept = map[string]bool{
	"name of no page": true, "tag of no page": true, "row in links of no page": true, "row in observations of no page": true,
	"vectors of no page": true, "vectors of no page: 1": true,
	"other pages than are embedded: 1": true, "other pages than are embedded: 2": true, "than are embedded: 1": true,
	"count of pages that is wrong: 1": true, "count of pages that is wrong: 2": true,
	"with the sum of another file": true, "sum of another file: 2": true,
	"bytes of no version": true, "page of no segment": true,
	"other rows of names and tags": true, "than its lists: 2": true, "than its lists: 1": true,
}

func TestValidateFindsPlantedFaults(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	for rule, plant := range map[string]string{
		"page of another space":              "UPDATE pages SET space = 99 WHERE row = 1",
		"document with another id":           "UPDATE documents SET id = 'other' WHERE row = 1",
		"document without a page":            "INSERT INTO documents SELECT 99, space, 'x', 'x', 0, format, hash, 0, 0, 0, 0, 'x', 0, NULL, NULL, NULL, NULL FROM documents LIMIT 1",
		"with the sum of another file":       "UPDATE documents SET file_sum = 7 WHERE row = 1",
		"sum of another file: 2":             "UPDATE documents SET size = size + 1, mod_time_ns = 1, file_sum = 8 WHERE row IN (1, 2)",
		"count of pages that is wrong: 1":    "DELETE FROM page_counts WHERE status = 'active'",
		"count of pages that is wrong: 2":    "UPDATE page_counts SET pages = pages + 1 WHERE status = 'active'",
		"name of no page":                    "INSERT INTO names VALUES ('x', 99)",
		"tag of no page":                     "INSERT INTO tags VALUES ('x', 99, 'x')",
		"other rows of names and tags":       "DELETE FROM names WHERE page = 1; INSERT INTO names VALUES ('another', 1)",
		"than its lists: 2":                  "UPDATE tags SET tag = 'other' WHERE page IN (1, 2)",
		"than its lists: 1":                  "DELETE FROM tags WHERE page = 1",
		"page of no segment":                 "INSERT INTO lexical_pages VALUES (99 << 32, x'00')",
		"versions that do not count from 1":  "UPDATE versions SET version = 3 WHERE seq = 1",
		"neither there nor deleted":          "UPDATE versions SET page = 'x' WHERE seq = 1",
		"row in links of no page":            "UPDATE links SET row = row + (99 << 24) WHERE row = 1 << 24",
		"row in observations of no page":     "UPDATE observations SET row = row + (99 << 24) WHERE row = 1 << 24",
		"vectors of no page":                 "UPDATE embedded SET page = 99",
		"vectors of no page: 1":              "UPDATE embedded SET document = 99",
		"other pages than are embedded: 1":   "UPDATE bundles SET bytes = x'00'",
		"other pages than are embedded: 2":   "UPDATE bundles SET number = 99",
		"than are embedded: 1":               "DELETE FROM bundles",
		"of embedded refers to nothing":      "UPDATE embedded SET model = 99",
		"of bundles refers to nothing":       "UPDATE bundles SET model = 99",
		"version of no write":                "UPDATE writes SET last = last - 1",
		"version of no space":                "UPDATE versions SET space = 99 WHERE seq = 1",
		"version without its bytes":          "UPDATE versions SET hash = x'00' WHERE seq = 1",
		"version without its bytes: 1":       "UPDATE versions SET side_hash = x'00' WHERE seq = 1",
		"bytes of no version":                "INSERT INTO blobs VALUES (99, x'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 0, 0, x'')",
		"stored bytes":                       "UPDATE blobs SET codec = 0",
		"row 16777216 of links refers":       "UPDATE links SET target = 99 WHERE row = 1 << 24",
		"of gaps refers to nothing":          "UPDATE gaps SET space = 99",
		"structure: CHECK constraint failed": "PRAGMA ignore_check_constraints = 1; UPDATE gaps SET question = 'who?'",
		`the trigger "planted" is not`:       "CREATE TRIGGER planted AFTER INSERT ON versions BEGIN DELETE FROM blobs; END",
		`the trigger "sqlite_stat1" is not`:  "CREATE TRIGGER planted AFTER INSERT ON versions BEGIN DELETE FROM blobs; END; PRAGMA writable_schema = 1; UPDATE sqlite_schema SET name = 'sqlite_stat1', sql = replace(sql, 'planted', 'sqlite_stat1') WHERE name = 'planted'",
		`the view "planted" is not of cairn`: "CREATE VIEW planted AS SELECT * FROM pages",
		`the table "planted" is not of`:      "CREATE TABLE planted (x)",
		`the trigger "page_added" is not of`: "DROP TRIGGER page_added; CREATE TRIGGER page_added AFTER INSERT ON pages BEGIN DELETE FROM blobs; END",
		"schema: 2 of its parts are missing": "DROP INDEX links_key; DROP TRIGGER page_removed",
		"of documents refers to nothing":     "UPDATE documents SET space = 99 WHERE row = 1",
		"missing from index links_key":       "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = sql || ' WHERE key = 1' WHERE name = 'links_key'; PRAGMA writable_schema = RESET; UPDATE links SET key = 'x' WHERE row = 1 << 24; PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, ' WHERE key = 1', '') WHERE name = 'links_key'",
		"structure: NULL value in pages.tit": "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'title       TEXT NOT NULL', 'title       TEXT') WHERE name = 'pages'; PRAGMA writable_schema = RESET; UPDATE pages SET title = NULL; PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'title       TEXT', 'title       TEXT NOT NULL') WHERE name = 'pages'",
	} {
		t.Run(rule, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			db := openAt(t, path, Options{})
			filled(t, db)
			if err := db.Validate(ctx); err != nil {
				t.Fatalf("a sound memory: %v", err)
			}
			c, err := connect(strings.Replace(dsn(path, true, false, time.Second), "_foreign_keys=1", "_foreign_keys=0", 1))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.interruptible(ctx, plant); err != nil {
				t.Fatal(err)
			}
			if err := c.close(); err != nil {
				t.Fatal(err)
			}
			db = openAt(t, path, Options{})
			e := wantCode(t, db.Validate(ctx), kb.Damaged)
			faults, _ := e.Details["faults"].([]string)
			if !strings.Contains(strings.Join(faults, "\n"), rule) {
				t.Errorf("faults: %q", faults)
			}
			if e.Details["derived"] != swept[rule] {
				t.Errorf("%q is derived: %v", faults, e.Details["derived"])
			}
			if !swept[rule] {
				return
			}
			if err := db.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			if err := db.Validate(ctx); err != nil {
				t.Errorf("after the sweep: %v", err)
			}
		})
	}
}

// A flipped bit in text cannot be told from another text; everything else is
// found, or reading fails with a code that says so.
func TestFlippedBitsNeverCrash(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openAt(t, path, Options{})
	filled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for page := 0; page < len(whole)/pageSize; page++ {
		for i, at := range []int{0, 5, pageSize - 30} {
			damaged := bytes.Clone(whole)
			damaged[page*pageSize+at] ^= 1 << (i % 8)
			err := readDamaged(ctx, filepath.Join(t.TempDir(), fmt.Sprintf("%d-%d.db", page, at)), damaged)
			if err == nil {
				continue
			}
			found++
			if code := kb.CodeOf(err); code != kb.Damaged {
				t.Errorf("page %d byte %d: code %s: %v", page, at, code, err)
			}
		}
	}
	if found < len(whole)/pageSize {
		t.Errorf("%d faults found in %d pages", found, len(whole)/pageSize)
	}
}

// A memory that ends too early is refused when it is opened or validated.
// SQLite takes a file of one byte for an empty one, from which nothing can be lost.
func TestTruncatedMemoryIsFound(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openAt(t, path, Options{})
	filled(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lengths := []int{2, 15, 16, 99, 100, 101, 511, 512}
	for page := 1; page < len(whole)/pageSize; page++ {
		lengths = append(lengths, page*pageSize-1, page*pageSize, page*pageSize+1)
	}
	for _, n := range append(lengths, len(whole)-1) {
		err := readDamaged(t.Context(), filepath.Join(t.TempDir(), "memory.db"), whole[:n])
		if kb.CodeOf(err) != kb.Damaged || err == nil {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func readDamaged(ctx context.Context, path string, content []byte) (err error) {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return err
	}
	db, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	err = db.Validate(ctx)
	if e := db.Close(); err == nil {
		err = e
	}
	return err
}
