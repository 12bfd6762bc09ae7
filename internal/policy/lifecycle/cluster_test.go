package lifecycle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

func TestClusters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		n           int
		joins       []lifecycle.Join
		least, most int
		want        [][]int
	}{
		{"nothing", 0, nil, 3, 9, nil},
		{"no joins", 4, nil, 3, 9, nil},
		{"too few", 3, []lifecycle.Join{{0, 1, 1}}, 3, 9, nil},
		{"a chain", 4, []lifecycle.Join{{0, 1, .9}, {2, 1, .8}}, 3, 9, [][]int{{0, 1, 2}}},
		{"two sets, in the order of their first pages", 6, []lifecycle.Join{{5, 3, .99}, {3, 1, .99}, {0, 2, .7}, {4, 2, .7}}, 3, 9, [][]int{{0, 2, 4}, {1, 3, 5}}},
		{"the weakest join of a chain is cut", 6, []lifecycle.Join{{0, 1, .9}, {1, 2, .9}, {2, 3, .7}, {3, 4, .9}, {4, 5, .9}}, 3, 5, [][]int{{0, 1, 2}, {3, 4, 5}}},
		{"joins alike go by their pages", 5, []lifecycle.Join{{3, 4, .9}, {2, 3, .9}, {1, 2, .9}, {0, 1, .9}}, 2, 3, [][]int{{0, 1, 2}, {3, 4}}},
		{"a join twice, and of a page with itself", 3, []lifecycle.Join{{0, 1, .9}, {1, 0, .8}, {2, 2, 1}, {1, 2, .6}}, 3, 3, [][]int{{0, 1, 2}}},
		{"what somebody wrote down comes first", 5, []lifecycle.Join{{0, 1, .99}, {1, 2, .99}, {2, 3, lifecycle.Related}, {3, 4, lifecycle.Related}}, 2, 3, [][]int{{0, 1}, {2, 3, 4}}},
	} {
		if diff := cmp.Diff(tc.want, lifecycle.Clusters(tc.n, tc.joins, tc.least, tc.most)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

// However pages are joined, and in whatever order that is told, each is in one cluster
// at most, and no cluster is larger or smaller than allowed.
func TestClustersKeepToTheirSizes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 3))
	for range 300 {
		n, least := 1+r.IntN(60), 2+r.IntN(4)
		most := least + r.IntN(10)
		joins := make([]lifecycle.Join, r.IntN(3*n))
		for i := range joins {
			joins[i] = lifecycle.Join{A: r.IntN(n), B: r.IntN(n), Weight: float64(r.IntN(5)) / 5}
		}
		got := lifecycle.Clusters(n, joins, least, most)
		seen := map[int]bool{}
		for _, c := range got {
			if len(c) < least || len(c) > most || !slices.IsSorted(c) {
				t.Fatalf("%d joins of %d pages make the cluster %v of %d to %d", len(joins), n, c, least, most)
			}
			for _, page := range c {
				if seen[page] {
					t.Fatalf("page %d is in two clusters", page)
				}
				seen[page] = true
			}
		}
		r.Shuffle(len(joins), func(i, j int) { joins[i], joins[j] = joins[j], joins[i] })
		if diff := cmp.Diff(got, lifecycle.Clusters(n, joins, least, most)); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
	}
}
