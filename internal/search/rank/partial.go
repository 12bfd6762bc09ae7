package rank

import "math"

// Partial says that one list of a fusion knows only some of the pages: the
// others may be as good, and nothing has looked at them yet.
type Partial struct {
	List  int                 // the one that knows some
	Other int                 // one that knows all
	Ratio float64             // what List's vote counts beside that of Other
	Knows func(id int64) bool // whether List knows a candidate
	Share float64             // of all pages, that List knows: from 0 to 1
	Pool  int                 // how many candidates a list brings at most
}

// Even makes up for what such a list does not know. Of a candidate that it does
// not know, Other speaks in its place. What it alone found is the best of a
// share, which among all pages would have come later: at rank 1/Share, where
// scores have fallen by the logarithm of the rank, to next to nothing at the end
// of the pool.
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
