package layout

import (
	"math"
	"slices"
	"testing"
)

// ring is a circle of n nodes with chords.
func ring(n, chords int) (edges []Edge) {
	for i := range n {
		edges = append(edges, Edge{i, (i + 1) % n})
	}
	for i := range chords {
		edges = append(edges, Edge{i * 7919 % n, i * 104729 % n})
	}
	return edges
}

func TestCompute(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		n     int
		edges []Edge
	}{
		{"none", 0, nil},
		{"one", 1, nil},
		{"alone", 5, nil},
		{"loop", 2, []Edge{{0, 0}, {1, 1}}},
		{"ring", 60, ring(60, 30)},
		{"star", 40, func() (e []Edge) {
			for i := 1; i < 40; i++ {
				e = append(e, Edge{0, i})
			}
			return e
		}()},
	} {
		got := Fit(Compute(tt.n, tt.edges, 50))
		if !slices.Equal(got, Fit(Compute(tt.n, tt.edges, 50))) {
			t.Errorf("%s: two layouts differ", tt.name)
		}
		if len(got) != tt.n {
			t.Errorf("%s: %d positions", tt.name, len(got))
		}
		for i, p := range got {
			if !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
				t.Errorf("%s: node %d is at %v", tt.name, i, p)
			}
			if i > 0 && p == got[0] && tt.n > 1 {
				t.Errorf("%s: node %d is on node 0", tt.name, i)
			}
		}
	}
}

// Connected nodes are nearer to each other than others.
func TestNeighboursAreNear(t *testing.T) {
	t.Parallel()
	edges := ring(80, 0)
	at := Compute(80, edges, 200)
	near, all := 0.0, 0.0
	for _, e := range edges {
		near += math.Hypot(at[e.From].X-at[e.To].X, at[e.From].Y-at[e.To].Y) / 80
	}
	for i := range at {
		for j := range at {
			all += math.Hypot(at[i].X-at[j].X, at[i].Y-at[j].Y) / 6400
		}
	}
	if near > all/2 {
		t.Errorf("neighbours are %.3f apart, any two nodes %.3f", near, all)
	}
}

// A fresh node is near those that it is connected with, and all positions stay finite, also of
// nodes at the same place.
func TestAdjust(t *testing.T) {
	t.Parallel()
	const n = 200
	edges := ring(n, 0)
	at := append(Compute(n, edges, 100), Point{}, Point{}, Point{})
	before := slices.Clone(at)
	edges = append(edges, Edge{n, 0}, Edge{1, n}, Edge{n + 2, n})
	at[5] = at[6]
	Adjust(at, edges, []int{n, n + 1, n + 2}, []int{0, 1})
	far := func(a, b int) float64 { return math.Hypot(at[a].X-at[b].X, at[a].Y-at[b].Y) }
	if far(n, 0) > far(n, n/2)/2 || far(n+2, n) > far(n+2, n/2)/2 {
		t.Errorf("the fresh nodes are at %v and %v, their neighbours at %v", at[n], at[n+2], at[0])
	}
	if far(n+1, 0) == 0 || at[100] != before[100] {
		t.Errorf("a fresh node without edges is at %v, and node 100 at %v rather than %v", at[n+1], at[100], before[100])
	}
	for i, p := range at {
		if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
			t.Errorf("node %d is at %v", i, p)
		}
	}
}

// Nodes that are linked with each other are a community, and one alone is its own.
func TestCommunities(t *testing.T) {
	t.Parallel()
	var edges []Edge
	for _, first := range []int{0, 5} { // two groups of five, with one link between them
		for i := range 5 {
			for j := range i {
				edges = append(edges, Edge{first + i, first + j})
			}
		}
	}
	edges = append(edges, Edge{2, 7}, Edge{10, 10})
	if got, want := Communities(11, edges), []int{2, 2, 2, 2, 2, 7, 7, 7, 7, 7, 10}; !slices.Equal(got, want) {
		t.Errorf("the communities are %v, want %v", got, want)
	}
	if got := Communities(3, nil); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("without edges they are %v", got)
	}
}

func BenchmarkAdjust(b *testing.B) {
	edges := ring(10_000, 30_000)
	at := Compute(10_000, edges, 10)
	for b.Loop() {
		Adjust(at, edges, nil, []int{7, 8, 9})
	}
}

func BenchmarkCompute(b *testing.B) {
	edges := ring(10_000, 30_000)
	for b.Loop() {
		Compute(10_000, edges, Rounds(10_000))
	}
}
