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
		got := Compute(tt.n, tt.edges, 50)
		if !slices.Equal(got, Compute(tt.n, tt.edges, 50)) {
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

func BenchmarkCompute(b *testing.B) {
	edges := ring(10_000, 30_000)
	for b.Loop() {
		Compute(10_000, edges, Rounds(10_000))
	}
}
