package layout

import "math"

const (
	mostMoving   = 300 // nodes that Adjust moves
	adjustRounds = 40
	adjustStep   = 2.0 // the longest of a node, at first
	hub          = 20  // edges; a node with more stays where a neighbour changes, and its neighbours stay where it changes
)

// Adjust moves nodes that changed and those next to them, and nothing else. At has the positions
// of Compute and Adjust, which it changes. Fresh nodes have none yet; changed nodes have other
// edges than before. Both are in ascending order.
func Adjust(at []Point, edges []Edge, fresh, changed []int) {
	degree := degrees(len(at), edges)
	place(at, edges, fresh)
	moves, next := make([]bool, len(at)), make([]bool, len(at))
	var moving []int
	move := func(i int) {
		if !moves[i] && len(moving) < mostMoving {
			moves[i] = true
			moving = append(moving, i)
		}
	}
	for _, list := range [][]int{fresh, changed} {
		for _, i := range list {
			next[i] = true
			move(i)
		}
	}
	for _, e := range edges {
		for _, end := range []Edge{e, {e.To, e.From}} {
			if next[end.From] && degree[end.From] <= hub && degree[end.To] <= hub {
				move(end.To)
			}
		}
	}
	var near []Edge
	for _, e := range edges {
		if e.From != e.To && (moves[e.From] || moves[e.To]) {
			near = append(near, e)
		}
	}
	var rest quadtree
	rest.build(at, moves)
	force := make([]Point, len(at))
	for round := range adjustRounds {
		for _, i := range moving {
			force[i] = rest.push(at[i], i)
			force[i].add(at[i], -gravity)
			for _, j := range moving {
				if j != i {
					force[i].add(repulsion(at[i].X-at[j].X, at[i].Y-at[j].Y, i), 1)
				}
			}
		}
		for _, e := range near {
			pull(force, at, degree, e)
		}
		for _, i := range moving {
			at[i].step(force[i], adjustStep*(1-float64(round)/adjustRounds))
		}
	}
}

// place puts fresh nodes in the middle of the nodes that they are connected with, or else outside
// of all.
func place(at []Point, edges []Edge, fresh []int) {
	waits := make([]bool, len(at))
	for _, i := range fresh {
		waits[i] = true
	}
	of := make(map[int][]int, len(fresh))
	for _, e := range edges {
		if waits[e.From] {
			of[e.From] = append(of[e.From], e.To)
		}
		if waits[e.To] {
			of[e.To] = append(of[e.To], e.From)
		}
	}
	far := 1.0
	for i, p := range at {
		if !waits[i] {
			far = max(far, math.Hypot(p.X, p.Y))
		}
	}
	for _, i := range fresh {
		a := float64(i)
		sum, n := Point{}, 0.0
		for _, j := range of[i] {
			if !waits[j] {
				sum.add(at[j], 1)
				n++
			}
		}
		if at[i] = (Point{far * math.Cos(a), far * math.Sin(a)}); n > 0 {
			at[i] = Point{sum.X/n + math.Cos(a), sum.Y/n + math.Sin(a)}
		}
		waits[i] = false
	}
}
