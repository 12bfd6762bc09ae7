package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What made the examples is found again.
func TestFit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	truth := regression{3, -2, 0.5}
	var examples []example
	for range 20000 {
		x := []float64{random.Float64(), random.Float64()}
		examples = append(examples, example{x, random.Float64() < truth.chance(x), 1})
	}
	got := fit(examples)
	for i := range truth {
		if math.Abs(got[i]-truth[i]) > 0.2 {
			t.Fatalf("fitted %.2f, want %.2f", got, truth)
		}
	}
	// An example of no weight says nothing.
	if with := fit(append(examples, example{[]float64{1000, 1000}, true, 0})); math.Abs(with[0]-got[0]) > 1e-6 {
		t.Errorf("%.2f instead of %.2f", with, got)
	}
}

func TestAUC(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		yes, no []float64
		want    float64
	}{
		{[]float64{3, 4}, []float64{1, 2}, 1},
		{[]float64{1, 2}, []float64{3, 4}, 0},
		{[]float64{1, 1}, []float64{1}, 0.5},
		{[]float64{1, 3}, []float64{2, 2}, 0.5},
		{[]float64{2, 3}, []float64{2, 1}, 0.875},
	} {
		if got := auc(tt.yes, tt.no); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v over %v: %v, want %v", tt.yes, tt.no, got, tt.want)
		}
	}
}
