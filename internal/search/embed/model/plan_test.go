package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// ofLengths returns sequences, the longest first.
func ofLengths(lengths ...int) [][]int32 {
	slices.SortFunc(lengths, func(a, b int) int { return b - a })
	out := make([][]int32, len(lengths))
	for i, n := range lengths {
		out[i] = make([]int32, n)
	}
	return out
}

func TestPlan(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]int{32}, 64)
	for name, c := range map[string]struct {
		lengths []int
		threads int
		bounds  []int
		alone   int
	}{
		"nothing":                        {nil, 2, []int{0}, 0},
		"one for all threads":            {[]int{500}, 2, []int{0, 1}, 0},
		"one thread":                     {[]int{500}, 1, []int{0, 1}, 1},
		"two, one each":                  {[]int{500, 500}, 2, []int{0, 1, 2}, 2},
		"the third for both":             {[]int{500, 500, 500}, 2, []int{0, 1, 2, 3}, 2},
		"a long one and short ones":      {[]int{400, 20, 20}, 2, []int{0, 1, 3}, 0},
		"short ones are one chunk":       {[]int{8, 8, 8}, 2, []int{0, 3}, 0},
		"smaller towards the end":        {many, 2, []int{0, 8, 16, 24, 32, 40, 46, 50, 53, 55, 57, 58, 59, 60, 61, 62, 63, 64}, 17},
		"as long as a chunk, for one":    {slices.Repeat([]int{16}, 64), 1, []int{0, 16, 32, 48, 56, 60, 63, 64}, 7},
		"longer than what a thread gets": {[]int{300, 300, 100}, 2, []int{0, 1, 2, 3}, 2},
	} {
		bounds, alone := plan(ofLengths(c.lengths...), c.threads)
		if !slices.Equal(bounds, c.bounds) || alone != c.alone {
			t.Errorf("%s: %v, %d alone; want %v, %d", name, bounds, alone, c.bounds, c.alone)
		}
	}
}

// Threads that are as fast as one another are busy, whatever the texts, and nothing
// but tokens is computed: chunks have no padding.
func TestPlanKeepsThreadsBusy(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 5))
	for _, threads := range []int{1, 2, 4} {
		var all, took float64
		for range 200 {
			lengths, tokens := []int{}, 0
			for most := 8 + rng.IntN(400); tokens < 4096 && len(lengths) < 64; {
				n := 3 + rng.IntN(most)
				lengths, tokens = append(lengths, n), tokens+n
			}
			in := ofLengths(lengths...)
			bounds, alone := plan(in, threads)
			if bounds[0] != 0 || bounds[len(bounds)-1] != len(in) || !slices.IsSorted(bounds) {
				t.Fatalf("%v is cut at %v", lengths, bounds)
			}
			busy, shared := make([]int, threads), 0.0
			for i := range len(bounds) - 1 {
				size := 0
				for _, ids := range in[bounds[i]:bounds[i+1]] {
					size += len(ids)
				}
				if size > chunkTokens && bounds[i+1]-bounds[i] > 1 || size == 0 {
					t.Fatalf("%v is cut at %v: %d tokens", lengths, bounds, size)
				}
				if i >= alone {
					shared += float64(size) / float64(threads)
					continue
				}
				slices.Sort(busy)
				busy[0] += size
			}
			all += float64(tokens) / float64(threads)
			took += float64(slices.Max(busy)) + shared
		}
		if share := all / took; share < 0.96 || share > 1.001 {
			t.Errorf("%d threads are busy for %.3f of the time", threads, share)
		}
	}
}
