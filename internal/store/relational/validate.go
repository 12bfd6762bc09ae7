package relational

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxFaults is the maximum number of faults that Validate names.
const maxFaults = 20

// rule is a constraint that no database enforces by itself.
type rule struct {
	broken string // the message for a violation
	rows   string // selects a row for each violation
	sweep  string // deletes such rows if they are derived or not needed; else ""
}

// noPage returns the condition for rows with a reference in column to a page that does not
// exist.
func noPage(column string) string { return column + " NOT IN (SELECT row FROM pages)" }

// belongsToNothing returns a rule about orphaned rows of a table, which match a condition.
func belongsToNothing(broken, table, condition string) rule {
	return rule{broken, "SELECT 1 FROM " + table + " WHERE " + condition, "DELETE FROM " + table + " WHERE " + condition}
}

// returned selects the spaces that were returned after Forget and are not derived again yet.
const returned = "(SELECT row FROM spaces WHERE derivation < 0)"

func rules() []rule {
	all := []rule{
		{broken: "page of another space than its document", rows: `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.space <> d.space`},
		{broken: "document with another id than its page", rows: `SELECT 1 FROM pages p JOIN documents d ON d.row = p.document WHERE p.node = '' AND p.id <> d.id`},
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

// Validate checks the references between rows, and the hashes of all stored bytes.
func (t *Tx) Validate(ctx context.Context, found *Faults) error {
	if err := t.blobFaults(ctx, found); err != nil {
		return err
	}
	for _, r := range rules() {
		if err := t.check(ctx, r, found); err != nil {
			return err
		}
	}
	sums, err := t.wrongSums(ctx)
	if len(sums) > 0 {
		found.derived("document with the sum of another file: %d", len(sums))
	}
	if err != nil {
		return err
	}
	unlike, err := t.unlikeLists(ctx)
	if len(unlike) > 0 {
		found.derived("page with other rows of names and tags than its lists: %d", len(unlike))
	}
	if err != nil {
		return err
	}
	bundles, err := t.unlikeBundles(ctx)
	if len(bundles) > 0 {
		found.derived("bundle of vectors of other pages than are embedded: %d", len(bundles))
	}
	return err
}

func (t *Tx) check(ctx context.Context, r rule, found *Faults) error {
	n := 0
	if _, err := t.one(ctx, "SELECT count(*) FROM ("+r.rows+") AS broken", nil, func(r Row) { n = r.Num(0) }); err != nil {
		return err
	}
	if n > 0 && r.sweep == "" {
		found.Add("%s: %d", r.broken, n)
	} else if n > 0 {
		found.derived("%s: %d", r.broken, n)
	}
	return nil
}

// wrongSums returns the correct sums of documents with wrong ones, by row.
func (t *Tx) wrongSums(ctx context.Context) (map[int64]any, error) {
	wrong := map[int64]any{}
	err := t.query(ctx, "SELECT "+documentColumns+", file_sum FROM documents", nil, func(r Row) error {
		doc := scanDocument(r)
		if want := documentSum(doc); want != r[documentWidth] {
			wrong[doc.Row] = want
		}
		return nil
	})
	return wrong, err
}

// Faults collects the problems that Validate finds.
type Faults struct {
	all     []string
	lasting bool // Sweep does not repair all of it
}

// Add records a fault that Sweep does not repair.
func (f *Faults) Add(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
	f.lasting = true
}

func (f *Faults) derived(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

// None reports whether nothing was found.
func (f *Faults) None() bool { return len(f.all) == 0 }

// Err returns the error for the faults of the memory at a location, nil for none.
func (f *Faults) Err(location string) error {
	if f.None() {
		return nil
	}
	slices.Sort(f.all)
	return kb.Errorf(kb.Damaged, "the memory at %s has %d faults, the first: %s", location, len(f.all), f.all[0]).
		WithReason(kb.MemoryInvalid).
		With("faults", f.all[:min(len(f.all), maxFaults)]).With("derived", !f.lasting)
}

// Sweep deletes orphaned rows and vectors, and restores names and tags from their pages:
// everything that Validate calls derived.
func (t *Tx) Sweep(ctx context.Context) error {
	for _, r := range rules() {
		if r.sweep == "" {
			continue
		}
		if err := t.exec(ctx, r.sweep); err != nil {
			return err
		}
	}
	sums, err := t.wrongSums(ctx)
	if err != nil {
		return err
	}
	for row, sum := range sums {
		if err := t.exec(ctx, "UPDATE documents SET file_sum = ? WHERE row = ?", sum, row); err != nil {
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
}

// blobFaults reads all stored bytes and checks their hashes.
func (t *Tx) blobFaults(ctx context.Context, found *Faults) error {
	return t.query(ctx, "SELECT hash, bytes, size, codec FROM blobs", nil, func(r Row) error {
		hash := r.Hash(0)
		if !sound(hash, r.Blob(1), r.Int(2), r.Num(3)) {
			found.Add("stored bytes %s do not have their hash", hash)
		}
		return nil
	})
}
