package lexical

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"
)

// Small segments are merged in tiers. The segments of a tier are about mergeWidth times as
// large as those of the tier below, and mergeWidth segments of one tier are merged into one.
// So a document is rewritten once for each tier, and the number of segments grows with the
// logarithm of the size.
//
// Apply merges up to smallMerge bytes, some tens of milliseconds of work, in one of a
// thousand calls. Larger tiers are left to Merge, until there are maxSegments, which would
// make each search slow.
const (
	mergeWidth  = 8
	firstTier   = 16 << 10
	smallMerge  = 4 << 20
	maxSegments = 64

	partMerge    = 32 << 20 // in one call of MergePart
	nextMerge    = 64 << 20 // in one call of MergeNext
	manySegments = 16
)

// Merge makes the index as fast to search as possible and frees the space of deleted
// documents. It merges all segments into one, or, if one segment contains nearly everything,
// the other ones. It reads and writes that part of the index, so it should be called after a
// first sync and in maintenance.
func (x *Index) Merge(ctx context.Context, w Writer) error {
	segments, err := x.openAll(ctx, w)
	if err != nil || len(segments) == 0 {
		return err
	}
	slices.SortStableFunc(segments, func(a, b *segment) int { return a.size() - b.size() })
	last := len(segments) - 1
	largest, rest := segments[last], 0
	for _, s := range segments[:last] {
		rest += s.size()
	}
	if rest*mergeWidth < largest.size() && (largest.docs-largest.live)*mergeWidth < largest.docs {
		segments = segments[:last]
	}
	if len(segments) == 0 || len(segments) == 1 && segments[0].live == segments[0].docs {
		return nil
	}
	return x.merge(ctx, w, segments)
}

// Purge rewrites all segments without any trace of deleted documents, including words that
// only these had. A merge leaves such words in the lists of their stems.
func (x *Index) Purge(ctx context.Context, w Writer) error {
	segments, err := x.openAll(ctx, w)
	if err != nil || len(segments) == 0 {
		return err
	}
	live := map[string]bool{}
	for _, s := range segments {
		m, in := merger{x: x, w: w}, newMergeInput(s)
		in.to = make([]uint32, s.docs)
		for ord := range in.to {
			if !s.isLive(uint32(ord)) {
				in.to[ord] = gone
			}
		}
		for {
			ok, err := in.next(ctx, w)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if in.entry.isStem() {
				continue
			}
			if m.parts = m.parts[:0]; live[string(in.entry.key)] {
				continue
			}
			if err := m.read(ctx, in); err != nil {
				return err
			}
			if len(m.parts) > 0 {
				live[string(in.entry.key)] = true
			}
		}
	}
	return x.mergeLive(ctx, w, segments, live)
}

// MergeNext is Merge in several short calls, and reports whether it should be called again. A
// large index keeps several segments, each with few deleted documents.
func (x *Index) MergeNext(ctx context.Context, w Writer) (more bool, err error) {
	return x.mergeNext(ctx, w, nextMerge)
}

// mergeNext merges up to this many bytes, or a sixteenth of the index.
func (x *Index) mergeNext(ctx context.Context, w Writer, most int) (more bool, err error) {
	segments, err := x.openAll(ctx, w)
	if err != nil {
		return false, err
	}
	total := 0
	for _, s := range segments {
		total += s.size()
	}
	if total <= most {
		return false, x.Merge(ctx, w)
	}
	part := max(most, total/manySegments)
	more, err = x.mergeChosen(ctx, w, func(tables []*table) []*table { return choosePart(tables, true, part) })
	if err != nil || more {
		return more, err
	}
	for _, s := range segments {
		if s.live < s.docs && (s.docs-s.live)*mergeWidth >= s.docs {
			return true, x.merge(ctx, w, []*segment{s})
		}
	}
	return false, nil
}

// MergePart is a part of Merge for use after many additions: it merges up to partMerge
// bytes, so that nobody waits for long, and reports whether it should be called again, with
// begun set. It only starts if there are more than manySegments.
func (x *Index) MergePart(ctx context.Context, w Writer, begun bool) (more bool, err error) {
	return x.mergeChosen(ctx, w, func(tables []*table) []*table { return choosePart(tables, begun, partMerge) })
}

