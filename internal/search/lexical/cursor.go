package lexical

import "slices"

// noMore is the ordinal of an exhausted iterator.
const noMore = ^uint32(0)

// cursor iterates over the postings of a word in a segment, skipping unneeded blocks. After
// damage it is exhausted, and the searcher has the error.
type cursor struct {
	q *searcher
	s *segment
	form
	own    []byte // the postings, if they are in memory
	pages  pinned
	skips  *skips // nil if there are no full blocks
	blocks int
	rest   int // number of postings after the blocks

	block  int // current block
	loaded int // block in b; -1 for none
	b      block
	i      int    // index of the posting in it
	ord    uint32 // ordinal of the posting, if a block is loaded

	restWeight float32 // maximum weight of the rest, once computed
	places     *places // nil until positions are read
}

// cursor returns a cursor before the first posting of a word.
func (q *searcher) cursor(s *segment, w form) *cursor {
	c := &cursor{q: q, s: s, form: w, loaded: -1}
	c.blocks, c.rest = w.docs/postingBlock, w.docs%postingBlock
	if s.isFormer() {
		c.own = q.renewed(s, &w.entry)
		c.postSize = len(c.own)
	}
	if c.blocks > 0 && q.err == nil {
		c.skips = q.skipsOf(c)
	}
	if q.err != nil {
		c.end()
	}
	return c
}

// skipsOf returns the skips of a word, from the cache if possible.
func (q *searcher) skipsOf(c *cursor) *skips {
	key := pageKey{c.s.id, c.s.fingerprint, cachedSkips, c.postings}
	if v, ok := q.x.cache.get(key); ok {
		return v.(*skips)
	}
	k := c.readSkips()
	if k != nil {
		q.x.cache.put(key, k, skipSize*c.blocks)
	}
	return k
}

// readSkips reads the skips; nil if they are damaged.
func (c *cursor) readSkips() *skips {
	in := input{b: c.bytes(0, min(10, c.postSize))}
	size := in.below(maxStream)
	if in.bad {
		c.q.fail(damaged("postings"))
		return nil
	}
	b := c.bytes(in.at, size)
	if c.q.err != nil {
		return nil
	}
	k, err := readSkips(b, c.blocks, in.at+size, &c.entry, c.s.docs)
	if err != nil {
		c.q.fail(err)
		return nil
	}
	return k
}

// eachPosting calls f for each posting of a word, given the bytes of its postings.
func (in *mergeInput) eachPosting(e *entry, postings []byte, f func(ord uint32, n *counts) error) error {
	if in.isFormer() || e.docs < postingBlock { // the format of postings without blocks is the same
		return eachFormer(postings, e, in.docs, func(ord uint32, n *counts, _ int) error { return f(ord, n) })
	}
	c := &in.cursor
	*c = cursor{q: &searcher{}, s: in.segment, form: form{entry: *e}, own: postings, loaded: -1}
	c.blocks, c.rest = e.docs/postingBlock, e.docs%postingBlock
	if c.skips = c.readSkips(); c.skips == nil {
		return c.q.err
	}
	var n counts
	for c.next(); c.ord != noMore; c.next() {
		if !c.read(&n) {
			break
		}
		if err := f(c.ord, &n); err != nil {
			return err
		}
	}
	return c.q.err
}

// bytes returns n bytes of the postings from a position.
func (c *cursor) bytes(at, n int) []byte {
	if n < 0 || at > c.postSize-n {
		c.q.fail(damaged("postings"))
		return nil
	}
	if c.own != nil {
		return c.own[at:][:n]
	}
	return c.q.bytes(c.s.table, streamPostings, &c.pages, c.postings+at, n)
}

// end moves to the end.
func (c *cursor) end() {
	c.block, c.loaded, c.ord = c.total(), c.total(), noMore
	c.b.n = 0
}

// total returns the number of blocks, including the rest.
func (c *cursor) total() int {
	if c.rest > 0 {
		return c.blocks + 1
	}
	return c.blocks
}

// look moves to the first block that may have a posting from ord on, without loading it. It
// never moves back.
func (c *cursor) look(ord uint32) {
	for steps := 0; c.block < c.blocks && c.skips.last[c.block] < ord; steps++ {
		if c.block++; steps == 8 {
			n, _ := slices.BinarySearch(c.skips.last[c.block:], ord)
			c.block += n
		}
	}
}

// seek moves to the first posting with an ordinal from ord on. It never moves back.
func (c *cursor) seek(ord uint32) {
	if c.loaded >= 0 && c.ord >= ord {
		return
	}
	c.look(ord)
	if c.loaded != c.block && !c.load() {
		return
	}
	i, n, ords := c.i, c.b.n, &c.b.ords
	if i < n && ords[i] < ord {
		step := 1
		for i+step < n && ords[i+step] < ord {
			i += step
			step <<= 1
		}
		end := min(i+step, n)
		for i+1 < end {
			if mid := (i + end) / 2; ords[mid] < ord {
				i = mid
			} else {
				end = mid
			}
		}
		i = end
	}
	if i >= n {
		c.end()
		return
	}
	c.i, c.ord = i, ords[i]
}

