package rank

// Mean is half of the score among the words, scaled to [0, 1] between the minimum and the
// maximum of the list, plus half of the similarity, which is from 0 to 1 already; a missing
// value counts as 0. The minimum among the words has 0, and a single one 1. This is section
// 14.5 of the specification of Markdown graphs.
func Mean(words, similar List) []Fused {
	least, span := 0.0, 0.0
	for i, item := range words.Items {
		if i == 0 || item.Score < least {
			least = item.Score
		}
	}
	for _, item := range words.Items {
		span = max(span, item.Score-least)
	}
	return byScore(merge([]List{words, similar}, func(l, _ int, item Scored) float64 {
		switch {
		case l == 1:
			return item.Score / 2
		case span == 0:
			return 0.5
		}
		return (item.Score - least) / span / 2
	}))
}

// Kept keeps the scores of the candidates in lists; a candidate in several lists gets the
// sum.
func Kept(lists ...List) []Fused {
	return byScore(merge(lists, func(_, _ int, item Scored) float64 { return item.Score }))
}
