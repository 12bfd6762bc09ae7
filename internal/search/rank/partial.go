package rank

import "math"

// Partial means that a list of a fusion covers only some of the pages: the others may be as
// good, but have not been examined yet.
type Partial struct {
	List  int                 // index of the list that covers some pages
	Other int                 // index of a list that covers all
	Ratio float64             // weight of List's vote relative to that of Other
	Knows func(id int64) bool // whether List covers a candidate
	Share float64             // share of all pages that List covers, from 0 to 1
	Pool  int                 // maximum number of candidates of a list
}

// Even corrects for the pages that List does not cover. For such a candidate, Other votes
// instead. A candidate that only List found is the best of a share of the pages, and would
// have ranked lower among all pages: at rank 1/Share, where scores are lower by the
// logarithm of the rank, and nearly zero at the end of the pool.
func (p Partial) Even(fused []Fused) []Fused {
	if p.Share >= 1 {
		return fused
	}
	alone := max(floor, 1+math.Log(p.Share)/math.Log(float64(max(p.Pool, 2))))
	out := make([]*Fused, len(fused))
	for i, f := range fused {
		by := func(list int) bool {
			for _, v := range f.Votes {
				if v.List == list {
					return true
				}
			}
			return false
		}
		factor, of := 1.0, p.Other
		switch {
		case !by(p.Other):
			factor, of = alone, p.List
		case !p.Knows(f.ID):
			factor = 1 + p.Ratio
		}
		g := Fused{ID: f.ID, Votes: make([]Vote, len(f.Votes))}
		for i, v := range f.Votes {
			if v.List == of {
				v.Share *= factor
			}
			g.Votes[i] = v
			g.Score += v.Share
		}
		out[i] = &g
	}
	return byScore(out)
}
