package vector

import (
	"cmp"
	"math"
	"slices"
)

// Pair is two pages that are near to each other.
type Pair struct {
	A, B  int     // positions in the list that was asked about, the lesser first
	Score float64 // cosine of their mean vectors, to 0.003
}

const (
	// pairNeighbours is how many others a page is paired with, the nearest: enough for
	// pages that belong together to be connected.
	pairNeighbours = 12
	// pairExact is up to how many pages each is compared with each.
	pairExact = 1500
	// pairOrders is the number of orders of the pages in which similar ones are
	// adjacent, and pairWindow the number of successors that each page is
	// compared with in each order. Of 10,000 pages, of which some are near to
	// some others, it finds 98 % of the pairs over 0.8: see TestPairsOfMany.
	pairOrders = 40
	pairWindow = 16
)

// Pairs returns the pairs of pages with more than the least similarity, in
// order of position: for each page its nearest neighbours. A page with several
// vectors is represented by their mean; pages without vectors have no
// neighbours. With many pages each is compared with several hundred that agree
// with it in the signs of many values: a pair may be missed, but the result
// depends on the pages alone, and the work grows with their number and not with
// its square.
func (x *Index) Pairs(pages []int64, least float64) []Pair {
	at, rows, scales, keys := x.means(pages)
	n := len(at)
	near := make([][]neighbour, n)
	orders, window := pairOrders, pairWindow
	if n <= pairExact {
		orders, window = 1, n
	}
	order := make([]int, n)
	sorted := make([]int8, len(rows))
	out := make([]int32, window)
	for k := range orders {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(keys[a][k], keys[b][k]), cmp.Compare(a, b)) })
		for i, a := range order {
			copy(sorted[i*x.dims:], rows[a*x.dims:(a+1)*x.dims])
		}
		for i, a := range order {
			next := order[i+1 : min(i+1+window, n)]
			if len(next) == 0 {
				break
			}
			x.kernel(out[:len(next)], sorted[i*x.dims:(i+1)*x.dims], sorted[(i+1)*x.dims:(i+1+len(next))*x.dims])
			for j, b := range next {
				// Of the same two always the same number, whichever came first.
				score := float64(out[j]) * float64(scales[min(a, b)]) * float64(scales[max(a, b)])
				if score > least {
					near[a] = closer(near[a], neighbour{b, score})
					near[b] = closer(near[b], neighbour{a, score})
				}
			}
		}
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

// Above returns the cosine that a share of the pairs of pages are over, by their mean
// vectors, and how many of the pages have vectors. It compares each page with each.
func (x *Index) Above(pages []int64, share float64) (cosine float64, n int) {
	at, rows, scales, _ := x.means(pages)
	n = len(at)
	if n < 2 {
		return 1, n
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

// neighbour is a page that is near to another.
type neighbour struct {
	of    int
	score float64
}

// closer adds a neighbour to those of a page, of which it keeps the nearest.
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

// means returns the mean vectors of the pages that have some, as integers with
// a scale that gives them length one, and their sort keys. at holds the
// positions of the pages.
func (x *Index) means(pages []int64) (at []int, rows []int8, scales []float32, keys [][pairOrders]uint64) {
	wanted := make(map[int64]int, len(pages))
	for i, page := range pages {
		wanted[page] = i
	}
	found := make([][]float64, len(pages))
	x.mu.RLock()
	for _, b := range x.bundles {
		for i, p := range b.pages {
			k, want := wanted[p.page]
			end := len(b.scales)
			if i+1 < len(b.pages) {
				end = b.pages[i+1].first
			}
			if !want || end == p.first {
				continue
			}
			sum := make([]float64, x.dims)
			for row := p.first; row < end; row++ {
				for d, v := range b.values[row*x.dims : (row+1)*x.dims] {
					sum[d] += float64(v) * float64(b.scales[row])
				}
			}
			found[k] = sum
		}
	}
	x.mu.RUnlock()
	centre := make([]float64, x.dims)
	for i, sum := range found {
		length := 0.0
		for _, v := range sum {
			length += v * v
		}
		if length == 0 {
			continue
		}
		at = append(at, i)
		for d := range sum {
			sum[d] /= math.Sqrt(length)
			centre[d] += sum[d]
		}
		q, scale := quantize(sum)
		rows, scales = append(rows, q...), append(scales, scale)
	}
	// All pages of a space have much in common; the difference from their mean
	// distinguishes them. The values are those of a rotated vector, so any of
	// them are suitable.
	var of [pairOrders * 64]uint16 // the value that each bit of a key is about
	for i := range of {
		of[i] = uint16(mixed(i) % uint64(x.dims))
	}
	over := make([]uint64, x.dims)
	keys = make([][pairOrders]uint64, len(at))
	for i, k := range at {
		for d, v := range found[k] {
			over[d] = 0
			if v*float64(len(at)) > centre[d] {
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
	return at, rows, scales, keys
}
