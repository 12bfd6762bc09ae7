package rank

// floor is the result of MinMax for the minimum score of a list: the last page of a list is
// still better than a page that is not in it. It is smaller than the usual difference of one
// rank in a list of a hundred.
const floor = 0.01

// MinMax returns the linear function that maps the maximum score of a list to 1 and the
// minimum to floor. If all scores are equal, it maps them to 1. If they differ by less than
// width, they are not spread to the whole range: the difference from the maximum is divided
// by width instead.
func MinMax(items []Scored, width float64) func(score float64) float64 {
	if len(items) == 0 {
		return func(float64) float64 { return 0 }
	}
	least, most := items[0].Score, items[0].Score
	for _, item := range items {
		least, most = min(least, item.Score), max(most, item.Score)
	}
	if least == most {
		return func(float64) float64 { return 1 }
	}
	if most-least < width {
		least = most - width
	}
	return func(score float64) float64 {
		// Half values, since the difference of two large numbers may overflow.
		return floor + (1-floor)*(score/2-least/2)/(most/2-least/2)
	}
}
