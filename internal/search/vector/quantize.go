package vector

import "math"

// top is the largest value of a quantised vector.
const top = 127

// Quantize returns vec, rotated as described in rotate.go, as integers in [-127, 127], and
// their scale. Dot products are those of the original vectors, but single values are not. A
// vector of zeros, or one with a value that is not finite, has scale 0.
func Quantize(vec []float32) (q []int8, scale float32) { return quantize(rotate(vec)) }

func quantize(vec []float64) (q []int8, scale float32) {
	q = make([]int8, len(vec))
	largest := 0.0
	for _, v := range vec {
		largest = max(largest, math.Abs(v)) // NaN stays
	}
	scale = float32(largest / top)
	if !(scale > 0) || math.IsInf(float64(scale), 0) {
		return q, 0
	}
	for i, v := range vec {
		// The scale may have been rounded down to float32.
		q[i] = int8(min(max(math.RoundToEven(v/float64(scale)), -top), top))
	}
	return q, scale
}
