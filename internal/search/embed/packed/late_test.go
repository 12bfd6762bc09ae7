package packed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// lateOf returns a comparison of vectors of that many dimensions.
func lateOf(t *testing.T, dimensions int) *Late {
	t.Helper()
	k, err := kernel.Select("")
	if err != nil {
		t.Fatal(err)
	}
	return NewLate(&Embedder{opts: Options{Dimensions: dimensions}, kernels: k})
}

// The score is the weighted mean of the nearest tokens.
func TestLateAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	const width = 32
	rng := rand.New(rand.NewPCG(3, 6))
	random := func(n int) (x tokens) {
		for range n {
			x.ids = append(x.ids, int32(rng.IntN(9)))
			for range width {
				x.vectors = append(x.vectors, float32(rng.NormFloat64())/6)
			}
		}
		return x
	}
	question := random(19) // more than the columns of one product
	var passages []tokens
	for _, n := range []int{1, 40, 254, 7, 0} {
		passages = append(passages, random(n))
	}
	got := lateOf(t, width).compare(question, passages)
	for i, p := range passages {
		sum, weights := 0.0, 0.0
		for j, id := range question.ids {
			having := 0.0
			for _, p := range passages {
				for _, other := range p.ids {
					if other == id {
						having++
						break
					}
				}
			}
			weight := math.Log(1 + (float64(len(passages))-having+0.5)/(having+0.5))
			best := -1.0
			for r := range p.ids {
				dot := 0.0
				for d := range width {
					dot += float64(question.vectors[j*width+d]) * float64(p.vectors[r*width+d])
				}
				best = max(best, dot)
			}
			sum, weights = sum+weight*best, weights+weight
		}
		if want := sum / weights; math.Abs(got[i]-want) > 1e-5 {
			t.Errorf("passage of %d tokens: %v, want %v", len(p.ids), got[i], want)
		}
	}
}

// Vectors are kept within a bound, those that are used again longer than others.
func TestLateKeepsWithinABound(t *testing.T) {
	t.Parallel()
	const width, each = 384, 250
	l := lateOf(t, width)
	passage := tokens{make([]int32, each), make([]float32, each*width)}
	for n := range 500 {
		l.keep(fmt.Sprint(n), passage)
		if _, ok := l.kept("0"); !ok {
			t.Fatalf("the passage that is used is gone after %d others", n)
		}
		if held := (len(l.recent) + len(l.older)) * each * width * 4; held > keptBytes {
			t.Fatalf("%d bytes after %d passages", held, n)
		}
	}
	if _, ok := l.kept("1"); ok {
		t.Error("a passage that nothing used is kept")
	}
}
