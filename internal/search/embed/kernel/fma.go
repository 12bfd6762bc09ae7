package kernel

import "math"

// fma returns a*b+c rounded once, like the vector instructions. The portable set needs it,
// because a difference in the last bit can move an activation to the next quantisation step,
// and a few of those are visible in the vector.
//
// The product of two float32 is exact in float64, so only the sum is rounded twice, which
// matters only if it is halfway between two float32.
func fma(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if math.Float64bits(s)<<35 == 1<<63 {
		return fmaHalfway(p, float64(c), s)
	}
	return float32(s)
}

// fmaHalfway rounds p+c, with a float64 rounding s halfway between two float32,
// in the direction of the lost bits.
func fmaHalfway(p, c, s float64) float32 {
	// Knuth's two-sum: p+c is exactly s+lost.
	q := s - p
	lost := (p - (s - q)) + (c - q)
	switch {
	case lost > 0:
		s = math.Nextafter(s, math.Inf(1))
	case lost < 0:
		s = math.Nextafter(s, math.Inf(-1))
	}
	return float32(s)
}

// reduceAdd adds up eight lanes in the order of the vector code.
func reduceAdd(v [Lanes]float32) float32 {
	a, b, c, d := v[0]+v[4], v[1]+v[5], v[2]+v[6], v[3]+v[7]
	return (a + c) + (b + d)
}