// choosePart returns the segments to merge into a part: the first ones that fill it; or nil.
func choosePart(tables []*table, begun bool, part int) (chosen []*table) {
	if !begun && len(tables) <= manySegments {
		return nil
	}
	total := 0
	for _, t := range tables {
		if t.size() > part/2 {
			continue
		}
		if total += t.size(); total > part {
			break
		}
		chosen = append(chosen, t)
	}
	if len(chosen) < 2 {
		return nil
	}
	return chosen
}

// first returns the least id in the segment.
func (s *segment) first() int64 {
	if len(s.ids) == 0 {
		return 0
	}
	return s.ids[0]
}

// MergeSmall merges full tiers.
func (x *Index) MergeSmall(ctx context.Context, w Writer) error {
	for {
		if more, err := x.mergeChosen(ctx, w, chooseMerge); err != nil || !more {
			return err
		}
	}
}

// mergeChosen merges the segments that choose returns, and reports whether there were any.
func (x *Index) mergeChosen(ctx context.Context, w Writer, choose func([]*table) []*table) (bool, error) {
	stored, err := w.Segments(ctx)
	if err != nil || len(stored) < 2 {
		return false, err
	}
	// The choice needs only the headers.
	tables, err := headers(stored)
	if err != nil {
		return false, err
	}
	chosen := choose(tables)
	if chosen == nil {
		return false, nil
	}
	var pages []PageAt
	for _, t := range chosen {
		pages = append(pages, t.pages()...)
	}
	if err := w.Ahead(ctx, pages); err != nil {
		return false, err
	}
	segments := make([]*segment, 0, len(chosen))
	for i, t := range tables {
		if !slices.Contains(chosen, t) {
			continue
		}
		s, err := x.open(ctx, w, t, stored[i])
		if err != nil {
			return false, err
		}
		segments = append(segments, s)
	}
	return true, x.merge(ctx, w, segments)
}

// chooseMerge returns the segments to merge now, or nil.
func chooseMerge(tables []*table) []*table {
	bySize := slices.Clone(tables)
	slices.SortStableFunc(bySize, func(a, b *table) int { return a.size() - b.size() })
	for from := 0; from < len(bySize); {
		limit, to, total := firstTier, from, 0
		for limit <= bySize[from].size() {
			limit *= mergeWidth
		}
		for to < len(bySize) && bySize[to].size() < limit {
			total += bySize[to].size()
			to++
		}
		if to-from >= mergeWidth && total <= smallMerge {
			return bySize[from:to]
		}
		from = to
	}
	if len(bySize) > maxSegments {
		return bySize[:maxSegments/2]
	}
	return nil
}

// merge replaces segments by one with their live documents.
func (x *Index) merge(ctx context.Context, w Writer, segments []*segment) error {
	return x.mergeLive(ctx, w, segments, nil)
}

// mergeLive is merge; if live is not nil, words that are not in it are removed from the
// lists of stems.
func (x *Index) mergeLive(ctx context.Context, w Writer, segments []*segment, live map[string]bool) error {
	// With this order postings are sorted if the segments were written one after the other.
	segments = slices.Clone(segments)
	slices.SortStableFunc(segments, func(a, b *segment) int { return cmp.Compare(a.first(), b.first()) })
	inputs, ids, lengths := mergedTable(segments)
	if len(ids) > 0 {
		out, err := newSegmentWriter(ctx, w, ids, lengths)
		if err != nil {
			return err
		}
		m := merger{x: x, w: w, out: out, result: out.postingsWriter(), live: live}
		for _, s := range segments {
			if s.deleted != nil || s.isFormer() {
				m.again = kin{}
			}
		}
		for _, in := range inputs {
			if err := m.start(ctx, in); err != nil {
				return err
			}
		}
		if err := m.run(ctx); err != nil {
			return err
		}
		if err := out.close(ctx); err != nil {
			return err
		}
	}
	for _, s := range segments {
		if err := w.DropSegment(ctx, s.id); err != nil {
			return err
		}
	}
	return nil
}

// gone is the new ordinal of a deleted document.
const gone = ^uint32(0)

