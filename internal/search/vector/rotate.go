package vector

import "math"

// rotate applies a fixed rotation to vec, which changes no dot product of two rotated
// vectors.
//
// Embedding models have single dimensions many times as large as the others: the largest of
// bge-small is 8.6 times the mean size. With one scale per vector they would reduce the
// precision of the others. The rotation spreads each dimension over a block, after which the
// largest is 3 to 4 times the mean: errors of int8 are a third.
//
// It flips signs and then applies Hadamard matrices to blocks of the greatest power of two
// that divides the number of dimensions: 128 for 384, in three blocks; 1, without any
// effect, for odd numbers.
func rotate(vec []float32) []float64 {
	out := make([]float64, len(vec))
	for i, v := range vec {
		out[i] = float64(v)
		if flipped(i) {
			out[i] = -out[i]
		}
	}
	block := len(vec) & -len(vec)
	for half := 1; half < block; half *= 2 {
		for i := 0; i < len(out); i += 2 * half {
			for j := i; j < i+half; j++ {
				a, b := out[j], out[j+half]
				out[j], out[j+half] = a+b, a-b
			}
		}
	}
	norm := 1 / math.Sqrt(float64(max(block, 1)))
	for i := range out {
		out[i] *= norm
	}
	return out
}

// flipped reports whether a sign changes: without flips, vectors with equal values would
// become vectors with a single large value. It uses one bit of mixed, which is part of the
// stored format.
func flipped(i int) bool { return mixed(i)&1 == 1 }

// mixed is the mixing function of splitmix64.
func mixed(i int) uint64 {
	z := (uint64(i) + 1) * 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
