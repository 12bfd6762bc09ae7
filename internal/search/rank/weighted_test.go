package rank

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeighted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lists []List
		want  []Fused
	}{
		"scores count, not ranks": {
			[]List{{Items: scored(1, 20, 2, 5, 3, 0), Weight: 0.6}, {Items: scored(2, 0.9, 1, 0.8, 3, 0.4), Weight: 0.4}},
			[]Fused{
				{1, 0.6 + 0.4*(0.01+0.99*0.8), []Vote{{0, 1, 20, 0.6, 0}, {1, 2, 0.8, 0.4 * (0.01 + 0.99*0.8), 0}}},
				{2, 0.6*(0.01+0.99*0.25) + 0.4, []Vote{{0, 2, 5, 0.6 * (0.01 + 0.99*0.25), 0}, {1, 1, 0.9, 0.4, 0}}},
				{3, 0.01, []Vote{{0, 3, 0, 0.006, 0}, {1, 3, 0.4, 0.004, 0}}},
			},
		},
		"a loose list has half a vote": {
			[]List{{Items: scored(1, 20), Weight: 0.6, Loose: true}, {Items: scored(2, 0.9), Weight: 0.4}},
			[]Fused{{2, 0.4, []Vote{{1, 1, 0.9, 0.4, 0}}}, {1, 0.3, []Vote{{0, 1, 20, 0.3, 0}}}},
		},
		"the last of a list is better than what is not in it": {
			[]List{{Items: scored(9, 2, 8, 1), Weight: 1}, {Items: scored(1, 1), Weight: 0}},
			[]Fused{{9, 1, []Vote{{0, 1, 2, 1, 0}}}, {8, 0.01, []Vote{{0, 2, 1, 0.01, 0}}}, {1, 0, []Vote{{1, 1, 1, 0, 0}}}},
		},
	} {
		if diff := cmp.Diff(tt.want, Weighted(tt.lists...), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMinMax(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		items []Scored
		width float64
		want  []float64
	}{
		"spread":   {scored(1, 4, 2, 3, 3, 0), 0, []float64{1, 0.01 + 0.99*0.75, 0.01}},
		"negative": {scored(1, -1, 2, -3), 1, []float64{1, 0.01}},
		"equal":    {scored(1, 2, 2, 2), 1, []float64{1, 1}},
		"narrow":   {scored(1, 0.8, 2, 0.79, 3, 0.75), 0.1, []float64{1, 0.01 + 0.99*0.9, 0.01 + 0.99*0.5}},
		"one":      {scored(1, 0), 0, []float64{1}},
		"extreme":  {scored(1, math.MaxFloat64, 2, 0, 3, -math.MaxFloat64), 0, []float64{1, 0.01 + 0.99*0.5, 0.01}},
	} {
		norm := MinMax(tt.items, tt.width)
		var got []float64
		for _, item := range tt.items {
			got = append(got, norm(item.Score))
		}
		if diff := cmp.Diff(tt.want, got, near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
