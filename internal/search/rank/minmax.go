package rank

// floor is the result of MinMax for the least score in a list: the last of a
// list is still better than a page that is not in it. It is smaller than the
// usual difference of one rank in a list of a hundred.
const floor = 0.01

// MinMax returns the function that takes the greatest score of a list to 1 and
// the least to just above 0, linearly. When all are equal, it takes them to 1.
// Scores that differ by less than width in all are not stretched apart: they are
// taken to 1 and below it by their part of width.
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
		// Halves, since the difference of two large numbers may overflow.
		return floor + (1-floor)*(score/2-least/2)/(most/2-least/2)
	}
}
