package sqlite

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxFaults is how many faults Validate names.
const maxFaults = 20

// rule is something that SQLite does not hold itself.
type rule struct {
	broken string // the message when it is
	rows   string // gives a row for each that breaks it
	sweep  string // takes such rows away, where they are derived or needed by nobody; "" where they are not
}

// noPage is a condition on rows with a page in this column that does not exist.
func noPage(column string) string { return column + " NOT IN (SELECT row FROM pages)" }

// belongsToNothing is a rule about orphaned rows of a table, given by a
// condition.
func belongsToNothing(broken, table, condition string) rule {
	return rule{broken, "SELECT 1 FROM " + table + " WHERE " + condition, "DELETE FROM " + table + " WHERE " + condition}
}

// wrongSum is a condition on documents with a sum that does not match their
// columns.
const wrongSum = "file_sum IS NOT " + rightSum

// returned are the spaces that were forgotten, returned and not derived again yet.
const returned = "(SELECT row FROM spaces WHERE derivation < 0)"

func rules() []rule {
	all := []rule{
		{broken: "page of another space than its document", rows: `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.space <> d.space`},
		{broken: "document with another id than its page", rows: `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.node = '' AND p.id <> d.id`},
		{broken: "document with the sum of another file", rows: "SELECT 1 FROM documents WHERE " + wrongSum, sweep: "UPDATE documents SET file_sum = " + rightSum + " WHERE " + wrongSum},
		{broken: "document without a page", rows: `SELECT 1 FROM documents d WHERE NOT EXISTS (SELECT 1 FROM pages p WHERE p.document = d.row) AND d.space NOT IN ` + returned},
		{broken: "count of pages that is wrong", rows: wrongCounts, sweep: recount},
		{broken: "version of no write", rows: `SELECT 1 FROM versions v WHERE NOT EXISTS (SELECT 1 FROM writes w WHERE w.id = v.write AND v.seq BETWEEN w.first AND w.last)`},
		{broken: "version of no space", rows: `SELECT 1 FROM versions WHERE space NOT IN (SELECT row FROM spaces)`},
		{broken: "version without its bytes", rows: `SELECT 1 FROM version_bytes WHERE pruned = 0 AND hash NOT IN (SELECT hash FROM blobs)`},
		{broken: "page with versions that do not count from 1", rows: `SELECT 1 FROM versions GROUP BY page, space HAVING min(version) <> 1 OR max(version) <> count(*)`},
		{broken: "page that is neither there nor deleted", rows: `SELECT 1 FROM versions v WHERE v.change <> 'deleted'
AND NOT EXISTS (SELECT 1 FROM versions n WHERE n.page = v.page AND n.space = v.space AND n.version > v.version)
AND NOT EXISTS (SELECT 1 FROM pages p WHERE p.id = v.page AND p.space = v.space) AND v.space NOT IN ` + returned},
		{broken: "version of no write in a forgotten space", rows: `SELECT 1 FROM forgotten_versions v WHERE NOT EXISTS
(SELECT 1 FROM forgotten_writes w WHERE w.space = v.space AND w.id = v.write AND v.seq BETWEEN w.first AND w.last)`},
		belongsToNothing("name of no page", "names", noPage("page")),
		belongsToNothing("tag of no page", "tags", noPage("page")),
		belongsToNothing("vectors of no page", "embedded", "NOT EXISTS (SELECT 1 FROM pages p WHERE p.row = page AND p.document = embedded.document)"),
		belongsToNothing("bytes of no version", "blobs", "hash NOT IN (SELECT hash FROM version_bytes)"),
		belongsToNothing("page of no segment of the full text", "lexical_pages", "row >> 32 NOT IN (SELECT row FROM lexical_segments)"),
	}
	for _, table := range factTables {
		all = append(all, belongsToNothing("row in "+table+" of no page", table, noPage(fmt.Sprintf("row >> %d", factBits))))
	}
	return all
}

