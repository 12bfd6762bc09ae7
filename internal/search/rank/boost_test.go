package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBoost(t *testing.T) {
	t.Parallel()
	fused := func() []Fused {
		return []Fused{
			{1, 0.9, []Vote{{0, 1, 9, 0.9, 0}}},
			{2, 0.8, []Vote{{0, 2, 8, 0.8, 0}}},
		}
	}
	for name, tt := range map[string]struct {
		parts map[int64]float64
		want  []Fused
	}{
		"none": {nil, fused()},
		"a boost may change the order": {map[int64]float64{2: 1}, []Fused{
			{2, 1, []Vote{{0, 2, 8, 0.8, 0}, {7, 0, 1, 0.2, 0}}},
			{1, 0.9, []Vote{{0, 1, 9, 0.9, 0}}},
		}},
		"half a part": {map[int64]float64{1: 1, 2: 0.5}, []Fused{
			{1, 1.1, []Vote{{0, 1, 9, 0.9, 0}, {7, 0, 1, 0.2, 0}}},
			{2, 0.9, []Vote{{0, 2, 8, 0.8, 0}, {7, 0, 0.5, 0.1, 0}}},
		}},
		"what is no candidate is not brought": {map[int64]float64{3: 1}, fused()},
	} {
		if diff := cmp.Diff(tt.want, Boost(fused(), 7, 0.2, tt.parts), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
