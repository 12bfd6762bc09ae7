package vector

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Pair is a pair of similar pages.
type Pair struct {
	A, B  int     // indexes in the given list, the lesser first
	Score float64 // cosine of their mean vectors, to 0.003
}

const (
	// pairNeighbours is the number of nearest neighbours kept for each page: enough to
	// connect pages that belong together.
	pairNeighbours = 12
	// pairExact is the number of pages up to which all pairs are compared: 50 million
	// products take a quarter of a second.
	pairExact = 10_000
	// pairOrders is the number of orders of the pages in which similar ones are adjacent,
	// and pairWindow the number of successors that each page is compared with in each order.
	// Of 10,000 pages with some similar ones, this finds 98 % of the pairs over 0.8: see
	// TestPairsOfMany.
	pairOrders = 40
	pairWindow = 16
)

// Near finds the pairs of similar pages. When called again after a change, it compares only
// the changed pages, with the same result. It is safe for concurrent use; the zero value is
// ready.
type Near struct {
	mu    sync.Mutex
	exact int // number of pages up to which all pairs are compared; 0 means pairExact
	index *Index
	least float64
	known compared
}

// compared are pages with vectors, in order, and their neighbours.
type compared struct {
	pages   []int64
	origins []origin
	rows    []int8 // mean vectors
	scales  []float32
	near    [][]neighbour
}

// origin is the location of a page's vectors. A bundle does not change.
type origin struct {
	*bundle
	at int
}

// Pairs returns the pairs of pages with more than the least similarity, ordered by index:
// for each page its nearest neighbours. A page with several vectors is represented by their
// mean; pages without vectors have no neighbours. If there are very many pages, each is
// compared only with several hundred that agree with it in the signs of many values: a pair
// may be missed, but the result depends only on the pages, and the work grows with their
// number, not with its square.
func (n *Near) Pairs(x *Index, pages []int64, least float64) []Pair {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, origins := x.origins(pages)
	var near [][]neighbour
	if len(at) > cmp.Or(n.exact, pairExact) {
		n.known = compared{}
		near = x.roughly(origins, least)
	} else {
		if n.index != x || n.least != least {
			n.known, n.index, n.least = compared{}, x, least
		}
		n.follow(pages, at, origins)
		near = n.known.near
	}
	var pairs []Pair
	for a := range near {
		for _, b := range near[a] {
			pairs = append(pairs, Pair{min(at[a], at[b.of]), max(at[a], at[b.of]), b.score})
		}
	}
	slices.SortFunc(pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return slices.CompactFunc(pairs, func(p, q Pair) bool { return p.A == q.A && p.B == q.B })
}

// follow updates the known neighbours.
func (n *Near) follow(pages []int64, at []int, origins []origin) {
	x, was := n.index, n.known
	now := compared{make([]int64, len(at)), origins, make([]int8, len(at)*x.dims), make([]float32, len(at)), make([][]neighbour, len(at))}
	before := make(map[int64]int, len(was.pages))
	for j, page := range was.pages {
		before[page] = j
	}
	to := make([]int, len(was.pages)) // new index of each unchanged page, else -1
	for j := range to {
		to[j] = -1
	}
	var changed []int
	for i, k := range at {
		now.pages[i] = pages[k]
		row := now.rows[i*x.dims : (i+1)*x.dims]
		j, known := before[pages[k]]
		if known && was.origins[j] == origins[i] {
			copy(row, was.rows[j*x.dims:])
			now.scales[i], to[j] = was.scales[j], i
			continue
		}
		q, scale := quantize(origins[i].mean(x.dims))
		copy(row, q)
		now.scales[i] = scale
		if known && scale == was.scales[j] && slices.Equal(row, was.rows[j*x.dims:(j+1)*x.dims]) {
			to[j] = i
			continue
		}
		changed = append(changed, i)
	}
	n.known = now
	changed = append(changed, displaced(to)...)
	if again := was.carry(now, to); 8*(len(changed)+len(again)) < len(at) {
		n.compareWithAll(changed, true)
		n.compareWithAll(again, false)
		return
	}
	clear(now.near)
	out := make([]int32, len(at))
	for a := range now.near {
		others := len(at) - a - 1
		x.kernel(out[:others], now.rows[a*x.dims:(a+1)*x.dims], now.rows[(a+1)*x.dims:])
		for j, product := range out[:others] {
			now.offer(a, a+1+j, product, n.least, true)
		}
	}
}

// displaced returns a minimum set of positions without which the others are in order, and
// sets them to -1. The order decides between equally near pages, of which the first are
// kept.
func displaced(to []int) (out []int) {
	var ends []int // for each length of an increasing sequence, the index of its least last position
	before := make([]int, len(to))
	for j, i := range to {
		if i < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, i, func(end, i int) int { return cmp.Compare(to[end], i) })
		before[j] = -1
		if k > 0 {
			before[j] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, j)
		}
		ends[k] = j
	}
	next := -1
	if len(ends) > 0 {
		next = ends[len(ends)-1]
	}
	for j := len(to) - 1; j >= 0; j-- {
		if j == next {
			next = before[j]
		} else if to[j] >= 0 {
			out, to[j] = append(out, to[j]), -1
		}
	}
	return out
}

