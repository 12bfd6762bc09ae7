package relational

import (
	"context"
	"encoding/binary"
)

// A bundle holds the vectors of a model for up to 32 pages, those with row
// numbers that differ in the last bits only:
//
//	values  of the pages, concatenated
//	infos   of the pages, concatenated
//	sizes   8 bytes for each of 32 places, big-endian: 4 of the size of the
//	        page's info, 4 of the size of its values
//
// 32 pages of five vectors each are about 64 kB: large enough that reading all
// takes little longer than copying, small enough that rewriting them costs
// nothing compared to embedding one page. The sizes add up to the length, so a
// damaged one is noticed; damage within the pieces is left to their reader.
type bundle [bundlePages]pieces

// pieces are a page's part of a bundle. Info is empty where the page has no
// vectors, and only there.
type pieces struct{ info, values []byte }

const (
	bundleBits  = 5 // also in migration 0007
	bundlePages = 1 << bundleBits
	sizesLength = 8 * bundlePages
)

// bundleOf returns the number of a page's bundle and its place there.
func bundleOf(page int64) (number int64, place int) {
	return page >> bundleBits, int(page & (bundlePages - 1))
}

// decodeBundle decodes the result of encode. The bundle and the values of all its pages
// share the memory of bytes. ok is false if they are damaged.
func decodeBundle(bytes []byte) (b bundle, values []byte, ok bool) {
	start := len(bytes) - sizesLength
	if start < 0 {
		return b, nil, false
	}
	sizes := func(place int) (info, values int) {
		at := bytes[start+8*place:]
		return int(binary.BigEndian.Uint32(at)), int(binary.BigEndian.Uint32(at[4:]))
	}
	infos, after := 0, start // where the values start, and the infos
	for i := range b {
		info, size := sizes(i)
		infos += size
		after -= info
	}
	if infos != after {
		return b, nil, false
	}
	values = bytes[:infos:infos]
	for i, at := 0, 0; i < len(b); i++ {
		info, size := sizes(i)
		if info == 0 {
			at += size
			continue
		}
		b[i] = pieces{bytes[infos : infos+info : infos+info], values[at : at+size : at+size]}
		infos += info
		at += size
	}
	return b, values, true
}

// encode returns the stored form of the bundle; nil if no page has vectors.
func (b *bundle) encode() []byte {
	length, pages := sizesLength, 0
	for _, p := range b {
		if len(p.info) > 0 {
			length += len(p.info) + len(p.values)
			pages++
		}
	}
	if pages == 0 {
		return nil
	}
	out := make([]byte, 0, length)
	for _, p := range b {
		if len(p.info) > 0 {
			out = append(out, p.values...)
		}
	}
	for _, p := range b {
		out = append(out, p.info...)
	}
	for _, p := range b {
		if len(p.info) == 0 {
			out = append(out, make([]byte, 8)...)
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(p.info)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(p.values)))
	}
	return out
}

// readBundle returns a bundle, possibly empty.
func (t *Tx) readBundle(ctx context.Context, model, number int64) (b bundle, err error) {
	ok := true
	_, err = t.one(ctx, "SELECT bytes FROM bundles WHERE model = ? AND number = ?", []any{model, number},
		func(r Row) { b, _, ok = decodeBundle(r.Blob(0)) })
	if err == nil && !ok {
		return t.damagedBundle(ctx, model, number)
	}
	return b, err
}

// damagedBundle replaces an unreadable bundle: its pages get invalid vectors, which the user
// of the vectors notices.
func (t *Tx) damagedBundle(ctx context.Context, model, number int64) (b bundle, err error) {
	first := number << bundleBits
	err = t.query(ctx, "SELECT page FROM embedded WHERE model = ? AND page BETWEEN ? AND ?",
		[]any{model, first, first + bundlePages - 1}, func(r Row) error {
			_, place := bundleOf(r.Int(0))
			b[place].info = []byte{0}
			return nil
		})
	return b, err
}

// rebundling changes bundles, one at a time: for pages in order it reads and writes each
// bundle once. flush writes the last one.
type rebundling struct {
	t             *Tx
	open          bool
	model, number int64
	bundle
}

// set replaces the vectors of a page.
func (b *rebundling) set(ctx context.Context, model, page int64, to pieces) error {
	place, err := b.seek(ctx, model, page)
	if err != nil {
		return err
	}
	b.bundle[place] = to
	return nil
}

// get returns the vectors of a page.
func (b *rebundling) get(ctx context.Context, model, page int64) (pieces, error) {
	place, err := b.seek(ctx, model, page)
	if err != nil {
		return pieces{}, err
	}
	return b.bundle[place], nil
}

// seek opens the bundle of a page, and returns the page's place in it.
func (b *rebundling) seek(ctx context.Context, model, page int64) (place int, err error) {
	number, place := bundleOf(page)
	if b.open && b.model == model && b.number == number {
		return place, nil
	}
	if err := b.flush(ctx); err != nil {
		return 0, err
	}
	is, err := b.t.readBundle(ctx, model, number)
	if err != nil {
		return 0, err
	}
	b.open, b.model, b.number, b.bundle = true, model, number, is
	return place, nil
}

func (b *rebundling) flush(ctx context.Context) error {
	if !b.open {
		return nil
	}
	b.open = false
	if bytes := b.encode(); bytes != nil {
		// Not an update: readers track changes by row number.
		if err := b.t.exec(ctx, "DELETE FROM bundles WHERE model = ? AND number = ?", b.model, b.number); err != nil {
			return err
		}
		return b.t.exec(ctx, "INSERT INTO bundles (model, number, bytes) VALUES (?, ?, ?)", b.model, b.number, bytes)
	}
	err := b.t.exec(ctx, "DELETE FROM bundles WHERE model = ? AND number = ?", b.model, b.number)
	return err
}
