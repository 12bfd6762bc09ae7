package relational

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
)

// fullText stores the segments of the full-text index.
type fullText struct{ t *Tx }

// Lexical returns the storage of the full-text index in this transaction. In a
// reading transaction its writing methods fail.
func (t *Tx) Lexical() lexical.Writer { return fullText{t} }

// pageRow returns the row of a page; see migrations/0002_lexical.sql.
func pageRow(segment int64, s lexical.Stream, page int) int64 {
	return segment<<32 | int64(s)<<29 | int64(page)
}

func (f fullText) Segments(ctx context.Context) ([]lexical.Segment, error) {
	var all []lexical.Segment
	err := f.t.query(ctx, "SELECT row, header, deletes FROM lexical_segments ORDER BY row", nil, func(r Row) error {
		all = append(all, lexical.Segment{ID: r.Int(0), Header: r.Blob(1), Deletes: r.Blob(2)})
		return nil
	})
	return all, err
}

// ReadPages reads pages of the full-text index by the range of their rows.
const ReadPages = "SELECT bytes FROM lexical_pages WHERE row >= ? AND row < ? ORDER BY row"

// maxAhead is the maximum number of pages that are read ahead.
const maxAhead = 512

// IsFar implements lexical.Reader.
func (f fullText) IsFar() bool { return f.t.d.Far }

// Ahead implements lexical.Reader. The connection caches the results.
func (f fullText) Ahead(ctx context.Context, pages []lexical.PageAt) error {
	if !f.t.d.Far || len(pages) < 2 {
		return nil
	}
	var once []lexical.PageAt
	seen := map[lexical.PageAt]bool{}
	for _, p := range pages {
		if !seen[p] && len(once) < maxAhead {
			seen[p] = true
			once = append(once, p)
		}
	}
	return f.singly(ctx, once, func(Row) error { return nil })
}

// singly requests pages together, but each by itself, since some may be cached.
func (f fullText) singly(ctx context.Context, pages []lexical.PageAt, g func(Row) error) error {
	var args [][]any
	for _, p := range pages {
		args = append(args, []any{pageRow(p.Segment, p.Stream, p.Page), pageRow(p.Segment, p.Stream, p.Page+1)})
	}
	return f.t.each(ctx, ReadPages, args, g)
}

func (f fullText) Pages(ctx context.Context, segment int64, s lexical.Stream, from, to int) (all []byte, err error) {
	add := func(r Row) error {
		if all == nil {
			all = slices.Clip(r.Blob(0)) // the cache may share it
			return nil
		}
		all = append(all, r.Blob(0)...)
		return nil
	}
	if !f.t.d.Far || to-from == 1 {
		err = f.t.query(ctx, ReadPages, []any{pageRow(segment, s, from), pageRow(segment, s, to)}, add)
	} else {
		var pages []lexical.PageAt
		for page := from; page < to; page++ {
			pages = append(pages, lexical.PageAt{Segment: segment, Stream: s, Page: page})
		}
		err = f.singly(ctx, pages, add)
	}
	return all, err
}

func (f fullText) CreateSegment(ctx context.Context) (int64, error) {
	id, err := f.t.insert(ctx, "lexical_segments", nil, "INSERT INTO lexical_segments (row) VALUES (?)")
	if err == nil && id >= 1<<31 {
		return 0, kb.Errorf(kb.Internal, "the full-text index is out of segment numbers").
			WithHint("rebuild the index")
	}
	return id, err
}

// PutPage stores a page.
const PutPage = "INSERT INTO lexical_pages (row, bytes) VALUES (?, ?)"

func (f fullText) PutPage(ctx context.Context, segment int64, s lexical.Stream, page int, data []byte) error {
	err := f.t.exec(ctx, PutPage, pageRow(segment, s, page), data)
	return err
}

func (f fullText) PutHeader(ctx context.Context, segment int64, header []byte) error {
	err := f.t.exec(ctx, "UPDATE lexical_segments SET header = ? WHERE row = ?", header, segment)
	return err
}

func (f fullText) PutDeletes(ctx context.Context, segment int64, deletes []byte) error {
	err := f.t.exec(ctx, "UPDATE lexical_segments SET deletes = ? WHERE row = ?", deletes, segment)
	return err
}

func (f fullText) DropSegment(ctx context.Context, segment int64) error {
	if err := f.t.exec(ctx, "DELETE FROM lexical_segments WHERE row = ?", segment); err != nil {
		return err
	}
	err := f.t.exec(ctx, "DELETE FROM lexical_pages WHERE row >= ? AND row < ?",
		pageRow(segment, 0, 0), pageRow(segment+1, 0, 0))
	return err
}
