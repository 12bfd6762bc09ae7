package vector

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// naive searches vectors by the definition.
func naive(pages map[int64][]Vector, query []float32, k int, allowed func(int64) bool) []Hit {
	hits := []Hit{}
	turned := rotate(query)
	for page, vectors := range pages {
		if allowed != nil && !allowed(page) {
			continue
		}
		for i, v := range vectors {
			hits = append(hits, Hit{page, i, exact(turned, v.Values) * float64(v.Scale), v.Lines})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Chunk, b.Chunk))
	})
	return hits[:min(k, len(hits))]
}

func vec(rnd *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return v
}

// put makes a bundle of one page.
func put(t testing.TB, x *Index, page int64, vectors []Vector) {
	t.Helper()
	info, values := pack(t, x.dims, vectors)
	x.Put(page, []Page{{page, info, len(values)}}, values)
}

// An index that bundles came to and went from in any order answers as a scan
// of their pages does.
func TestIndexAgainstNaive(t *testing.T) {
	t.Parallel()
	const dims = 12
	rnd := rand.New(rand.NewPCG(1, 2))
	x := New(dims, plain)
	bundles := make(map[int64]map[int64][]Vector)
	for step := range 1000 {
		number := int64(rnd.IntN(20)) - 5
		if rnd.IntN(3) == 0 {
			x.Remove(number)
			delete(bundles, number)
		} else {
			has := map[int64][]Vector{}
			var pages []Page
			var values []byte
			for i := range int64(rnd.IntN(6)) {
				page := 10*number + 2*i
				has[page] = some(uint64(rnd.IntN(200)), dims, rnd.IntN(12)) // often equal ones
				info, own := pack(t, dims, has[page])
				pages = append(pages, Page{page, info, len(own)})
				values = append(values, own...)
			}
			bundles[number] = has
			x.Put(number, pages, values)
		}
		if step%20 != 0 {
			continue
		}
		vectors := 0
		all := make(map[int64][]Vector)
		for _, pages := range bundles {
			for page, v := range pages {
				all[page] = v
				vectors += len(v)
			}
		}
		if n := x.Len(); n != vectors {
			t.Fatalf("step %d: %d vectors, want %d", step, n, vectors)
		}
		numbers := x.Bundles()
		slices.Sort(numbers)
		if want := slices.Sorted(maps.Keys(bundles)); !slices.Equal(numbers, want) {
			t.Fatalf("step %d: bundles %v, want %v", step, numbers, want)
		}
		for p := int64(-60); p < 160; p++ {
			if _, want := all[p]; x.Has(p) != want {
				t.Fatalf("step %d: has page %d: %v", step, p, !want)
			}
		}
		query := vec(rnd, dims)
		var allowed func(int64) bool
		if step%40 == 0 {
			asked := map[int64]bool{}
			allowed = func(p int64) bool {
				if asked[p] {
					t.Errorf("page %d is asked about twice", p)
				}
				asked[p] = true
				return p%3 == 0
			}
		}
		// All of them, so that the scan's rounding decides nothing.
		got, err := x.Search(query, 1000, allowed)
		if err != nil {
			t.Fatal(err)
		}
		if allowed != nil {
			allowed = func(p int64) bool { return p%3 == 0 }
		}
		if diff := gocmp.Diff(naive(all, query, 1000, allowed), got); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
	}
}

// Large indexes are scanned by several goroutines and answer as by one; equal
// scores are in order however they are shared out.
func TestParallel(t *testing.T) {
	// Serial: it sets GOMAXPROCS.
	const dims, per = 4, 100
	rnd := rand.New(rand.NewPCG(3, 3))
	x, back := New(dims, plain), New(dims, plain)
	pages := make(map[int64][]Vector)
	const count = 2*shareRows/per + 1
	for page := range int64(count) {
		pages[page] = some(uint64(page%50), dims, per)
		put(t, x, page, pages[page])
	}
	for page := range int64(count) {
		put(t, back, count-1-page, pages[count-1-page])
	}
	for page := int64(0); page < count; page += 4 {
		x.Remove(page)
		back.Remove(page)
		delete(pages, page)
	}
	if x.rows < shareRows || x.rows != len(pages)*per {
		t.Fatalf("%d rows", x.rows)
	}
	for range 5 {
		query := vec(rnd, dims)
		odd := func(p int64) bool { return p%2 == 1 }
		var want []Hit
		for _, procs := range []int{1, 2, 7} {
			old := runtime.GOMAXPROCS(procs)
			for _, index := range []*Index{x, back} {
				got, err := index.Search(query, 200, odd)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("%d processors: %s", procs, diff)
				}
			}
			runtime.GOMAXPROCS(old)
		}
		best := naive(pages, query, 1, odd)[0]
		if want[0].Score != best.Score {
			t.Errorf("best %v, want %v", want[0], best)
		}
	}
}