// next moves to the next posting.
func (c *cursor) next() {
	if c.i+1 < c.b.n && c.loaded >= 0 {
		c.i++
		c.ord = c.b.ords[c.i]
		return
	}
	if c.loaded < 0 {
		c.seek(0)
		return
	}
	c.block = c.loaded + 1
	c.load()
}

// load reads the current block and moves to its first posting.
func (c *cursor) load() bool {
	if c.block >= c.total() || c.q.err != nil {
		c.end()
		return false
	}
	begin, at := uint32(0), 0
	if c.block > 0 {
		begin = c.skips.last[c.block-1] + 1
	}
	if c.skips != nil {
		at = c.skips.at[c.block]
	}
	ok := false
	if c.block < c.blocks {
		b := c.bytes(at, c.skips.at[c.block+1]-at)
		ok = c.b.unpack(b, begin, c.skips.last[c.block])
	} else {
		var left []byte
		left, ok = c.b.plain(c.bytes(at, c.postSize-at), c.rest, begin, c.s.docs)
		ok = ok && len(left) == 0
	}
	if !ok {
		c.q.fail(damaged("postings"))
		c.end()
		return false
	}
	c.q.blocks++
	c.loaded, c.i, c.ord = c.block, 0, c.b.ords[0]
	return true
}

// read reads the current posting.
func (c *cursor) read(n *counts) bool {
	if !c.b.read(c.i, n) {
		c.q.fail(damaged("postings"))
		c.end()
		return false
	}
	return true
}

// weigh returns the fields of the posting that are in the given set, and its weight there.
func (c *cursor) weigh(in FieldSet) (FieldSet, float32) {
	var n counts
	if !c.read(&n) {
		return 0, 0
	}
	fields := n.fields & in
	if fields == 0 {
		return 0, 0
	}
	return fields, float32(c.weight * c.s.weigh(c.ord, n.fields, fields, n.of[:]))
}

// bound returns a weight that no posting from ord up to the returned ordinal exceeds. It
// never moves back.
func (c *cursor) bound(ord uint32) (uint32, float32) {
	if c.look(ord); c.block < c.blocks {
		return c.skips.last[c.block], c.weight * c.s.stretched(c.skips.weight[c.block], c.skips.fields[c.block])
	}
	if c.block >= c.total() || c.loaded != c.block && !c.load() {
		return noMore, 0
	}
	if c.restWeight == 0 {
		var n counts
		for i := range c.b.n {
			if !c.b.read(i, &n) {
				c.q.fail(damaged("postings"))
				c.end()
				return noMore, 0
			}
			c.restWeight = max(c.restWeight, c.weight*c.s.weigh(c.b.ords[i], n.fields, n.fields, n.of[:]))
		}
	}
	return noMore, c.restWeight
}

// places is the state for reading the positions of a cursor's postings.
type places struct {
	pages  pinned
	block  int // plus 1; 0 for none
	before [postingBlock]int
	data   []byte
	read   int // number of postings read from data
	rest   []byte
}

// positionsIn appends the positions of the posting in field f, which it must have, to dst.
func (c *cursor) positionsIn(n *counts, f Field, dst []uint32) []uint32 {
	if c.places == nil {
		c.places = new(places)
	}
	p := c.places
	if p.block != c.loaded+1 && !c.place() {
		return dst
	}
	skip, i := p.before[c.i], 0
	for g := range f {
		if n.fields.Has(g) {
			skip += int(n.of[i])
			i++
		}
	}
	if skip < p.read {
		p.read, p.rest = 0, p.data
	}
	b, ok := skipVarints(p.rest, skip-p.read)
	in := input{b: b, bad: !ok}
	position := 0
	for range n.of[i] {
		position += in.below(maxPosition + 1 - position)
		if in.bad {
			c.q.fail(damaged("positions"))
			return dst
		}
		dst = append(dst, uint32(position))
	}
	p.read, p.rest = skip+int(n.of[i]), in.left()
	return dst
}

// place reads the positions of the loaded block.
func (c *cursor) place() bool {
	p := c.places
	if !c.b.totals(&p.before) {
		c.q.fail(damaged("postings"))
		return false
	}
	from, to := 0, c.posSize
	if c.skips != nil {
		if from = c.skips.places[c.loaded]; c.loaded < c.blocks {
			to = c.skips.places[c.loaded+1]
		}
	}
	p.data = c.q.bytes(c.s.table, streamPositions, &p.pages, c.positions+from, to-from)
	p.block, p.read, p.rest = c.loaded+1, 0, p.data
	return c.q.err == nil
}
