package vector

import "math"

// normSlack is how far the length of a stored vector may be from one: rounding
// to whole numbers moves it by less than a hundredth.
const normSlack = 0.05

// Check reports as kb.Damaged data that Pack cannot have made from so many
// vectors of length one with so many dimensions.
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