// clustered makes vectors of length 1 around some centres, as embeddings of
// texts on some subjects are, with one dimension larger than the others.
func clustered(rnd *rand.Rand, dims, n int) [][]float32 {
	centres := make([][]float32, n/30)
	for i := range centres {
		centres[i] = vec(rnd, dims)
	}
	out := make([][]float32, n)
	for i := range out {
		v, c := vec(rnd, dims), centres[rnd.IntN(len(centres))]
		sum := 0.0
		for j := range v {
			v[j] = c[j] + v[j]
			if j == 77 {
				v[j] += 12
			}
			sum += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out
}

// The ten nearest by int8 are those by float32, but for a last one that is as
// near as the one missed. The scan loses nothing on top of that.
func TestRecall(t *testing.T) {
	t.Parallel()
	const dims, n, queries, k = 384, 2000, 30, 10
	rnd := rand.New(rand.NewPCG(5, 5))
	all := clustered(rnd, dims, n+queries)
	x := New(dims, plain)
	pages := make(map[int64][]Vector)
	for i, v := range all[:n] {
		q, scale := Quantize(v)
		pages[int64(i)] = []Vector{{Values: q, Scale: scale}}
		put(t, x, int64(i), pages[int64(i)])
	}
	found, order := 0, make([]int, n)
	for _, query := range all[n:] {
		scores := make([]float64, n)
		for i, v := range all[:n] {
			order[i] = i
			for j := range v {
				scores[i] += float64(v[j]) * float64(query[j])
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if scores[a] > scores[b] {
				return -1
			}
			return 1
		})
		hits, err := x.Search(query, k, nil)
		if err != nil || len(hits) != k {
			t.Fatal(hits, err)
		}
		if diff := gocmp.Diff(naive(pages, query, k, nil), hits); diff != "" {
			t.Error(diff)
		}
		for _, h := range hits {
			if slices.Contains(order[:k], int(h.Page)) {
				found++
			}
			if d := math.Abs(h.Score - scores[h.Page]); d > 0.003 {
				t.Errorf("score %v, is %v", h.Score, scores[h.Page])
			}
			if d := scores[order[k-1]] - scores[h.Page]; d > 0.003 {
				t.Errorf("hit %d is %v below the last", h.Page, d)
			}
		}
	}
	recall := float64(found) / (queries * k)
	t.Logf("recall@%d %.4f", k, recall)
	if recall < 0.99 {
		t.Errorf("recall@%d %.4f", k, recall)
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	x := New(2, plain)
	for _, query := range [][]float32{nil, {1}, {1, 2, 3}, {1, float32(math.NaN())}, {float32(math.Inf(-1)), 0}} {
		if _, err := x.Search(query, 1, nil); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%v: %v", query, err)
		}
	}
	info, values := pack(t, 3, some(1, 3, 1))
	if x.Put(1, []Page{{1, info, len(values)}}, values); x.Damaged() != 1 || x.Len() != 0 {
		t.Errorf("other dimensions: %d vectors", x.Len())
	}
}

func TestSearchFew(t *testing.T) {
	t.Parallel()
	x := New(3, plain) // of an odd number, of which only signs change
	query := []float32{1, 0, 0}
	one := int8(rotate(query)[0])
	vectors := []Vector{{Values: []int8{0, 1, 0}, Scale: 1}, {Values: []int8{one, 0, 0}, Scale: 1, Lines: [2]int{3, 4}}, {Values: []int8{one, 0, 0}, Scale: 0}}
	put(t, x, 7, vectors)
	for k, want := range map[int][]Hit{
		-1: nil,
		0:  nil,
		1:  {{7, 1, 1, [2]int{3, 4}}},
		2:  {{7, 1, 1, [2]int{3, 4}}, {7, 0, 0, [2]int{}}},
		9:  {{7, 1, 1, [2]int{3, 4}}, {7, 0, 0, [2]int{}}, {7, 2, 0, [2]int{}}},
	} {
		got, err := x.Search(query, k, nil)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%d: %s, %v", k, diff, err)
		}
	}
	if got, err := x.Search(query, math.MaxInt, nil); len(got) != 3 || err != nil {
		t.Errorf("all: %v, %v", got, err)
	}
}

// plain is a Kernel from the definition.
func plain(out []int32, query, rows []int8) {
	for i := range out {
		out[i] = 0
		for j, q := range query {
			out[i] += int32(q) * int32(rows[i*len(query)+j])
		}
	}
}

// A kernel is given whole rows and as much room as there are rows.
func TestKernel(t *testing.T) {
	t.Parallel()
	const dims = 3
	rows := 0
	x := New(dims, func(out []int32, query, values []int8) {
		if len(query) != dims || len(values) != dims*len(out) {
			t.Errorf("%d, %d, %d", len(query), len(values), len(out))
		}
		rows += len(out)
		plain(out, query, values)
	})
	for page := range int64(7) {
		put(t, x, page, some(1, dims, 100+int(page)*70))
	}
	if _, err := x.Search([]float32{1, 2, 3}, 5, nil); err != nil || rows != 700+70*21 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Searches beside changes see whole bundles.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const dims = 8
	x := New(dims, plain)
	vectors := some(1, dims, 10)
	query := vec(rand.New(rand.NewPCG(1, 1)), dims)
	var wg sync.WaitGroup
	for w := range int64(2) {
		wg.Go(func() {
			for i := range int64(300) {
				put(t, x, i%20*2+w, vectors)
				x.Remove((i + 7) % 20 * 2)
			}
		})
		wg.Go(func() {
			for range 100 {
				hits, err := x.Search(query, 1000, nil)
				if err != nil || len(hits)%10 != 0 {
					t.Errorf("%d hits, %v", len(hits), err)
				}
			}
		})
	}
	wg.Wait()
}
