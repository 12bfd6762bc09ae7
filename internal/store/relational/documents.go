package relational

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

type documents struct{ t *Tx }

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
		if err := d.t.exec(ctx, "DELETE FROM documents WHERE row = ?", row); err != nil {
			return err
		}
	}
	return d.t.dropVectors(ctx, gone)
}

func (d documents) States(ctx context.Context, space int64) ([]store.FileState, error) {
	var n int
	if _, err := d.t.one(ctx, "SELECT count(*) FROM documents WHERE space = ?", []any{space}, func(r Row) { n = r.Num(0) }); err != nil {
		return nil, err
	}
	out := make([]store.FileState, 0, n)
	err := d.t.query(ctx, "SELECT "+stateColumns+" FROM documents WHERE space = ? ORDER BY path", []any{space}, func(r Row) error {
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
func (r Row) side(i int) kb.Sidecar {
	return kb.Sidecar{Hash: r.Hash(i), Size: r.Int(i + 1), ModTime: r.TimeNS(i + 2)}
}

// sideValues returns the values of sideColumns for a sidecar.
func sideValues(s kb.Sidecar) []any {
	if !s.Exists() {
		return []any{nil, nil, nil}
	}
	return []any{s.Hash[:], s.Size, nanos(s.ModTime)}
}

func (r Row) state() store.FileState {
	return store.FileState{
		Row: r.Int(0), ID: kb.ID(r.Text(1)), Path: r.Text(2), Hash: r.Hash(3), Size: r.Int(4),
		ModTime: r.TimeNS(5), Indexed: r.Time(6), Declared: r.Int(7) == 1, Side: r.side(8),
	}
}

const (
	documentColumns = `row, space, id, path, format, hash, size, mod_time_ns, indexed, version, recorded, ` + sideColumns
	documentWidth   = 14
)

func scanDocument(r Row) *store.Document {
	return &store.Document{
		Row: r.Int(0), Space: r.Int(1), ID: kb.ID(r.Text(2)), Path: r.Text(3), Format: r.Text(4), Hash: r.Hash(5),
		Size: r.Int(6), ModTime: r.TimeNS(7), Indexed: r.Time(8), Version: r.Num(9), Recorded: r.Time(10), Side: r.side(11),
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
	found, err := d.t.one(ctx, sql, args, func(r Row) { doc = scanDocument(r) })
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
			" WHERE p.document IN ("+list+") ORDER BY p.document, p.position", args, func(r Row) error {
			page, err := scanPage(r)
			if err != nil {
				return err
			}
			rec := store.PageRecord{
				Page: page, Declared: kb.ID(r.Text(pageWidth)), TruthSum: r.Int(pageWidth + 2), TimelineSum: r.Int(pageWidth + 3),
			}
			rec.Names, err = r.List(pageWidth + 1)
			out[r.Int(pageWidth+4)] = append(out[r.Int(pageWidth+4)], rec)
			return err
		})
	})
	for _, doc := range rows {
		if err != nil || out[doc] != nil {
			continue
		}
		var there bool // documents of a returned space have no pages at first
		if there, err = d.t.one(ctx, "SELECT 1 FROM documents WHERE row = ?", []any{doc}, func(Row) {}); err == nil && !there {
			err = kb.Errorf(kb.NotFound, "no such document")
		}
	}
	return out, err
}

func (d documents) Touch(ctx context.Context, row int64, size int64, modTime, sideTime, indexed time.Time) error {
	if err := d.t.exec(ctx, "UPDATE pages SET updated = ? WHERE document = ? AND updated = (SELECT mod_time_ns / 1000 FROM documents WHERE row = ?)",
		micros(modTime), row, row); err != nil {
		return err
	}
	doc, err := d.ByRow(ctx, row)
	if err != nil {
		return err
	}
	doc.Size, doc.ModTime, doc.Indexed = size, modTime, indexed
	var side any
	if doc.Side.Exists() {
		doc.Side.ModTime, side = sideTime, nanos(sideTime)
	}
	return d.t.exec(ctx, "UPDATE documents SET size = ?, mod_time_ns = ?, side_mod_time_ns = ?, indexed = ?, file_sum = ? WHERE row = ?",
		size, nanos(modTime), side, micros(indexed), documentSum(doc), row)
}

// Hash reads a column of 32 bytes; zero for NULL.
func (r Row) Hash(i int) (h kb.Hash) {
	copy(h[:], r.Blob(i))
	return h
}

// hashOrNull returns h as a column value, NULL for the zero hash.
func hashOrNull(h kb.Hash) any {
	if h.IsZero() {
		return nil
	}
	return h[:]
}

// blobOrNull returns b as a column value, NULL for nil. The driver binds an empty slice as
// NULL as well, which would make an empty policy vanish.
func blobOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