// mergeInput is a segment being merged.
type mergeInput struct {
	*segment
	to        []uint32 // new ordinals
	page      int      // next page of the dictionary
	reader    *dictionaryReader
	entry     entry
	postings  pageCursor
	positions pageCursor
	cursor    cursor
}

func newMergeInput(s *segment) *mergeInput {
	return &mergeInput{segment: s, postings: pageCursor{stream: streamPostings}, positions: pageCursor{stream: streamPositions}}
}

// mergedTable returns the inputs with their new ordinals, and the ids and lengths of the
// merged segment.
func mergedTable(segments []*segment) ([]*mergeInput, []int64, [fieldCount][]byte) {
	type source struct {
		id    int64
		input int
		ord   uint32
	}
	var docs []source
	inputs := make([]*mergeInput, len(segments))
	for i, s := range segments {
		inputs[i] = newMergeInput(s)
		inputs[i].to = make([]uint32, s.docs)
		for ord, id := range s.ids {
			inputs[i].to[ord] = gone
			if s.isLive(uint32(ord)) {
				docs = append(docs, source{id, i, uint32(ord)})
			}
		}
	}
	sort.Slice(docs, func(i, j int) bool { return docs[i].id < docs[j].id })
	ids := make([]int64, len(docs))
	var lengths [fieldCount][]byte
	for ord, d := range docs {
		ids[ord] = d.id
		inputs[d.input].to[d.ord] = uint32(ord)
		for f, codes := range segments[d.input].lengths {
			if codes == nil || codes[d.ord] == 0 {
				continue
			}
			if lengths[f] == nil {
				lengths[f] = make([]byte, len(docs))
			}
			lengths[f][ord] = codes[d.ord]
		}
	}
	return inputs, ids, lengths
}

// pageCursor reads a stream forwards, a page at a time and without the cache, which a merge
// would only empty.
type pageCursor struct {
	stream Stream
	page   int // next page
	off    int // offset of buf in the stream
	buf    []byte
}

// read returns n bytes from an offset that does not descend.
func (c *pageCursor) read(ctx context.Context, r Reader, t *table, off, n int) ([]byte, error) {
	if off < c.off || n < 0 || off > t.sizes[c.stream]-n {
		return nil, damaged("a term points outside its segment")
	}
	skip := min(off-c.off, len(c.buf))
	c.buf, c.off = c.buf[skip:], c.off+skip
	for off+n > c.off+len(c.buf) {
		raw, err := r.Pages(ctx, t.id, c.stream, c.page, c.page+1)
		if err != nil {
			return nil, err
		}
		payload, err := unsealed(raw, c.stream, c.page)
		if err != nil {
			return nil, err
		}
		c.page++
		c.buf = append(c.buf[:len(c.buf):len(c.buf)], payload...)
		skip := min(off-c.off, len(c.buf))
		c.buf, c.off = c.buf[skip:], c.off+skip
	}
	return c.buf[off-c.off:][:n], nil
}

// merger merges dictionaries.
type merger struct {
	x      *Index
	w      Writer
	out    *segmentWriter
	inputs []*mergeInput // those with remaining entries
	parts  []posting
	result postingsWriter
	forms  []string
	ords   []uint32
	again  kin             // for recounting; nil if the counts of the inputs can be added
	live   map[string]bool // words that stems may list; nil for all
}

// posting is a posting of the merged segment.
type posting struct {
	ord         uint32
	fields      FieldSet
	frequencies [fieldCount]uint32
	count       int
	positions   []byte
}

// start reads an input's first entry.
func (m *merger) start(ctx context.Context, in *mergeInput) error {
	ok, err := in.next(ctx, m.w)
	if ok {
		m.inputs = append(m.inputs, in)
	}
	return err
}

