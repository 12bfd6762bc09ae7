package vector

import "math"

// normSlack is the maximum difference of a stored vector's length from one: rounding to
// whole numbers changes it by less than a hundredth.
const normSlack = 0.05

// Check returns kb.Damaged for data that Pack cannot have made from count vectors of length
// one with dims dimensions.
func Check(info, values []byte, dims, count int) error {
	is, vectors, err := Unpack(info, values)
	if err != nil {
		return err
	}
	if is != dims || len(vectors) != count {
		return damaged("their number differs from that in their row")
	}
	for _, v := range vectors {
		sum := 0
		for _, x := range v.Values {
			sum += int(x) * int(x)
		}
		if norm := float64(v.Scale) * math.Sqrt(float64(sum)); math.Abs(norm-1) > normSlack {
			return damaged("one does not have the length one")
		}
	}
	return nil
}
