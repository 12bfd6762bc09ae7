package vector

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Hit is a chunk near to a query.
type Hit struct {
	Page  int64
	Chunk int     // number of the vector in its page's blob
	Score float64 // dot product: the cosine, to 0.002, of embeddings of length 1
	Lines [2]int
}

// spare is how many more vectors than asked for the scan keeps to be scored
// again: the query's own rounding moves scores by some thousandths, and in a
// million vectors some dozens are that near to each other.
const spare = 50

// scanRows is the number of rows whose products are computed at a time: 100 kB
// at 384 dimensions, which stays in the cache of a core.
const scanRows = 256

// shareRows is the number of rows from which on a scan is shared out between
// processors. A smaller one takes less than a millisecond.
const shareRows = 2 * slabRows

// Search returns the k vectors with the greatest dot products, best first;
// equal ones by page and chunk. allowed says which pages may be returned; nil
// allows all. It may be called from several goroutines, and about once for a
// page at most where none of a page's vectors are near the query.
//
// It fails with kb.Invalid when the query has other dimensions than the index
// or values that are not finite.
func (x *Index) Search(query []float32, k int, allowed func(page int64) bool) ([]Hit, error) {
	if len(query) != x.dims {
		return nil, kb.Errorf(kb.Invalid, "a query of %d dimensions does not fit an index of %d", len(query), x.dims)
	}
	for _, v := range query {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, kb.Errorf(kb.Invalid, "a query's values are finite numbers")
		}
	}
	if k <= 0 {
		return nil, nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	k = min(k, x.rows) // before the sum: k may be any number
	turned := rotate(query)
	best := x.scan(turned, k+spare, allowed)
	for i := range best.items {
		c := &best.items[i]
		s := x.slabs[c.at/slabRows]
		at := c.at % slabRows
		c.score = exact(turned, s.values[at*x.dims:(at+1)*x.dims]) * float64(s.scales[at])
	}
	slices.SortFunc(best.items, candidate.order)
	hits := make([]Hit, min(k, len(best.items)))
	for i := range hits {
		c := best.items[i]
		r := x.slabs[c.at/slabRows].rows[c.at%slabRows]
		hits[i] = Hit{Page: r.page, Chunk: int(r.chunk), Score: c.score, Lines: [2]int{int(r.from), int(r.to)}}
	}
	return hits, nil
}

// exact is the dot product with the rotated query in full precision.
func exact(query []float64, values []int8) float64 {
	sum := 0.0
	for i, v := range values {
		sum += query[i] * float64(v)
	}
	return sum
}

// scan returns the n best vectors by the quantised query.
func (x *Index) scan(query []float64, n int, allowed func(page int64) bool) *ranking {
	q, _ := quantize(query)
	workers := 1
	if x.rows >= shareRows {
		workers = min(runtime.GOMAXPROCS(0), len(x.slabs))
	}
	found := make([]*ranking, workers)
	var wg sync.WaitGroup
	for w := range found {
		found[w] = newRanking(n)
		run := func() {
			out := make([]int32, scanRows)
			for i := w; i < len(x.slabs); i += workers {
				x.scanSlab(i, q, out, allowed, found[w])
			}
		}
		if w == workers-1 {
			run()
			break
		}
		wg.Go(run)
	}
	wg.Wait()
	for _, r := range found[1:] {
		for _, c := range r.items {
			found[0].offer(c)
		}
	}
	return found[0]
}

// scanSlab offers the vectors of a slab. Only those that are near enough are
// looked at more closely.
func (x *Index) scanSlab(number int, q []int8, out []int32, allowed func(page int64) bool, best *ranking) {
	s := x.slabs[number]
	asked, answer := int64(0), false // the page that allowed was asked about last
	known := false
	for from := 0; from < len(s.rows); from += scanRows {
		n := min(scanRows, len(s.rows)-from)
		x.kernel(out[:n], q, s.values[from*x.dims:(from+n)*x.dims])
		for i, scale := range s.scales[from : from+n] {
			score := float64(out[i]) * float64(scale)
			if score < best.least {
				continue
			}
			r := &s.rows[from+i]
			if r.dead {
				continue
			}
			if allowed != nil {
				if !known || asked != r.page {
					asked, answer, known = r.page, allowed(r.page), true
				}
				if !answer {
					continue
				}
			}
			best.offer(candidate{score, r.page, r.chunk, number*slabRows + from + i})
		}
	}
}

// candidate is a vector with its score.
type candidate struct {
	score float64
	page  int64
	chunk uint32
	at    int
}

// before orders by score, best first, then by page and chunk. Written out, and
// with pointers, since a scan asks it a hundred thousand times.
func (c *candidate) before(d *candidate) bool {
	switch {
	case c.score != d.score:
		return c.score > d.score
	case c.page != d.page:
		return c.page < d.page
	}
	return c.chunk < d.chunk
}

// order is before for sorting.
func (c candidate) order(d candidate) int {
	switch {
	case c.before(&d):
		return -1
	case d.before(&c):
		return 1
	}
	return 0
}

// ranking keeps the best candidates in a heap, the worst of them first.
type ranking struct {
	limit int
	items []candidate
	least float64 // what scores less is not kept
}

// offer keeps c if it is among the best.
func (r *ranking) offer(c candidate) {
	h := r.items
	if len(h) < r.limit {
		h = append(h, c)
		i := len(h) - 1
		for i > 0 && h[(i-1)/2].before(&h[i]) {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
			i = (i - 1) / 2
		}
		r.items = h
	} else {
		if !c.before(&h[0]) {
			return
		}
		h[0] = c
		for i := 0; ; {
			worst := i
			for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
				if h[worst].before(&h[child]) {
					worst = child
				}
			}
			if worst == i {
				break
			}
			h[i], h[worst] = h[worst], h[i]
			i = worst
		}
	}
	if len(h) == r.limit {
		r.least = h[0].score
	}
}

func newRanking(limit int) *ranking { return &ranking{limit: limit, least: math.Inf(-1)} }
