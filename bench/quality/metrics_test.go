package main

import (
	"math"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	log3 := 1 / math.Log2(3)
	for name, tt := range map[string]struct {
		ranking string
		want    gains
		scores  scores
	}{
		"nothing found":      {"", gains{"a": 1}, scores{}},
		"nothing relevant":   {"x y z", gains{"a": 1}, scores{}},
		"first":              {"a x", gains{"a": 1}, scores{1, 1, 1, 1, 1, 1}},
		"second":             {"x a", gains{"a": 1}, scores{log3, 1, 1, 1, 1, 0.5}},
		"one of two":         {"a x", gains{"a": 1, "b": 1}, scores{1 / (1 + log3), 0.5, 0.5, 1, 0, 1}},
		"sixth":              {"1 2 3 4 5 a", gains{"a": 1}, scores{1 / math.Log2(7), 0, 1, 0, 0, 1.0 / 6}},
		"eleventh":           {"1 2 3 4 5 6 7 8 9 10 a", gains{"a": 1}, scores{MRR: 1.0 / 11}},
		"the lesser first":   {"b a", gains{"a": 3, "b": 1}, scores{(1 + 3*log3) / (3 + log3), 1, 1, 1, 1, 1}},
		"more than fit in 5": {"a b c d e f", gains{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}, scores{1, 5.0 / 6, 1, 1, 0, 1}},
	} {
		if got := judge(strings.Fields(tt.ranking), tt.want); !near(got, tt.scores) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.scores)
		}
	}
}

// With more relevant documents than places, ten of them are as good as can be.
func TestIdealHasTenPlaces(t *testing.T) {
	t.Parallel()
	want := gains{}
	var ranking []string
	for _, id := range strings.Split("abcdefghijkl", "") {
		want[id] = 1
		ranking = append(ranking, id)
	}
	if got := judge(ranking, want).NDCG10; math.Abs(got-1) > 1e-12 {
		t.Error(got)
	}
}

func TestMean(t *testing.T) {
	t.Parallel()
	got := mean([]scores{{1, 1, 1, 1, 1, 1}, {0, 0.5, 1, 1, 0, 0.5}})
	if want := (scores{0.5, 0.75, 1, 1, 0.5, 0.75}); !near(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := mean(nil); got != (scores{}) {
		t.Error(got)
	}
}

func near(a, b scores) bool {
	x := []float64{a.NDCG10, a.Recall5, a.Recall10, a.Any5, a.All5, a.MRR}
	for i, y := range []float64{b.NDCG10, b.Recall5, b.Recall10, b.Any5, b.All5, b.MRR} {
		if math.Abs(x[i]-y) > 1e-12 {
			return false
		}
	}
	return true
}