// Validate implements store.Validator.
func (d *DB) Validate(ctx context.Context) error {
	var found faults
	err := d.View(ctx, func(v store.Tx) error {
		if err := d.wholePages(ctx, v.(*tx), &found); err != nil {
			return err
		}
		return v.(*tx).validate(ctx, &found)
	})
	if err != nil || len(found.all) == 0 {
		return err
	}
	slices.Sort(found.all)
	return kb.Errorf(kb.Damaged, "the memory at %s has %d faults, the first: %s", d.path, len(found.all), found.all[0]).
		WithReason(kb.MemoryInvalid).
		With("faults", found.all[:min(len(found.all), maxFaults)]).With("derived", !found.lasting)
}

// faults are the problems found.
type faults struct {
	all     []string
	lasting bool // Sweep does not mend all of it
}

func (f *faults) add(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
	f.lasting = true
}

// wholePages finds a file that ends within a page: SQLite reads zeros there, which
// is what many a page ends with.
func (d *DB) wholePages(ctx context.Context, t *tx, found *faults) error {
	if d.options.temporary {
		return nil // there are no files
	}
	var size int64
	if _, err := t.one(ctx, "PRAGMA page_size", nil, func(r row) { size = r.int(0) }); err != nil {
		return err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return fsys.Explain(err, "look at the memory at %s", d.path)
	}
	if info.Size()%size != 0 {
		found.add("structure: the file ends within a page")
	}
	return nil
}

func (t *tx) validate(ctx context.Context, found *faults) error {
	if err := t.query(ctx, "PRAGMA integrity_check", nil, func(r row) error {
		if r.text(0) != "ok" {
			found.add("structure: %s", r.text(0))
		}
		return nil
	}); err != nil {
		return err
	}
	if len(found.all) > 0 {
		return nil // queries over a broken structure add nothing
	}
	if err := t.query(ctx, "PRAGMA foreign_key_check", nil, func(r row) error {
		found.add("row %d of %s refers to nothing", r.int(1), r.text(0))
		return nil
	}); err != nil {
		return err
	}
	if err := t.blobFaults(ctx, found); err != nil {
		return err
	}
	for _, r := range rules() {
		n := 0
		if _, err := t.one(ctx, "SELECT count(*) FROM ("+r.rows+")", nil, func(r row) { n = r.num(0) }); err != nil {
			return err
		}
		if n > 0 {
			found.all = append(found.all, fmt.Sprintf("%s: %d", r.broken, n))
			found.lasting = found.lasting || r.sweep == ""
		}
	}
	unlike, err := t.unlikeLists(ctx)
	if len(unlike) > 0 {
		found.all = append(found.all, fmt.Sprintf("page with other rows of names and tags than its lists: %d", len(unlike)))
	}
	if err != nil {
		return err
	}
	bundles, err := t.unlikeBundles(ctx)
	if len(bundles) > 0 {
		found.all = append(found.all, fmt.Sprintf("bundle of vectors of other pages than are embedded: %d", len(bundles)))
	}
	return err
}

// Sweep takes away rows and vectors that belong to nothing and that nobody
// needs, and repeats names and tags from their pages: all that Validate calls
// derived.
func (d *DB) Sweep(ctx context.Context) error {
	return d.Update(ctx, func(v store.Tx) error {
		t := v.(*tx)
		for _, r := range rules() {
			if r.sweep == "" {
				continue
			}
			if _, err := t.exec(ctx, r.sweep); err != nil {
				return err
			}
		}
		unlike, err := t.unlikeLists(ctx)
		if err != nil {
			return err
		}
		for _, page := range unlike {
			if err := t.repeatLists(ctx, page); err != nil {
				return err
			}
		}
		bundles, err := t.unlikeBundles(ctx)
		if err != nil {
			return err
		}
		for _, key := range bundles {
			if err := t.mendBundle(ctx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// blobFaults reads all stored bytes and compares their hashes.
func (t *tx) blobFaults(ctx context.Context, found *faults) error {
	return t.query(ctx, "SELECT hash, bytes, size, codec FROM blobs", nil, func(r row) error {
		hash := r.hash(0)
		if _, err := verified(hash, r.blob(1), r.int(2), r.num(3)); err != nil {
			found.add("stored bytes %s do not have their hash", hash)
		}
		return nil
	})
}