// carry copies the neighbours of unchanged pages. It returns the pages with possible new
// neighbours.
func (c *compared) carry(now compared, to []int) (again []int) {
	for j, list := range c.near {
		i := to[j]
		if i < 0 {
			continue
		}
		rest := list[:0]
		for _, b := range list {
			if b.of = to[b.of]; b.of >= 0 {
				rest = append(rest, b)
			}
		}
		if len(list) == pairNeighbours && len(rest) < len(list) {
			rest, again = nil, append(again, i)
		}
		now.near[i] = rest
	}
	return again
}

// compareWithAll compares pages with all others, and adds neighbours to pages; with both,
// also to the others.
func (n *Near) compareWithAll(pages []int, both bool) {
	c, dims := n.known, n.index.dims
	out := make([]int32, len(c.pages))
	for _, a := range pages {
		n.index.kernel(out, c.rows[a*dims:(a+1)*dims], c.rows)
		for b, product := range out {
			if a != b {
				c.offer(a, b, product, n.least, both)
			}
		}
	}
}

// offer makes b a neighbour of a, if it is near enough, and with both also a a neighbour of
// b.
func (c compared) offer(a, b int, product int32, least float64, both bool) {
	// The scales in a fixed order, so that the score of a pair is always the same.
	score := float64(product) * float64(c.scales[min(a, b)]) * float64(c.scales[max(a, b)])
	if score <= least {
		return
	}
	c.near[a] = closer(c.near[a], neighbour{b, score})
	if both {
		c.near[b] = closer(c.near[b], neighbour{a, score})
	}
}

// roughly finds the neighbours of many pages by approximation.
func (x *Index) roughly(origins []origin, least float64) [][]neighbour {
	rows, scales, keys := x.keyed(origins)
	n := len(origins)
	c := compared{scales: scales, near: make([][]neighbour, n)}
	order := make([]int, n)
	sorted := make([]int8, len(rows))
	out := make([]int32, pairWindow)
	for k := range pairOrders {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a][k], keys[b][k]), cmp.Compare(a, b)) })
		for i, a := range order {
			copy(sorted[i*x.dims:], rows[a*x.dims:(a+1)*x.dims])
		}
		for i, a := range order {
			next := order[i+1 : min(i+1+pairWindow, n)]
			if len(next) == 0 {
				break
			}
			x.kernel(out[:len(next)], sorted[i*x.dims:(i+1)*x.dims], sorted[(i+1)*x.dims:(i+1+len(next))*x.dims])
			for j, b := range next {
				c.offer(a, b, out[j], least, true)
			}
		}
	}
	return c.near
}

// Above returns the cosine that a share of the pairs of pages exceed, by their mean vectors,
// and the number of pages with vectors. It compares all pairs.
func (x *Index) Above(pages []int64, share float64) (cosine float64, n int) {
	_, origins := x.origins(pages)
	n = len(origins)
	if n < 2 {
		return 1, n
	}
	var rows []int8
	scales := make([]float32, n)
	for i, o := range origins {
		q, scale := quantize(o.mean(x.dims))
		rows, scales[i] = append(rows, q...), scale
	}
	all := make([]float32, 0, n*(n-1)/2)
	out := make([]int32, n)
	for i := range n - 1 {
		others := n - i - 1
		x.kernel(out[:others], rows[i*x.dims:(i+1)*x.dims], rows[(i+1)*x.dims:])
		for j, product := range out[:others] {
			all = append(all, float32(product)*scales[i]*scales[i+1+j])
		}
	}
	slices.Sort(all)
	return float64(all[min(len(all)-1, int(float64(len(all))*(1-share)))]), n
}

