package rank

// looseVote is the share of its weight that a list of loose matches keeps. A page with some
// of the words is a guess: at half a vote, pages on which two lists agree rank above it.
const looseVote = 0.5

// vote returns the weight of the list in a sum.
func (l List) vote() float64 {
	if l.Loose {
		return l.Weight * looseVote
	}
	return l.Weight
}