// next reads the next entry.
func (in *mergeInput) next(ctx context.Context, r Reader) (bool, error) {
	for {
		if in.reader != nil {
			ok, err := in.reader.next(&in.entry)
			if ok || err != nil {
				return ok, err
			}
		}
		if in.page == in.termPages {
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		raw, err := r.Pages(ctx, in.id, streamTerms, in.page, in.page+1)
		if err != nil {
			return false, err
		}
		payload, err := unsealed(raw, streamTerms, in.page)
		if err != nil {
			return false, err
		}
		in.page++
		in.reader = in.readDictionary(payload)
	}
}

// run merges until all inputs are read.
func (m *merger) run(ctx context.Context) error {
	var key []byte
	var same []*mergeInput
	for len(m.inputs) > 0 {
		least := m.inputs[0].entry.key
		for _, in := range m.inputs[1:] {
			if bytes.Compare(in.entry.key, least) < 0 {
				least = in.entry.key
			}
		}
		key = append(key[:0], least...)
		same = same[:0]
		for _, in := range m.inputs {
			if bytes.Equal(in.entry.key, key) {
				same = append(same, in)
			}
		}
		if err := m.entry(ctx, key, same); err != nil {
			return err
		}
		for _, in := range same {
			ok, err := in.next(ctx, m.w)
			if err != nil {
				return err
			}
			if ok && bytes.Compare(in.entry.key, key) <= 0 {
				return damaged("the dictionary's order")
			}
			if !ok {
				m.inputs = slices.DeleteFunc(m.inputs, func(i *mergeInput) bool { return i == in })
			}
		}
	}
	return nil
}

// entry writes the entry of a key from the inputs that have it.
func (m *merger) entry(ctx context.Context, key []byte, inputs []*mergeInput) error {
	if key[0] == stemMark {
		return m.stem(ctx, string(key[1:]), inputs)
	}
	m.parts = m.parts[:0]
	again := 0
	for _, in := range inputs {
		if err := m.read(ctx, in); err != nil {
			return err
		}
		again += in.entry.again
	}
	byOrdinal := func(a, b posting) int { return int(a.ord) - int(b.ord) }
	if !slices.IsSortedFunc(m.parts, byOrdinal) {
		slices.SortFunc(m.parts, byOrdinal)
	}
	if m.again != nil {
		m.ords = m.ords[:0]
		for i := range m.parts {
			m.ords = append(m.ords, m.parts[i].ord)
		}
		again = m.again.count(string(key), m.ords)
	}
	if len(m.parts) == 0 {
		return nil
	}
	m.result.reset(len(m.parts))
	for i := range m.parts {
		p := &m.parts[i]
		if i > 0 && p.ord == m.parts[i-1].ord {
			return damaged("postings")
		}
		m.result.add(p.ord, p.fields, p.frequencies[:p.count])
		m.result.positions = append(m.result.positions, p.positions...)
	}
	return m.out.word(ctx, key, &m.result, again)
}

// read appends an input's live postings to parts.
func (m *merger) read(ctx context.Context, in *mergeInput) error {
	e := &in.entry
	b, err := in.postings.read(ctx, m.w, in.table, e.postings, e.postSize)
	if err != nil {
		return err
	}
	positions, err := in.positions.read(ctx, m.w, in.table, e.positions, e.posSize)
	if err != nil {
		return err
	}
	return in.eachPosting(e, b, func(ord uint32, n *counts) error {
		rest, ok := skipVarints(positions, n.total)
		if !ok {
			return damaged("positions")
		}
		own := positions[:len(positions)-len(rest)]
		positions = rest
		if to := in.to[ord]; to != gone {
			m.parts = append(m.parts, posting{to, n.fields, n.of, bits.OnesCount16(uint16(n.fields)), own})
		}
		return nil
	})
}

// stem writes the union of the words of a stem. A word with only deleted
// documents stays in it: a search finds no postings for it.
func (m *merger) stem(ctx context.Context, stem string, inputs []*mergeInput) error {
	m.forms = m.forms[:0]
	for _, in := range inputs {
		if err := in.entry.eachWord(func(w []byte) { m.forms = append(m.forms, string(w)) }); err != nil {
			return err
		}
	}
	slices.Sort(m.forms)
	m.forms = slices.Compact(m.forms)
	if m.live != nil {
		if m.forms = slices.DeleteFunc(m.forms, func(w string) bool { return !m.live[w] }); len(m.forms) == 0 {
			return nil
		}
	}
	if m.again != nil && len(m.forms) > 0 {
		m.again.add(stem, m.forms)
	}
	return m.out.stem(ctx, stem, m.forms)
}
