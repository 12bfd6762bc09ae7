package rank

// Boost adds weight times its part to the score of each candidate that has one. Parts are
// from 0 to 1. It adds no candidates: parts of other pages are ignored. Its votes have list
// as their number, which follows those of the fused lists.
func Boost(fused []Fused, list int, weight float64, parts map[int64]float64) []Fused {
	return again(fused, func(f Fused) (Vote, bool) {
		part := parts[f.ID]
		return Vote{List: list, Score: part, Share: weight * part}, part > 0
	})
}
