package rank

// RRFConstant is the usual k: from Cormack, Clarke and Büttcher, "Reciprocal
// Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
// (SIGIR 2009).
const RRFConstant = 60

// RRF is reciprocal rank fusion: a candidate's score is the sum of its lists' votes divided
// by k plus its rank. It does not need comparable scores, and ignores their values. k is at
// least 0; with a greater k ranks differ less.
func RRF(k float64, lists ...List) []Fused {
	return byScore(merge(lists, func(l, rank int, _ Scored) float64 {
		return lists[l].vote() / (max(k, 0) + float64(rank))
	}))
}
