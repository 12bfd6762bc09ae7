package rank

// Weighted sums the lists' votes times their scores, brought to [0, 1] by
// MinMax. A list that lacks a candidate says nothing for it. The weights are
// taken as they are: with two of 0.7 and 0.3 the best score possible is 1.
func Weighted(lists ...List) []Fused {
	norms := make([]func(float64) float64, len(lists))
	for i, l := range lists {
		norms[i] = MinMax(l.Items)
	}
	return byScore(merge(lists, func(l, _ int, item Scored) float64 {
		return lists[l].vote() * norms[l](item.Score)
	}))
}
