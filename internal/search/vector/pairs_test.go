package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// filled makes an index of pages with one vector each, whose rows are by chance.
func filled(t testing.TB, rnd *rand.Rand, kernel Kernel, all [][]float32) (*Index, []int64) {
	x := New(len(all[0]), kernel)
	pages := make([]int64, len(all))
	for i, at := range rnd.Perm(len(all)) {
		pages[i] = int64(at)
		q, scale := Quantize(all[i])
		put(t, x, pages[i], []Vector{{Values: q, Scale: scale}})
	}
	return x, pages
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A share of the pairs is over a cosine, and the rest are not.
func TestAbove(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(4, 4))
	all := clustered(rnd, 128, 120)
	x, pages := filled(t, rnd, plain, all)
	put(t, x, 500, nil)
	var pairs []float64
	for a := range all {
		for b := range a {
			pairs = append(pairs, cosine(all[a], all[b]))
		}
	}
	slices.Sort(pairs)
	for _, share := range []float64{0.005, 0.1, 0.5, 0.9} {
		want := pairs[int(float64(len(pairs))*(1-share))]
		if got, n := x.Above(append(slices.Clone(pages), 500, 501), share); n != 120 || math.Abs(got-want) > 0.005 {
			t.Errorf("%v of the pairs of %d pages are over %v, want %v", share, n, got, want)
		}
	}
	if got, n := x.Above(pages[:1], 0.5); got != 1 || n != 1 {
		t.Errorf("of one page: %v, %d", got, n)
	}
}

// Of few pages all pairs are found that are near, and no others.
func TestPairs(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	all := clustered(rnd, 128, 120)
	x, pages := filled(t, rnd, plain, all)
	put(t, x, 500, nil)
	const least = 0.7
	got := new(Near).Pairs(x, append(slices.Clone(pages), 500, 501), least)
	near := map[[2]int]bool{}
	for _, p := range got {
		is := cosine(all[p.A], all[p.B])
		if near[[2]int{p.A, p.B}] = true; p.A >= p.B || is < least-0.005 || is-p.Score > 0.005 || p.Score-is > 0.005 {
			t.Fatalf("%+v are at %v", p, is)
		}
	}
	degree := make([]int, len(all))
	for a := range all {
		for b := range a {
			if cosine(all[a], all[b]) > least {
				degree[a], degree[b] = degree[a]+1, degree[b]+1
			}
		}
	}
	missed := 0
	for a := range all {
		for b := range a {
			if cosine(all[a], all[b]) > least+0.005 && !near[[2]int{b, a}] && degree[a] <= pairNeighbours && degree[b] <= pairNeighbours {
				missed++
			}
		}
	}
	if len(got) == 0 || missed > 0 {
		t.Errorf("%d pairs were found, %d missed", len(got), missed)
	}
	if diff := gocmp.Diff(got, new(Near).Pairs(x, append(slices.Clone(pages), 501), least)); diff != "" {
		t.Errorf("pages without vectors make a difference: %s", diff)
	}
}

// A page of several vectors is where their mean is.
func TestPairsOfMeans(t *testing.T) {
	t.Parallel()
	x := New(4, plain)
	for page, vectors := range map[int64][][]float32{1: {{1, 0, 0, 0}, {0, 1, 0, 0}}, 2: {{1, 1, 0, 0}}, 3: {{1, 0, 0, 0}}} {
		var all []Vector
		for _, v := range vectors {
			q, scale := Quantize(v)
			all = append(all, Vector{Values: q, Scale: scale})
		}
		put(t, x, page, all)
	}
	got := new(Near).Pairs(x, []int64{1, 2, 3}, 0.9)
	if len(got) != 1 || got[0].A != 0 || got[0].B != 1 || got[0].Score < 0.99 {
		t.Errorf("%+v", got)
	}
	if got := new(Near).Pairs(New(4, plain), []int64{1}, 0); got != nil {
		t.Errorf("an empty index has pairs: %+v", got)
	}
}