// neighbour is a similar page.
type neighbour struct {
	of    int
	score float64
}

// closer adds a neighbour to the nearest ones of a page.
func closer(all []neighbour, n neighbour) []neighbour {
	if len(all) == pairNeighbours && n.order(all[len(all)-1]) >= 0 || slices.Contains(all, n) {
		return all
	}
	i, _ := slices.BinarySearchFunc(all, n, neighbour.order)
	return slices.Insert(all, i, n)[:min(len(all)+1, pairNeighbours)]
}

// order is by score, best first, then by page.
func (n neighbour) order(m neighbour) int {
	return cmp.Or(cmp.Compare(m.score, n.score), cmp.Compare(n.of, m.of))
}

// origins returns the indexes of the pages with vectors, and the locations of these.
func (x *Index) origins(pages []int64) (at []int, origins []origin) {
	wanted := make(map[int64]int, len(pages))
	for i, page := range pages {
		wanted[page] = i
	}
	found := make([]origin, len(pages))
	x.mu.RLock()
	for _, b := range x.bundles {
		for i, p := range b.pages {
			if k, want := wanted[p.page]; want && b.end(i) > p.first {
				found[k] = origin{b, i}
			}
		}
	}
	x.mu.RUnlock()
	for i, o := range found {
		if o.bundle != nil && o.hasLength() {
			at, origins = append(at, i), append(origins, o)
		}
	}
	return at, origins
}

// end returns the row after the vectors of a page.
func (b *bundle) end(i int) int {
	if i+1 < len(b.pages) {
		return b.pages[i+1].first
	}
	return len(b.scales)
}

// hasLength reports whether the mean of a page's vectors is not zero.
func (o origin) hasLength() bool {
	for row := o.pages[o.at].first; row < o.end(o.at); row++ {
		if o.scales[row] != 0 {
			return true
		}
	}
	return false
}

// mean returns the mean vector of a page, of length one.
func (o origin) mean(dims int) []float64 {
	sum := make([]float64, dims)
	for row := o.pages[o.at].first; row < o.end(o.at); row++ {
		for d, v := range o.values[row*dims : (row+1)*dims] {
			sum[d] += float64(v) * float64(o.scales[row])
		}
	}
	length := 0.0
	for _, v := range sum {
		length += v * v
	}
	if length > 0 {
		for d := range sum {
			sum[d] /= math.Sqrt(length)
		}
	}
	return sum
}

// keyed returns the mean vectors of pages, as integers with a scale that gives them length one,
// and their sort keys.
func (x *Index) keyed(origins []origin) (rows []int8, scales []float32, keys [][pairOrders]uint64) {
	found := make([][]float64, len(origins))
	centre := make([]float64, x.dims)
	for i, o := range origins {
		found[i] = o.mean(x.dims)
		for d, v := range found[i] {
			centre[d] += v
		}
		q, scale := quantize(found[i])
		rows, scales = append(rows, q...), append(scales, scale)
	}
	// All pages of a space have much in common, so the keys use the difference from their
	// mean. The values are those of a rotated vector, so any of them are suitable.
	var of [pairOrders * 64]uint16 // the value that determines each bit of a key
	for i := range of {
		of[i] = uint16(mixed(i) % uint64(x.dims))
	}
	over := make([]uint64, x.dims)
	keys = make([][pairOrders]uint64, len(origins))
	for i, mean := range found {
		for d, v := range mean {
			over[d] = 0
			if v*float64(len(origins)) > centre[d] {
				over[d] = 1
			}
		}
		for t := range pairOrders {
			key := uint64(0)
			for _, d := range of[t*64 : (t+1)*64] {
				key = key<<1 | over[d]
			}
			keys[i][t] = key
		}
	}
	return rows, scales, keys
}
