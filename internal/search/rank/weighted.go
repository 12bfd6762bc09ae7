package rank

// Weighted sums the lists' votes times their scores, scaled to [0, 1] by MinMax with the
// width of the list. A list without a candidate adds nothing to it. Weights are not
// normalised: with 0.7 and 0.3 the best possible score is 1.
func Weighted(lists ...List) []Fused {
	norms := make([]func(float64) float64, len(lists))
	for i, l := range lists {
		norms[i] = MinMax(l.Items, l.Width)
	}
	return byScore(merge(lists, func(l, _ int, item Scored) float64 {
		return lists[l].vote() * norms[l](item.Score)
	}))
}
