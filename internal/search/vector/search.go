package vector

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Hit is a chunk that is near a query.
type Hit struct {
	Page  int64
	Chunk int     // index of the vector within its page
	Score float64 // dot product: the cosine, to 0.002, of embeddings of length 1
	Lines [2]int
}

// spare is the number of vectors beyond those requested that the scan keeps for exact
// scoring: rounding the query changes scores by some thousandths, and in a million vectors
// some dozens are that close to each other.
const spare = 50

// scanRows is the number of rows with products computed at a time: 100 kB at 384 dimensions,
// which fits into the cache of a core.
const scanRows = 256

// shareRows is the number of rows from which a scan is distributed over processors. A
// smaller one takes less than a millisecond.
const shareRows = 1 << 15

// shareBundles is the number of bundles that a processor takes at a time: some thousands of
// rows, so that no processor waits long for the last.
const shareBundles = 16

// Search returns the k vectors with the greatest dot products, best first;
// equal ones by page and chunk. allowed reports which pages may be returned;
// nil allows all. It is called once for each page, from several goroutines.
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
	k = min(k, x.rows) // before the addition below, which may overflow
	turned := rotate(query)
	best := x.scan(turned, k+spare, allowed)
	for i := range best.items {
		c := &best.items[i]
		c.score = exact(turned, c.in.values[c.row*x.dims:(c.row+1)*x.dims]) * float64(c.in.scales[c.row])
	}
	slices.SortFunc(best.items, candidate.order)
	hits := make([]Hit, min(k, len(best.items)))
	for i := range hits {
		c := best.items[i]
		hits[i] = Hit{Page: c.of.page, Chunk: c.row - c.of.first, Score: c.score, Lines: linesAt(c.of.lines, c.row-c.of.first)}
	}
	return hits, nil
}

// exact returns the dot product with the rotated query in full precision.
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
		workers = runtime.GOMAXPROCS(0)
	}
	var taken atomic.Int64 // bundles
	found := make([]*ranking, workers)
	work := func(w int) {
		s := scanning{x, q, make([]int32, scanRows), allowed, newRanking(n)}
		for {
			to := int(taken.Add(shareBundles))
			for i := to - shareBundles; i < min(to, len(x.bundles)); i++ {
				s.scan(x.bundles[i])
			}
			if to >= len(x.bundles) {
				break
			}
		}
		found[w] = s.best
	}
	var wg sync.WaitGroup
	for w := range workers - 1 {
		wg.Go(func() { work(w) })
	}
	work(workers - 1)
	wg.Wait()
	for _, r := range found[1:] {
		for _, c := range r.items {
			found[0].offer(c)
		}
	}
	return found[0]
}

// scanning is one goroutine's share of a scan.
type scanning struct {
	x       *Index
	query   []int8
	out     []int32
	allowed func(page int64) bool
	best    *ranking
}

// scan offers the vectors of a bundle in runs of adjacent allowed pages.
func (s *scanning) scan(b *bundle) {
	if s.allowed == nil {
		s.scanPages(b, b.pages, len(b.scales))
		return
	}
	for i := 0; i < len(b.pages); i++ {
		from := i
		for i < len(b.pages) && s.allowed(b.pages[i].page) {
			i++
		}
		end := len(b.scales)
		if i < len(b.pages) {
			end = b.pages[i].first
		}
		if from < i {
			s.scanPages(b, b.pages[from:i], end)
		}
	}
}

// scanPages offers the vectors of consecutive pages up to row end. Only near vectors are
// scored again.
func (s *scanning) scanPages(b *bundle, pages []pageRows, end int) {
	if len(pages) == 0 {
		return
	}
	dims, of := s.x.dims, 0
	for from := pages[0].first; from < end; from += scanRows {
		n := min(scanRows, end-from)
		s.x.kernel(s.out[:n], s.query, b.values[from*dims:(from+n)*dims])
		for i, scale := range b.scales[from : from+n] {
			score := float64(s.out[i]) * float64(scale)
			if score < s.best.least {
				continue
			}
			for of+1 < len(pages) && pages[of+1].first <= from+i {
				of++
			}
			s.best.offer(candidate{score, b, &pages[of], from + i})
		}
	}
}

// candidate is a vector with its score.
type candidate struct {
	score float64
	in    *bundle
	of    *pageRows
	row   int // row in its bundle
}

// before orders by score, best first, then by page and chunk. It is written out, and uses
// pointers, since a scan calls it a hundred thousand times.
func (c *candidate) before(d *candidate) bool {
	switch {
	case c.score != d.score:
		return c.score > d.score
	case c.of.page != d.of.page:
		return c.of.page < d.of.page
	}
	return c.row < d.row
}

// order is before as a comparison function.
func (c candidate) order(d candidate) int {
	switch {
	case c.before(&d):
		return -1
	case d.before(&c):
		return 1
	}
	return 0
}

// ranking keeps the best candidates in a heap with the worst on top.
type ranking struct {
	limit int
	items []candidate
	least float64 // minimum score of a new candidate
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
