package rank

// SetUnion appends the candidates that only the other lists have to the first list, each
// list in its own order: it never changes the order within a list, and ignores the lists'
// weights. Loose lists come last. A score is 1 divided by the position in the result; all of
// it counts as the vote of the list that determined the position.
func SetUnion(lists ...List) []Fused {
	// The lists keep their numbers: lists that determine no position have votes as well.
	all := merge(lists, func(int, int, Scored) float64 { return 0 })
	byID := make(map[int64]*Fused, len(all))
	for _, f := range all {
		byID[f.ID] = f
	}
	out := make([]Fused, 0, len(all))
	for _, loose := range []bool{false, true} {
		for l, list := range lists {
			if list.Loose != loose {
				continue
			}
			for _, item := range list.Items {
				f := byID[item.ID]
				if f == nil {
					continue // has a position already
				}
				delete(byID, item.ID)
				f.Score = 1 / float64(len(out)+1)
				for i := range f.Votes {
					if f.Votes[i].List == l {
						f.Votes[i].Share = f.Score
					}
				}
				out = append(out, *f)
			}
		}
	}
	return out
}
