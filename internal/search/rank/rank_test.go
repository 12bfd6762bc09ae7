package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// near compares scores as people read them.
var near = cmpopts.EquateApprox(0, 1e-12)

// scored makes items of pairs of id and score.
func scored(pairs ...float64) []Scored {
	var out []Scored
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Scored{int64(pairs[i]), pairs[i+1]})
	}
	return out
}

// strategies are the fusions, as the properties below see them.
var strategies = map[string]func(...List) []Fused{
	"set-union": SetUnion,
	"rrf":       func(l ...List) []Fused { return RRF(RRFConstant, l...) },
	"weighted":  Weighted,
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lists []List
		want  []Fused
	}{
		"none":       {nil, []Fused{}},
		"empty list": {[]List{{}}, []Fused{}},
		"an ID that occurs again counts once, and takes no rank": {
			[]List{{Items: scored(1, 9, 1, 8, 2, 7), Weight: 1}},
			[]Fused{
				{1, 1.0 / 61, []Vote{{0, 1, 9, 1.0 / 61, 0}}},
				{2, 1.0 / 62, []Vote{{0, 2, 7, 1.0 / 62, 0}}},
			},
		},
	} {
		if diff := cmp.Diff(tt.want, RRF(RRFConstant, tt.lists...), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Whatever the lists: every candidate is there once, scores descend, equal
// ones are in order of ID, and they are the sums of their shares.
func TestProperties(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		var lists []List
		ids := make(map[int64]bool)
		for range rnd.IntN(4) {
			l := List{Weight: float64(rnd.IntN(3)), Loose: rnd.IntN(3) == 0}
			for range rnd.IntN(8) {
				id := int64(rnd.IntN(10))
				ids[id] = true
				l.Items = append(l.Items, Scored{id, float64(rnd.IntN(5)) - 2})
			}
			slices.SortStableFunc(l.Items, func(a, b Scored) int { return int(b.Score - a.Score) })
			lists = append(lists, l)
		}
		for name, fuse := range strategies {
			got := fuse(lists...)
			if len(got) != len(ids) {
				t.Fatalf("%s: %v of %v", name, got, lists)
			}
			for i, f := range got {
				sum := 0.0
				for _, v := range f.Votes {
					sum += v.Share
					if l := lists[v.List]; !slices.Contains(l.Items, Scored{f.ID, v.Score}) || v.Rank < 1 {
						t.Errorf("%s: vote %v of %v", name, v, f.ID)
					}
				}
				if math.Abs(sum-f.Score) > 1e-12 || len(f.Votes) == 0 || !ids[f.ID] {
					t.Errorf("%s: %v", name, f)
				}
				if i > 0 && (got[i-1].Score < f.Score || got[i-1].Score == f.Score && got[i-1].ID >= f.ID) {
					t.Errorf("%s: %v before %v", name, got[i-1], f)
				}
			}
		}
	}
}

// A page found by some of its words alone does not displace one that two
// sound lists agree on, nor the best of a sound list of the same weight.
func TestLooseNeverLeads(t *testing.T) {
	t.Parallel()
	sound := List{Items: scored(1, 0.9, 2, 0.5), Weight: 1}
	loose := List{Items: scored(3, 30, 4, 20), Weight: 1, Loose: true}
	for name, fuse := range strategies {
		for _, lists := range [][]List{{sound, loose}, {loose, sound}} {
			if got := fuse(lists...); got[0].ID != 1 {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
