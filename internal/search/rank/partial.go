package rank

import "math"

// Partial means that one list of a fusion covers only some of the pages: the
// others may be as good, and have not been examined yet.
type Partial struct {
	List  int                 // the one that knows some
	Other int                 // one that knows all
	Ratio float64             // weight of List's vote relative to that of Other
	Knows func(id int64) bool // whether List knows a candidate
	Share float64             // of all pages, that List knows: from 0 to 1
	Pool  int                 // how many candidates a list brings at most
}

// Even corrects for the pages that such a list does not cover. For a candidate
// that it does not cover, Other votes instead. A candidate that it alone found
// is the best of a share, and would have ranked lower among all pages: at rank
// 1/Share, where scores have fallen by the logarithm of the rank, to nearly
// nothing at the end of the pool.
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
