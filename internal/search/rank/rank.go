package rank

import (
	"cmp"
	"math"
	"slices"
)

// Scored is a candidate found by one kind of evidence. ID is the row of a page or of a
// chunk, the same in all fused lists. Scores need not be comparable between lists; greater
// is better, and none is NaN or infinite.
type Scored struct {
	ID    int64
	Score float64
}

// List is one kind of evidence.
type List struct {
	Name   string   // for people: "words", "meaning"
	Items  []Scored // best first; the first occurrence of an ID counts
	Weight float64  // weight of the list's vote, not negative
	Width  float64  // difference of scores between a good and a poor match, for Weighted
	Loose  bool     // its items match a relaxed query: some of the words, not all
}

// Fused is a candidate with the contribution of each list.
type Fused struct {
	ID    int64
	Score float64 // comparable within one result
	Votes []Vote  // of the lists with the candidate, in order
}

// Vote is the contribution of a list to a candidate's score.
type Vote struct {
	List  int     // index of the list
	Rank  int     // in the list, from 1; 0 for evidence added after the fusion
	Score float64 // in the list
	Share float64 // its part of the fused score
	From  int64   // the candidate from which evidence was transferred; 0 in fused lists
}

// merge collects the candidates of all lists. share returns the contribution of the item at
// a rank, from 1, to its candidate's score.
func merge(lists []List, share func(list, rank int, item Scored) float64) []*Fused {
	var all []*Fused
	byID := make(map[int64]*Fused)
	for l, list := range lists {
		rank := 0
		for _, item := range list.Items {
			f := byID[item.ID]
			if f == nil {
				f = &Fused{ID: item.ID}
				byID[item.ID] = f
				all = append(all, f)
			}
			if n := len(f.Votes); n > 0 && f.Votes[n-1].List == l {
				continue
			}
			rank++
			v := Vote{List: l, Rank: rank, Score: item.Score, Share: share(l, rank, item)}
			f.Votes = append(f.Votes, v)
			f.Score += v.Share
		}
	}
	return all
}

// byScore sorts candidates, best first, ties by ID.
func byScore(all []*Fused) []Fused {
	out := make([]Fused, len(all))
	for i, f := range all {
		out[i] = *f
	}
	slices.SortFunc(out, func(a, b Fused) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Rarity returns the inverse document frequency of BM25 for a term that occurs in having of
// all texts. It is positive.
func Rarity(all, having int) float64 {
	return math.Log1p((float64(all-having) + 0.5) / (float64(having) + 0.5))
}
