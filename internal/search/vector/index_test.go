package vector

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
)

// naive searches vectors by the definition.
func naive(pages map[int64][]Vector, query []float32, k int, allowed func(int64) bool) []Hit {
	var all []candidate
	turned := rotate(query)
	lines := make(map[[2]int64][2]int)
	for page, vectors := range pages {
		if allowed != nil && !allowed(page) {
			continue
		}
		for i, v := range vectors {
			all = append(all, candidate{exact(turned, v.Values) * float64(v.Scale), page, uint32(i), 0})
			lines[[2]int64{page, int64(i)}] = v.Lines
		}
	}
	slices.SortFunc(all, candidate.order)
	hits := []Hit{}
	for _, c := range all[:min(k, len(all))] {
		hits = append(hits, Hit{c.page, int(c.chunk), c.score, lines[[2]int64{c.page, int64(c.chunk)}]})
	}
	return hits
}

func vec(rnd *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return v
}

// An index that pages came to and went from in any order answers as a scan of
// the pages does.
func TestIndexAgainstNaive(t *testing.T) {
	const dims = 12
	rnd := rand.New(rand.NewPCG(1, 2))
	x := New(dims, plain)
	pages := make(map[int64][]Vector)
	var compacted bool
	for step := range 3000 {
		page := int64(rnd.IntN(60)) - 5
		rows := x.rows
		if rnd.IntN(3) == 0 {
			x.Remove(page)
			delete(pages, page)
		} else {
			pages[page] = some(uint64(rnd.IntN(200)), dims, rnd.IntN(12)) // often equal ones
			if err := x.Put(page, pack(t, dims, pages[page])); err != nil {
				t.Fatal(err)
			}
		}
		compacted = compacted || x.rows < rows
		if step%20 != 0 {
			continue
		}
		vectors := 0
		for _, v := range pages {
			vectors += len(v)
		}
		if p, v := x.Len(); p != len(pages) || v != vectors {
			t.Fatalf("step %d: %d pages, %d vectors, want %d, %d", step, p, v, len(pages), vectors)
		}
		query := vec(rnd, dims)
		var allowed func(int64) bool
		if step%40 == 0 {
			allowed = func(p int64) bool { return p%3 == 0 }
		}
		// All of them, so that the scan's rounding decides nothing.
		got, err := x.Search(query, 1000, allowed)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(naive(pages, query, 1000, allowed), got); diff != "" {
			t.Fatalf("step %d: %s", step, diff)
		}
	}
	if !compacted {
		t.Error("was never compacted")
	}
	seen := 0
	x.Pages(func(page int64) bool {
		if _, ok := pages[page]; !ok {
			t.Errorf("page %d", page)
		}
		seen++
		return seen < 3
	})
	if seen != 3 {
		t.Errorf("%d pages seen", seen)
	}
}

// Large indexes are scanned by several goroutines, over several slabs, and
// answer as one does; equal scores are in order however they are shared out.
func TestParallel(t *testing.T) {
	const dims, per = 4, 100
	rnd := rand.New(rand.NewPCG(3, 3))
	x, back := New(dims, plain), New(dims, plain)
	pages := make(map[int64][]Vector)
	const count = 4*slabRows/per + 1
	for page := range int64(count) {
		pages[page] = some(uint64(page%50), dims, per)
		if err := x.Put(page, pack(t, dims, pages[page])); err != nil {
			t.Fatal(err)
		}
	}
	for page := range int64(count) {
		if err := back.Put(count-1-page, pack(t, dims, pages[count-1-page])); err != nil {
			t.Fatal(err)
		}
	}
	for page := int64(0); page < count; page += 4 {
		x.Remove(page)
		back.Remove(page)
		delete(pages, page)
	}
	if len(x.slabs) < 3 || x.rows < shareRows || x.rows == count*per {
		t.Fatalf("%d slabs, %d rows, not compacted", len(x.slabs), x.rows)
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
				if diff := cmp.Diff(want, got); diff != "" {
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
	const dims, n, queries, k = 384, 2000, 30, 10
	rnd := rand.New(rand.NewPCG(5, 5))
	all := clustered(rnd, dims, n+queries)
	x := New(dims, plain)
	pages := make(map[int64][]Vector)
	for i, v := range all[:n] {
		q, scale := Quantize(v)
		pages[int64(i)] = []Vector{{Values: q, Scale: scale}}
		if err := x.Put(int64(i), pack(t, dims, pages[int64(i)])); err != nil {
			t.Fatal(err)
		}
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
		if diff := cmp.Diff(naive(pages, query, k, nil), hits); diff != "" {
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
	x := New(2, plain)
	for _, query := range [][]float32{nil, {1}, {1, 2, 3}, {1, float32(math.NaN())}, {float32(math.Inf(-1)), 0}} {
		if _, err := x.Search(query, 1, nil); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%v: %v", query, err)
		}
	}
	if err := x.Put(1, pack(t, 3, nil)); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("other dimensions: %v", err)
	}
}

func TestSearchFew(t *testing.T) {
	x := New(3, plain) // of an odd number, of which only signs change
	query := []float32{1, 0, 0}
	one := int8(rotate(query)[0])
	vectors := []Vector{{Values: []int8{0, 1, 0}, Scale: 1}, {Values: []int8{one, 0, 0}, Scale: 1, Lines: [2]int{3, 4}}, {Values: []int8{one, 0, 0}, Scale: 0}}
	if err := x.Put(7, pack(t, 3, vectors)); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int][]Hit{
		-1: nil,
		0:  nil,
		1:  {{7, 1, 1, [2]int{3, 4}}},
		2:  {{7, 1, 1, [2]int{3, 4}}, {7, 0, 0, [2]int{}}},
		9:  {{7, 1, 1, [2]int{3, 4}}, {7, 0, 0, [2]int{}}, {7, 2, 0, [2]int{}}},
	} {
		got, err := x.Search(query, k, nil)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
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
		if err := x.Put(page, pack(t, dims, some(1, dims, 100))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Search([]float32{1, 2, 3}, 5, nil); err != nil || rows != 700 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Searches beside changes see whole pages.
func TestConcurrent(t *testing.T) {
	const dims = 8
	x := New(dims, plain)
	blob := pack(t, dims, some(1, dims, 10))
	query := vec(rand.New(rand.NewPCG(1, 1)), dims)
	var wg sync.WaitGroup
	for w := range int64(2) {
		wg.Go(func() {
			for i := range int64(300) {
				if err := x.Put(i%20*2+w, blob); err != nil {
					t.Error(err)
				}
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
