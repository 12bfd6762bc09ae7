package embedding

import (
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		scale        Scale
		cosine, want float64
	}{
		{usual, 0.123, 0.123},
		{usual, 0.91, 0.91},
		{Scale{0.45, 0.7}, -0.45, -0.75},
		{Scale{0.45, 0.7}, 0, 0},
		{Scale{0.45, 0.7}, 0.225, 0.375},
		{Scale{0.45, 0.7}, 0.45, 0.75},
		{Scale{0.45, 0.7}, 0.575, 0.775},
		{Scale{0.45, 0.7}, 0.7, 0.8},
		{Scale{0.45, 0.7}, 0.85, 0.9},
		{Scale{0.45, 0.7}, 1, 1},
		{Scale{0.9, 0.9}, 0.899, 0.749166},
		{Scale{0.9, 0.9}, 0.9, 0.8},
		{Scale{0.9, 0.9}, 1, 1},
	} {
		if got := tc.scale.Usual(tc.cosine); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%v says with %v what the built-in model says with %v, want %v", tc.scale, tc.cosine, got, tc.want)
		}
	}
	for _, m := range measured {
		if m.linked <= 0 || m.linked > m.similar || m.similar >= 1 || m.alike <= 0 || m.alike >= 1 {
			t.Errorf("%s has the scale %+v", m.name, m.Scale)
		}
	}
}
