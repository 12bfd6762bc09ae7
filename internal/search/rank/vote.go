package rank

// looseVote is the part of its weight that a list of loose matches keeps. A
// page that holds some of the words is a guess; at half a vote, two lists that
// agree on a page are above it, and it is above nothing at all.
const looseVote = 0.5

// vote returns the weight of the list's evidence in a sum.
func (l List) vote() float64 {
	if l.Loose {
		return l.Weight * looseVote
	}
	return l.Weight
}
