package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bare makes fused candidates of pairs of id and score.
func bare(pairs ...float64) []Fused {
	var out []Fused
	for _, s := range scored(pairs...) {
		out = append(out, Fused{ID: s.ID, Score: s.Score})
	}
	return out
}

func TestBeside(t *testing.T) {
	t.Parallel()
	row := func(id int64) []int64 { return []int64{id - 1, id + 1} }
	for name, tt := range map[string]struct {
		fused  []Fused
		beside func(int64) []int64
		want   []Fused
	}{
		"neighbours lend what they had before": {
			bare(1, 0.9, 5, 0.5, 2, 0.4, 3, 0.2), row,
			[]Fused{
				{1, 0.94, []Vote{{4, 0, 0.4, 0.04, 2}}},
				{5, 0.5, nil},
				{2, 0.49, []Vote{{4, 0, 0.9, 0.09, 1}}},
				{3, 0.24, []Vote{{4, 0, 0.4, 0.04, 2}}},
			},
		},
		"and may change the order": {
			bare(1, 1, 9, 0.5, 2, 0.45), row,
			[]Fused{{1, 1.045, []Vote{{4, 0, 0.45, 0.045, 2}}}, {2, 0.55, []Vote{{4, 0, 1, 0.1, 1}}}, {9, 0.5, nil}},
		},
		"nothing is beside itself": {
			bare(1, 1), func(id int64) []int64 { return []int64{id} }, bare(1, 1),
		},
		"what has no score lends nothing": {
			bare(1, 1, 2, 0), row, []Fused{{1, 1, nil}, {2, 0.1, []Vote{{4, 0, 1, 0.1, 1}}}},
		},
		"none": {nil, row, []Fused{}},
	} {
		if diff := cmp.Diff(tt.want, Beside(tt.fused, 4, 0.1, tt.beside), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	tens := func(id int64) (int, bool) { return int(id / 10), id >= 10 }
	for name, tt := range map[string]struct {
		weight float64
		want   []Fused
	}{
		"a part of the way to the best": {0.5, []Fused{
			{3, 0.9, nil},
			{11, 0.8, nil},
			{21, 0.6, nil},
			{14, 0.5, []Vote{{4, 0, 0.8, 0.3, 11}}},
			{4, 0.4, nil},
		}},
		"all the way":         {1, []Fused{{3, 0.9, nil}, {11, 0.8, nil}, {14, 0.8, []Vote{{4, 0, 0.8, 0.6, 11}}}, {21, 0.6, nil}, {4, 0.4, nil}}},
		"no weight, no votes": {0, bare(3, 0.9, 11, 0.8, 21, 0.6, 4, 0.4, 14, 0.2)},
	} {
		got := Whole(bare(3, 0.9, 11, 0.8, 21, 0.6, 4, 0.4, 14, 0.2), 4, tt.weight, tens)
		if diff := cmp.Diff(tt.want, got, near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What is added afterwards leaves the votes of the lists it was added to as
// they were: others may hold them.
func TestVotesAreNotShared(t *testing.T) {
	t.Parallel()
	votes := make([]Vote, 1, 9)
	fused := []Fused{{ID: 1, Score: 1, Votes: votes}}
	for list := range 2 {
		got := Boost(fused, list+5, 1, map[int64]float64{1: 1})
		if len(votes[:2][1:]) != 1 || votes[:2][1] != (Vote{}) || got[0].Votes[1].List != list+5 {
			t.Errorf("%v, %v", votes[:2], got)
		}
	}
}