// Of many pages nearly all near pairs are found, the same ones whichever rows the pages
// have.
func TestPairsOfMany(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	rnd := rand.New(rand.NewPCG(3, 4))
	var all [][]float32
	for len(all) < 1800 {
		subject := vec(rnd, 128)
		for range 1 + rnd.IntN(10) {
			v, sum := vec(rnd, 128), 0.0
			for i := range v {
				v[i] = subject[i] + v[i]/2 + 2 // in some directions all pages are alike
				sum += float64(v[i]) * float64(v[i])
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(sum))
			}
			all = append(all, v)
		}
	}
	x, pages := filled(t, rnd, plain, all)
	const least = 0.94
	got := (&Near{exact: 1500}).Pairs(x, pages, least)
	degree, near := make([]int, len(all)), map[[2]int]bool{}
	for a := range all {
		for b := range a {
			if cosine(all[a], all[b]) > least {
				degree[a], degree[b], near[[2]int{b, a}] = degree[a]+1, degree[b]+1, true
			}
		}
	}
	want, found := 0, 0
	for p := range near {
		if degree[p[0]] <= pairNeighbours && degree[p[1]] <= pairNeighbours {
			want++
			if slices.ContainsFunc(got, func(q Pair) bool { return q.A == p[0] && q.B == p[1] }) {
				found++
			}
		}
	}
	t.Logf("%d of %d pairs; %d are near", found, want, len(near))
	if want < 100 || float64(found) < 0.97*float64(want) {
		t.Errorf("%d of %d pairs were found", found, want)
	}
	y, others := filled(t, rnd, plain, all)
	if diff := gocmp.Diff(got, (&Near{exact: 1500}).Pairs(y, others, least)); diff != "" {
		t.Errorf("in another order of rows: %s", diff)
	}
}

// After pages were changed, added, removed and moved, the pairs equal those of a full comparison.
func TestPairsAreFollowed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 6))
	all := clustered(rnd, 16, 150) // most pages have more neighbours than are kept
	x, pages := filled(t, rnd, plain, all)
	rest := pages[120:]
	pages = pages[:120]
	var near Near
	for round := range 300 {
		switch i := rnd.IntN(len(pages)); rnd.IntN(6) {
		case 0:
			pages, rest = slices.Insert(slices.Clone(pages), i, rest[0]), rest[1:]
		case 1:
			pages, rest = slices.Delete(slices.Clone(pages), i, i+1), append(rest, pages[i])
		case 2:
			j := rnd.IntN(len(pages))
			pages = slices.Clone(pages)
			pages[i], pages[j] = pages[j], pages[i]
		case 3:
			put(t, x, pages[i], nil) // has no vectors now
		default:
			q, scale := Quantize(all[rnd.IntN(len(all))])
			put(t, x, pages[i], []Vector{{Values: q, Scale: scale}})
		}
		least := []float64{0.5, 0.9}[round/100%2]
		if diff := gocmp.Diff(new(Near).Pairs(x, pages, least), near.Pairs(x, pages, least)); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		if len(rest) == 0 {
			break
		}
	}
}

// A page that changes its place in the order is compared with the others; these are not.
func TestPairsOfAMovedPage(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 7))
	compared := 0
	x, pages := filled(t, rnd, func(out []int32, query, rows []int8) { compared += len(out); plain(out, query, rows) }, clustered(rnd, 16, 200))
	var near Near
	near.Pairs(x, pages, 0.9)
	for _, move := range [][2]int{{0, 199}, {199, 0}, {50, 120}} {
		page := pages[move[0]]
		pages = slices.Insert(slices.Delete(slices.Clone(pages), move[0], move[0]+1), move[1], page)
		compared = 0
		got := near.Pairs(x, pages, 0.9)
		if compared > 20*200 {
			t.Errorf("%v: %d products", move, compared)
		}
		if diff := gocmp.Diff(new(Near).Pairs(x, pages, 0.9), got); diff != "" {
			t.Errorf("%v: %s", move, diff)
		}
	}
}

// BenchmarkPairs compares 10,000 pages, and as many that are all alike.
func BenchmarkPairs(b *testing.B) {
	rnd := rand.New(rand.NewPCG(3, 5))
	same := make([][]float32, 10_000)
	for i := range same {
		same[i] = []float32{1, 2, 3, 4}
	}
	for name, all := range map[string][][]float32{"subjects": clustered(rnd, 384, 10_000), "alike": same} {
		x, pages := filled(b, rnd, fastest(b), all)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				new(Near).Pairs(x, pages, 0.7)
			}
		})
		b.Run(name+"/changed", func(b *testing.B) {
			var near Near
			near.Pairs(x, pages, 0.7)
			for i := 0; b.Loop(); i++ {
				q, scale := Quantize(all[i%100])
				put(b, x, pages[5000], []Vector{{Values: q, Scale: scale}})
				near.Pairs(x, pages, 0.7)
			}
		})
	}
}
