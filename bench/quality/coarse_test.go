package main

import (
	"math"
	"testing"
)

// What all vectors share is taken out, and what tells them apart stays.
func TestWithoutCommon(t *testing.T) {
	t.Parallel()
	var vectors [][]float32
	for i := range 40 {
		v := make([]float32, 8)
		v[0] = 5                             // the mean
		v[1] = float32(3 * (i%2*2 - 1))      // the direction in which they differ most
		v[2+i/2%6] = 0.5 * float32(i/20*2-1) // what is their own
		vectors = append(vectors, v)
	}
	for i, v := range withoutCommon(vectors, 1) {
		if math.Abs(float64(v[0])) > 1e-3 || math.Abs(float64(v[1])) > 1e-2 || math.Abs(float64(v[2+i/2%6])) < 0.2 {
			t.Errorf("%v became %v", vectors[i], v)
		}
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	if got := scaled([]float64{3, 4}); got[0] != 0.6 || got[1] != 0.8 {
		t.Errorf("scaled is %v", got)
	}
	if got := scaled([]float64{0, 0}); got[0] != 0 {
		t.Errorf("nothing is scaled to %v", got)
	}
}
