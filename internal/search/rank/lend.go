package rank

// Pages that belong together, such as the parts of a conversation or consecutive days, have
// similar subjects: evidence for one is weak evidence for the others. This applies to
// candidates only, so that a page without other evidence is never found.

// Beside adds to each candidate weight times the better score of its neighbours. beside
// returns the IDs of a candidate's neighbours; neighbours that are not candidates are
// ignored. All scores are those before the call. list is as in Boost.
func Beside(fused []Fused, list int, weight float64, beside func(id int64) []int64) []Fused {
	before := make(map[int64]float64, len(fused))
	for _, f := range fused {
		before[f.ID] = f.Score
	}
	return again(fused, func(f Fused) (Vote, bool) {
		v := Vote{List: list}
		for _, id := range beside(f.ID) {
			if score := before[id]; id != f.ID && score > v.Score {
				v.Score, v.Share, v.From = score, weight*score, id
			}
		}
		return v, v.Share > 0
	})
}

// Whole raises each candidate by weight, from 0 to 1, of the distance to the best candidate
// of its whole: 0 changes nothing, with 1 all parts of a whole are equal. of returns a
// number for the whole of a candidate, the same for all its parts, and false for a page
// without one. list is as in Boost.
func Whole(fused []Fused, list int, weight float64, of func(id int64) (int, bool)) []Fused {
	best := make(map[int]Fused)
	for _, f := range fused {
		if whole, ok := of(f.ID); ok {
			if b, has := best[whole]; !has || f.Score > b.Score {
				best[whole] = f
			}
		}
	}
	return again(fused, func(f Fused) (Vote, bool) {
		whole, ok := of(f.ID)
		if !ok {
			return Vote{}, false
		}
		b := best[whole]
		v := Vote{List: list, Score: b.Score, Share: weight * (b.Score - f.Score), From: b.ID}
		return v, v.Share > 0
	})
}

// again adds a vote to some candidates, and sorts all candidates again.
func again(fused []Fused, vote func(Fused) (Vote, bool)) []Fused {
	all := make([]*Fused, len(fused))
	for i, f := range fused {
		all[i] = &f
		if v, ok := vote(f); ok {
			f.Votes = append(f.Votes[:len(f.Votes):len(f.Votes)], v)
			f.Score += v.Share
		}
	}
	return byScore(all)
}
