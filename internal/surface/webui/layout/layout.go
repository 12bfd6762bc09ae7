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

// Compute places n nodes: connected ones near each other, all others apart. Fit makes
// positions of a drawing of them.
func Compute(n int, edges []Edge, rounds int) []Point {
	if n == 0 {
		return nil
	}
	degree := degrees(n, edges)
	at := spiral(n, degree)
	force := make([]Point, n)
	var tree quadtree
	for round := range rounds {
		clear(force)
		tree.build(at, nil)
		for i := range at {
			force[i] = tree.push(at[i], i)
			force[i].add(at[i], -gravity)
		}
		for _, e := range edges {
			if e.From != e.To {
				pull(force, at, degree, e)
			}
		}
		limit := 3 * (1 - float64(round)/float64(rounds)) * math.Sqrt(float64(n)) / 8
		for i, f := range force {
			at[i].step(f, limit)
		}
	}
	return at
}

// gravity draws all nodes to the middle, so that parts that are not connected stay in view.
const gravity = .02

func (p *Point) add(q Point, times float64) {
	p.X += q.X * times
	p.Y += q.Y * times
}

// step moves a node by a force, no further than a limit.
func (p *Point) step(f Point, limit float64) {
	limit = max(limit, .02)
	times := 1.0
	if size := math.Hypot(f.X, f.Y); size > limit {
		times = limit / size
	}
	p.add(f, times)
}

// pull adds the force of an edge. A hub is not torn apart by its many edges.
func pull(force, at []Point, degree []float64, e Edge) {
	way := Point{at[e.To].X - at[e.From].X, at[e.To].Y - at[e.From].Y}
	f := .12 / math.Sqrt(max(1, min(degree[e.From], degree[e.To])))
	force[e.From].add(way, f)
	force[e.To].add(way, -f)
}

func degrees(n int, edges []Edge) []float64 {
	degree := make([]float64, n)
	for _, e := range edges {
		degree[e.From]++
		degree[e.To]++
	}
	return degree
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

// Fit scales positions to the unit square and keeps their proportions.
func Fit(at []Point) []Point {
	if len(at) == 0 {
		return nil
	}
	low, high := at[0], at[0]
	for _, p := range at {
		low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
		high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
	}
	out := make([]Point, len(at))
	size := max(high.X-low.X, high.Y-low.Y)
	if size == 0 || math.IsNaN(size) || math.IsInf(size, 0) {
		for i := range out {
			out[i] = Point{.5, .5}
		}
		return out
	}
	for i, p := range at {
		out[i] = Point{.5 + (p.X-(low.X+high.X)/2)/size, .5 + (p.Y-(low.Y+high.Y)/2)/size}
	}
	return out
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

// build puts nodes into the tree, except those that are left out.
func (t *quadtree) build(at []Point, without []bool) {
	t.cells = t.cells[:0]
	size := 1.0
	for _, p := range at {
		size = max(size, math.Abs(p.X), math.Abs(p.Y))
	}
	t.add(Point{}, size)
	for i, p := range at {
		if without == nil || !without[i] {
			t.insert(0, p, int32(i), 0)
		}
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
			f.add(repulsion(dx, dy, node), c.weight)
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

// repulsion is the force on a node that is this far from another.
func repulsion(dx, dy float64, node int) Point {
	far := dx*dx + dy*dy
	if far < .01 { // at the same place: apart, in a direction of its own
		a := float64(node)
		dx, dy, far = .1*math.Cos(a), .1*math.Sin(a), .01
	}
	return Point{dx / far, dy / far}
}
