package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxFaults is how many faults Validate names.
const maxFaults = 20

// orphans are queries that give rows in one case only: when the database
// breaks a rule that SQLite does not hold itself.
var orphans = map[string]string{
	"page of another space than its document": `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.space <> d.space`,
	"document with another id than its page":  `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.node = '' AND p.id <> d.id`,
	"document without a page":                 `SELECT 1 FROM documents d WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.document = d.row)`,
	"name of no page":                         `SELECT 1 FROM names WHERE page NOT IN (SELECT row FROM pages)`,
	"tag of no page":                          `SELECT 1 FROM tags WHERE page NOT IN (SELECT row FROM pages)`,
	"vectors of no page":                      `SELECT 1 FROM vectors WHERE page NOT IN (SELECT row FROM pages)`,
	"vectors twice for a page and model":      `SELECT 1 FROM vectors GROUP BY model, page HAVING count(*) > 1`,
	"version of no write":                     `SELECT 1 FROM versions v WHERE NOT EXISTS (SELECT 1 FROM writes w WHERE w.id = v.write AND v.seq BETWEEN w.first AND w.last)`,
	"version of no space":                     `SELECT 1 FROM versions WHERE space NOT IN (SELECT row FROM spaces)`,
	"version whose bytes are gone":            `SELECT 1 FROM versions WHERE hash IS NOT NULL AND pruned = 0 AND hash NOT IN (SELECT hash FROM blobs)`,
	"bytes of no version":                     `SELECT 1 FROM blobs WHERE hash NOT IN (SELECT hash FROM versions WHERE hash IS NOT NULL)`,
}

// Validate reads the whole database and checks its structure, references and
// the hashes of all stored bytes. kb.Damaged with detail "faults", a list of
// sentences, when something is wrong.
func (d *DB) Validate(ctx context.Context) error {
	var faults []string
	err := d.View(ctx, func(v store.Tx) (err error) {
		faults, err = v.(*tx).faults(ctx)
		return err
	})
	if err != nil || len(faults) == 0 {
		return err
	}
	return kb.Errorf(kb.Damaged, "the memory at %s has %d faults, the first: %s", d.path, len(faults), faults[0]).
		WithHint("run `cairn doctor`").With("faults", faults[:min(len(faults), maxFaults)])
}

func (t *tx) faults(ctx context.Context) ([]string, error) {
	var faults []string
	note := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if err := t.query(ctx, "PRAGMA integrity_check", nil, func(r row) error {
		if r.text(0) != "ok" {
			note("structure: %s", r.text(0))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return faults, nil // queries over a broken structure say nothing new
	}
	if err := t.query(ctx, "PRAGMA foreign_key_check", nil, func(r row) error {
		note("row %d of %s refers to nothing", r.int(1), r.text(0))
		return nil
	}); err != nil {
		return nil, err
	}
	for rule, sql := range orphans {
		if err := t.countFaults(ctx, sql, rule, note); err != nil {
			return nil, err
		}
	}
	for _, table := range factTables {
		sql := fmt.Sprintf("SELECT 1 FROM %s WHERE row >> %d NOT IN (SELECT row FROM pages)", table, factBits)
		if err := t.countFaults(ctx, sql, "row in "+table+" of no page", note); err != nil {
			return nil, err
		}
	}
	if err := t.blobFaults(ctx, note); err != nil {
		return nil, err
	}
	slices.Sort(faults)
	return faults, nil
}

func (t *tx) countFaults(ctx context.Context, sql, rule string, note func(string, ...any)) error {
	n := 0
	_, err := t.one(ctx, "SELECT count(*) FROM ("+sql+")", nil, func(r row) { n = r.num(0) })
	if n > 0 {
		note("%s: %d", rule, n)
	}
	return err
}

// blobFaults reads all stored bytes and compares their hashes.
func (t *tx) blobFaults(ctx context.Context, note func(string, ...any)) error {
	return t.query(ctx, "SELECT hash, bytes, size, codec FROM blobs", nil, func(r row) error {
		hash := r.hash(0)
		if _, err := verified(hash, r.blob(1), r.int(2), r.num(3)); err != nil {
			note("stored bytes %s do not have their hash", hash)
		}
		return nil
	})
}
