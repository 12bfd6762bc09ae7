package sqlite

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type documents struct{ t *tx }

func (d documents) Remove(ctx context.Context, rows []int64) error {
	old, err := d.t.oldPages(ctx, rows)
	if err != nil {
		return err
	}
	var gone []int64
	for _, row := range rows {
		for _, p := range old[row] {
			if err := d.t.dropPage(ctx, p); err != nil {
				return err
			}
			gone = append(gone, p.row)
		}
		if _, err := d.t.exec(ctx, "DELETE FROM documents WHERE row = ?", row); err != nil {
			return err
		}
	}
	return d.t.dropVectors(ctx, gone)
}

func (d documents) States(ctx context.Context, space int64) ([]store.FileState, error) {
	var n int
	if _, err := d.t.one(ctx, "SELECT count(*) FROM documents WHERE space = ?", []any{space}, func(r row) { n = r.num(0) }); err != nil {
		return nil, err
	}
	out := make([]store.FileState, 0, n)
	err := d.t.query(ctx, "SELECT "+stateColumns+" FROM documents WHERE space = ? ORDER BY path", []any{space}, func(r row) error {
		out = append(out, r.state())
		return nil
	})
	return out, err
}

const (
	stateColumns = "row, id, path, hash, size, mod_time_ns, indexed, declared, " + sideColumns
	stateWidth   = 11
	sideColumns  = "side_hash, side_size, side_mod_time_ns"
)

// side reads sideColumns.
func (r row) side(i int) kb.Sidecar {
	return kb.Sidecar{Hash: r.hash(i), Size: r.int(i + 1), ModTime: r.timeNS(i + 2)}
}

// sideValues are sideColumns of a sidecar.
func sideValues(s kb.Sidecar) []any {
	if !s.Exists() {
		return []any{nil, nil, nil}
	}
	return []any{s.Hash[:], s.Size, nanos(s.ModTime)}
}

func (r row) state() store.FileState {
	return store.FileState{
		Row: r.int(0), ID: kb.ID(r.text(1)), Path: r.text(2), Hash: r.hash(3), Size: r.int(4),
		ModTime: r.timeNS(5), Indexed: r.time(6), Declared: r.int(7) == 1, Side: r.side(8),
	}
}

const documentColumns = `row, space, id, path, format, hash, size, mod_time_ns, indexed, version, recorded, ` + sideColumns

func scanDocument(r row) *store.Document {
	return &store.Document{
		Row: r.int(0), Space: r.int(1), ID: kb.ID(r.text(2)), Path: r.text(3), Format: r.text(4), Hash: r.hash(5),
		Size: r.int(6), ModTime: r.timeNS(7), Indexed: r.time(8), Version: r.num(9), Recorded: r.time(10), Side: r.side(11),
	}
}

func (d documents) ByPath(ctx context.Context, space int64, path string) (*store.Document, error) {
	return d.find(ctx, "SELECT "+documentColumns+" FROM documents WHERE space = ? AND path = ?", space, path)
}

func (d documents) ByRow(ctx context.Context, row int64) (*store.Document, error) {
	return d.find(ctx, "SELECT "+documentColumns+" FROM documents WHERE row = ?", row)
}

func (d documents) find(ctx context.Context, sql string, args ...any) (*store.Document, error) {
	var doc *store.Document
	found, err := d.t.one(ctx, sql, args, func(r row) { doc = scanDocument(r) })
	if err == nil && !found {
		return nil, kb.Errorf(kb.NotFound, "no such document")
	}
	return doc, err
}

func (d documents) Load(ctx context.Context, row int64) (*store.Document, error) {
	doc, err := d.ByRow(ctx, row)
	if err != nil {
		return nil, err
	}
	found, err := d.Records(ctx, []int64{row})
	if err != nil {
		return nil, err
	}
	read, own := pages{d.t}, found[row]
	for i := range own {
		rec := &own[i]
		page := rec.Page.Row
		var errs [8]error
		rec.Links, errs[0] = links{d.t}.plain(ctx, page)
		rec.Observations, errs[1] = read.Observations(ctx, page)
		rec.Entries, errs[2] = read.Entries(ctx, page)
		rec.Properties, errs[3] = read.Properties(ctx, page)
		rec.Items, errs[4] = read.pageItems(ctx, page)
		rec.Endings, errs[5] = read.endings(ctx, page)
		rec.Assertions, errs[6] = d.t.Assertions().List(ctx, store.AssertionFilter{Pages: []int64{page}})
		rec.Warnings, errs[7] = read.pageWarnings(ctx, page)
		if err := cmp.Or(errs[:]...); err != nil {
			return nil, err
		}
	}
	doc.Pages = own
	return doc, nil
}

func (d documents) Records(ctx context.Context, rows []int64) (map[int64][]store.PageRecord, error) {
	out := make(map[int64][]store.PageRecord, len(rows))
	err := chunks(rows, nil, func(list string, args []any) error {
		return d.t.query(ctx, "SELECT "+pageColumns+", p.declared, p.names, p.truth_sum, p.timeline_sum, p.document"+pageTables+
			" WHERE p.document IN ("+list+") ORDER BY p.document, p.position", args, func(r row) error {
			page, err := scanPage(r)
			if err != nil {
				return err
			}
			rec := store.PageRecord{
				Page: page, Declared: kb.ID(r.text(pageWidth)), TruthSum: r.int(pageWidth + 2), TimelineSum: r.int(pageWidth + 3),
			}
			rec.Names, err = r.list(pageWidth + 1)
			out[r.int(pageWidth+4)] = append(out[r.int(pageWidth+4)], rec)
			return err
		})
	})
	for _, doc := range rows {
		if err != nil || out[doc] != nil {
			continue
		}
		var there bool // a document of a space that was forgotten has no pages at first
		if there, err = d.t.one(ctx, "SELECT 1 FROM documents WHERE row = ?", []any{doc}, func(row) {}); err == nil && !there {
			err = kb.Errorf(kb.NotFound, "no such document")
		}
	}
	return out, err
}

func (d documents) Touch(ctx context.Context, row int64, size int64, modTime, sideTime, indexed time.Time) error {
	if _, err := d.t.exec(ctx, "UPDATE pages SET updated = ? WHERE document = ? AND updated = (SELECT mod_time_ns / 1000 FROM documents WHERE row = ?)",
		micros(modTime), row, row); err != nil {
		return err
	}
	n, err := d.t.change(ctx, `UPDATE documents SET size = ?1, mod_time_ns = ?2, side_mod_time_ns = iif(side_hash IS NULL, NULL, ?3), indexed = ?4,
file_sum = with_sidecar(file_sum(path, ?1, ?2, ?4), side_size, ?3, ?4) WHERE row = ?5`, size, nanos(modTime), nanos(sideTime), micros(indexed), row)
	if err == nil && n == 0 {
		return kb.Errorf(kb.NotFound, "no such document")
	}
	return err
}

// hash reads a column of 32 bytes; zero for NULL.
func (r row) hash(i int) (h kb.Hash) {
	copy(h[:], r.blob(i))
	return h
}

// hashOrNull is h as a column, NULL for the zero hash.
func hashOrNull(h kb.Hash) any {
	if h.IsZero() {
		return nil
	}
	return h[:]
}

// blobOrNull is b as a column, NULL for nil. The driver binds an empty slice
// as NULL too, which would make an empty policy vanish.
func blobOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
