package rank

// RRFConstant is the usual k: from Cormack, Clarke and Büttcher, "Reciprocal
// Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
// (SIGIR 2009).
const RRFConstant = 60

// RRF is reciprocal rank fusion: a candidate's score is the sum of its lists'
// votes over k plus its rank. It needs no comparable scores, and ignores their
// size. k is at least 0; greater values make ranks count more alike.
func RRF(k float64, lists ...List) []Fused {
	return byScore(merge(lists, func(l, rank int, _ Scored) float64 {
		return lists[l].vote() / (max(k, 0) + float64(rank))
	}))
}
