// Package layout computes where the nodes of a graph are drawn.
//
// Invariants:
//   - The result is a function of the graph: no chance, no clock, no map order.
//   - Positions are finite, and within [0, 1] in both directions.
//
// It is pure.
package layout

import (
	"cmp"
	"math"
	"slices"
)

// Point is a position.
type Point struct{ X, Y float64 }

// Edge connects two nodes, by their index.
type Edge struct{ From, To int }

const (
	theta   = 0.9 // how coarse distant nodes are taken together
	maxTree = 48  // depth of the tree, for nodes at the same place
)

// Rounds returns how many steps a layout of n nodes takes: the more nodes, the fewer.
func Rounds(n int) int { return max(40, min(300, 600_000/max(1, n))) }

// Compute places n nodes: connected ones near each other, all others apart.
func Compute(n int, edges []Edge, rounds int) []Point {
	if n == 0 {
		return nil
	}
	degree := make([]float64, n)
	for _, e := range edges {
		degree[e.From]++
		degree[e.To]++
	}
	at := spiral(n, degree)
	force := make([]Point, n)
	var tree quadtree
	for round := range rounds {
		clear(force)
		tree.build(at)
		for i := range at {
			force[i] = tree.push(at[i], i)
			// All are drawn to the middle, so that parts that are not connected stay in view.
			force[i].X -= at[i].X * .02
			force[i].Y -= at[i].Y * .02
		}
		for _, e := range edges {
			if e.From == e.To {
				continue
			}
			dx, dy := at[e.To].X-at[e.From].X, at[e.To].Y-at[e.From].Y
			// A hub is not torn apart by its many edges.
			f := .12 / math.Sqrt(max(1, min(degree[e.From], degree[e.To])))
			force[e.From].X += dx * f
			force[e.From].Y += dy * f
			force[e.To].X -= dx * f
			force[e.To].Y -= dy * f
		}
		limit := 3 * (1 - float64(round)/float64(rounds)) * math.Sqrt(float64(n)) / 8
		limit = max(limit, .02)
		for i, f := range force {
			if size := math.Hypot(f.X, f.Y); size > limit {
				f.X, f.Y = f.X/size*limit, f.Y/size*limit
			}
			at[i].X += f.X
			at[i].Y += f.Y
		}
	}
	return fit(at)
}

// spiral is where the nodes begin: those with most edges in the middle.
func spiral(n int, degree []float64) []Point {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(degree[b], degree[a]) })
	out := make([]Point, n)
	golden := math.Pi * (3 - math.Sqrt(5))
	for rank, i := range order {
		r := 1.2 * math.Sqrt(float64(rank)+.5)
		out[i] = Point{r * math.Cos(float64(rank)*golden), r * math.Sin(float64(rank)*golden)}
	}
	return out
}

// fit scales positions to the unit square and keeps their proportions.
func fit(at []Point) []Point {
	low, high := at[0], at[0]
	for _, p := range at {
		low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
		high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
	}
	size := max(high.X-low.X, high.Y-low.Y)
	if size == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
		for i := range at {
			at[i] = Point{.5, .5}
		}
		return at
	}
	for i := range at {
		at[i].X = .5 + (at[i].X-(low.X+high.X)/2)/size
		at[i].Y = .5 + (at[i].Y-(low.Y+high.Y)/2)/size
	}
	return at
}

// quadtree takes distant nodes together (Barnes and Hut).
type quadtree struct{ cells []cell }

type cell struct {
	mid    Point // of the square
	half   float64
	weight float64
	sum    Point // of the positions within
	child  [4]int32
	node   int32 // the only one within, -1 for several or none
	place  Point // of that
}

func (t *quadtree) add(mid Point, half float64) int32 {
	t.cells = append(t.cells, cell{mid: mid, half: half, node: -1, child: [4]int32{-1, -1, -1, -1}})
	return int32(len(t.cells) - 1)
}

func (t *quadtree) build(at []Point) {
	t.cells = t.cells[:0]
	size := 1.0
	for _, p := range at {
		size = max(size, math.Abs(p.X), math.Abs(p.Y))
	}
	t.add(Point{}, size)
	for i, p := range at {
		t.insert(0, p, int32(i), 0)
	}
}

func (t *quadtree) insert(c int32, p Point, node int32, depth int) {
	for {
		x := &t.cells[c]
		x.weight++
		x.sum.X += p.X
		x.sum.Y += p.Y
		if x.weight == 1 {
			x.node, x.place = node, p
			return
		}
		if depth >= maxTree {
			x.node = -1
			return
		}
		if x.node >= 0 {
			other, place := x.node, x.place
			x.node = -1
			down := t.down(c, place)
			t.insert(down, place, other, depth+1)
		}
		c, depth = t.down(c, p), depth+1
	}
}

// down returns the quarter of a cell that a position is in.
func (t *quadtree) down(c int32, p Point) int32 {
	x := t.cells[c]
	i, h := 0, x.half/2
	mid := Point{x.mid.X - h, x.mid.Y - h}
	if p.X >= x.mid.X {
		i, mid.X = 1, x.mid.X+h
	}
	if p.Y >= x.mid.Y {
		i, mid.Y = i+2, x.mid.Y+h
	}
	if x.child[i] < 0 {
		n := t.add(mid, h)
		t.cells[c].child[i] = n
		return n
	}
	return x.child[i]
}

// push is the force of all other nodes on one.
func (t *quadtree) push(p Point, node int) (f Point) {
	var stack [4 * maxTree]int32
	top := 1
	for top > 0 {
		top--
		c := &t.cells[stack[top]]
		if c.weight == 0 || c.node == int32(node) {
			continue
		}
		dx, dy := p.X-c.sum.X/c.weight, p.Y-c.sum.Y/c.weight
		far := dx*dx + dy*dy
		if c.node >= 0 || 4*c.half*c.half < theta*theta*far {
			if far < .01 { // at the same place: apart, in a direction of its own
				a := float64(node)
				dx, dy, far = .1*math.Cos(a), .1*math.Sin(a), .01
			}
			f.X += c.weight * dx / far
			f.Y += c.weight * dy / far
			continue
		}
		for _, d := range c.child {
			if d >= 0 && top < len(stack) {
				stack[top] = d
				top++
			}
		}
	}
	return f
}
