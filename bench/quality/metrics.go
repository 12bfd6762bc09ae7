package main

import (
	"cmp"
	"math"
	"slices"
)

// gains are the judged documents of a query, each greater than 0.
type gains map[string]float64

// scores are what a ranking, or the mean of many, is worth, each 0 to 1.
type scores struct {
	NDCG10   float64 `json:"ndcg@10"`
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	Any5     float64 `json:"any@5"` // share of queries with a relevant document among the first 5
	All5     float64 `json:"all@5"` // share of queries with all of them there
	MRR      float64 `json:"mrr"`   // of the first relevant one in what was retrieved
}

// judge scores a ranking of distinct documents. want is not empty.
func judge(ranking []string, want gains) scores {
	var s scores
	for i, id := range ranking {
		gain, ok := want[id]
		if !ok {
			continue
		}
		if s.MRR == 0 {
			s.MRR = 1 / float64(i+1)
		}
		if i < 5 {
			s.Any5 = 1
			s.Recall5++
		}
		if i < 10 {
			s.Recall10++
			s.NDCG10 += discounted(gain, i)
		}
	}
	if int(s.Recall5) == len(want) {
		s.All5 = 1
	}
	s.Recall5 /= float64(len(want))
	s.Recall10 /= float64(len(want))
	s.NDCG10 /= ideal(want)
	return s
}

// discounted is the linear gain at an index, as trec_eval has it.
func discounted(gain float64, i int) float64 { return gain / math.Log2(float64(i)+2) }

// ideal is the discounted gain of the best first ten there can be: of all
// judged documents, retrieved or not.
func ideal(want gains) float64 {
	var all []float64
	for _, g := range want {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for i, g := range all[:min(len(all), 10)] {
		sum += discounted(g, i)
	}
	return sum
}

// mean is the mean over queries, each counting the same.
func mean(all []scores) scores {
	var m scores
	n := float64(len(all))
	if n == 0 {
		return m
	}
	for _, s := range all {
		m.NDCG10 += s.NDCG10 / n
		m.Recall5 += s.Recall5 / n
		m.Recall10 += s.Recall10 / n
		m.Any5 += s.Any5 / n
		m.All5 += s.All5 / n
		m.MRR += s.MRR / n
	}
	return m
}
