package layout

import (
	"cmp"
	"slices"
)

const (
	communityRounds = 20
	communityLevels = 4
)

// Communities returns of each node the node after which its community is named: nodes with more
// links to each other than to others, by the one of them with most links. A node alone is its own.
func Communities(n int, edges []Edge) []int {
	w := weighted{inside: make([]float64, n), near: make([][]weightedEdge, n)}
	for _, e := range edges {
		if e.From != e.To {
			w.connect(e.From, e.To, 1)
		}
	}
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	for range communityLevels {
		label, moved := w.label()
		if !moved {
			break
		}
		next, number := w.together(label)
		for i := range of {
			of[i] = number[label[of[i]]]
		}
		w = next
	}
	degree, named := degrees(n, edges), map[int]int{}
	for i, c := range of {
		if best, ok := named[c]; !ok || degree[i] > degree[best] {
			named[c] = i
		}
	}
	for i, c := range of {
		of[i] = named[c]
	}
	return of
}

// weighted is a graph of communities.
type weighted struct {
	inside []float64 // twice the weight of the edges within each
	near   [][]weightedEdge
}

type weightedEdge struct {
	to     int
	weight float64
}

func (w *weighted) connect(a, b int, weight float64) {
	w.near[a] = append(w.near[a], weightedEdge{b, weight})
	w.near[b] = append(w.near[b], weightedEdge{a, weight})
}

// label puts nodes with the same label together: each goes where it has most edges compared
// with chance (modularity), as long as one moves.
func (w *weighted) label() (label []int, moved bool) {
	n := len(w.near)
	degree, total := slices.Clone(w.inside), 0.0
	order, label := make([]int, n), make([]int, n)
	for i := range n {
		order[i], label[i] = i, i
		for _, e := range w.near[i] {
			degree[i] += e.weight
		}
		total += degree[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(degree[a], degree[b]) })
	sum, links := slices.Clone(degree), make([]float64, n)
	for range communityRounds {
		again := false
		for _, i := range order {
			for _, e := range w.near[i] {
				links[label[e.to]] += e.weight
			}
			own := label[i]
			sum[own] -= degree[i]
			best, most := own, links[own]-degree[i]*sum[own]/total
			for _, e := range w.near[i] {
				if c := label[e.to]; links[c]-degree[i]*sum[c]/total > most+1e-9 {
					best, most = c, links[c]-degree[i]*sum[c]/total
				}
			}
			for _, e := range w.near[i] {
				links[label[e.to]] = 0
			}
			sum[best] += degree[i]
			label[i], again = best, again || best != own
		}
		if moved = moved || again; !again {
			break
		}
	}
	return label, moved
}

// together makes one node of those with the same label, and returns the number of each label.
func (w *weighted) together(label []int) (out weighted, number map[int]int) {
	number = map[int]int{}
	for _, c := range label {
		if _, ok := number[c]; !ok {
			number[c] = len(number)
		}
	}
	out = weighted{inside: make([]float64, len(number)), near: make([][]weightedEdge, len(number))}
	type pair struct{ a, b int }
	between, order := map[pair]float64{}, []pair{}
	for i, c := range label {
		a := number[c]
		out.inside[a] += w.inside[i]
		for _, e := range w.near[i] {
			switch b := number[label[e.to]]; {
			case a == b:
				out.inside[a] += e.weight
			case a < b:
				if _, ok := between[pair{a, b}]; !ok {
					order = append(order, pair{a, b})
				}
				between[pair{a, b}] += e.weight
			}
		}
	}
	for _, p := range order {
		out.connect(p.a, p.b, between[p])
	}
	return out, number
}
