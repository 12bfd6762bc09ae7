package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMean(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words, similar List
		want           []Fused
	}{
		"both halves": {
			List{Items: scored(1, 20, 2, 15, 3, 10)}, List{Items: scored(2, 0.9, 4, 0.6)},
			[]Fused{
				{2, 0.7, []Vote{{0, 2, 15, 0.25, 0}, {1, 1, 0.9, 0.45, 0}}},
				{1, 0.5, []Vote{{0, 1, 20, 0.5, 0}}},
				{4, 0.3, []Vote{{1, 2, 0.6, 0.3, 0}}},
				{3, 0, []Vote{{0, 3, 10, 0, 0}}},
			},
		},
		"one hit is 1": {List{Items: scored(1, 0.2)}, List{Items: scored(1, 1)}, []Fused{{1, 1, []Vote{{0, 1, 0.2, 0.5, 0}, {1, 1, 1, 0.5, 0}}}}},
		"equal scores": {List{Items: scored(1, 3, 2, 3)}, List{}, []Fused{{1, 0.5, []Vote{{0, 1, 3, 0.5, 0}}}, {2, 0.5, []Vote{{0, 2, 3, 0.5, 0}}}}},
		"none":         {List{}, List{}, []Fused{}},
	} {
		if diff := cmp.Diff(tt.want, Mean(tt.words, tt.similar), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestKept(t *testing.T) {
	t.Parallel()
	want := []Fused{{1, 0.8, []Vote{{1, 1, 0.8, 0.8, 0}}}, {2, 0.6, []Vote{{1, 2, 0.6, 0.6, 0}}}}
	if diff := cmp.Diff(want, Kept(List{}, List{Items: scored(1, 0.8, 2, 0.6), Weight: 0.3}), near); diff != "" {
		t.Error(diff)
	}
}
