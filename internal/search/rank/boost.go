package rank

// Boost adds weight times its part to the score of each candidate that has one.
// Parts are from 0 to 1. It brings no candidates: a part without one counts
// nothing. The votes it casts are those of a list of this number, which comes
// after the lists that were fused.
func Boost(fused []Fused, list int, weight float64, parts map[int64]float64) []Fused {
	return again(fused, func(f Fused) (Vote, bool) {
		part := parts[f.ID]
		return Vote{List: list, Score: part, Share: weight * part}, part > 0
	})
}
