package secrets

import "sync"

// detector looks at the surroundings of an anchor. Exactly one of find and
// skip is set.
type detector struct {
	anchors []string // lower case ASCII; letters match either case
	// find returns the credential at the anchor text[at:end].
	find func(text []byte, at, end int) (candidate, bool)
	// skip returns the end of a stretch that starts here and holds none.
	skip func(text []byte, at, end int) int
}

// automaton is an Aho-Corasick automaton over the anchors of all detectors:
// it finds every occurrence of every anchor in one pass, one table look-up a
// byte, whatever the text.
type automaton struct {
	detectors []detector
	class     [256]uint8 // byte → column; 0 is every byte in no anchor
	table     []uint16   // row offset + column → row offset
	first     uint16     // rows from here on end an anchor
	hits      [][]hit    // by row number, less the number of first
}

type hit struct {
	detector, length int
}

// stride is the row length: anchors use fewer than 64 different bytes, and a
// power of two that times the number of rows fits 16 bits.
const stride = 64

// detectors returns the automaton over all detectors, built on first use so
// that programs which write nothing do not pay for it.
var detectors = sync.OnceValue(func() *automaton { return build(allDetectors()) })

// walk calls visit for each occurrence of an anchor of detector id at
// text[at:end], in order of end, until visit returns false.
func (a *automaton) walk(text []byte, visit func(id, at, end int) bool) {
	state := uint16(0)
	for i, b := range text {
		state = a.table[int(state)+int(a.class[b])]
		if state < a.first {
			continue
		}
		for _, h := range a.hits[(state-a.first)/stride] {
			if !visit(h.detector, i+1-h.length, i+1) {
				return
			}
		}
	}
}

// node is a state of the trie while the automaton is built.
type node struct {
	next []int // by column; 0 is none, since nothing leads back to the root
	fail int
	hits []hit
}

func build(ds []detector) *automaton {
	a := &automaton{detectors: ds}
	columns := 1
	for _, d := range ds {
		for _, anchor := range d.anchors {
			for i := range len(anchor) {
				c := anchor[i]
				if a.class[c] != 0 {
					continue
				}
				if columns == stride {
					panic("secrets: anchors use too many different bytes")
				}
				a.class[c] = uint8(columns)
				if 'a' <= c && c <= 'z' {
					a.class[c-'a'+'A'] = uint8(columns)
				}
				columns++
			}
		}
	}
	nodes := a.trie()
	order := link(nodes)
	a.number(nodes, order)
	return a
}

func (a *automaton) trie() []node {
	nodes := []node{{next: make([]int, stride)}}
	for id, d := range a.detectors {
		for _, anchor := range d.anchors {
			at := 0
			for i := range len(anchor) {
				col := a.class[anchor[i]]
				if nodes[at].next[col] == 0 {
					nodes = append(nodes, node{next: make([]int, stride)})
					nodes[at].next[col] = len(nodes) - 1
				}
				at = nodes[at].next[col]
			}
			nodes[at].hits = append(nodes[at].hits, hit{id, len(anchor)})
		}
	}
	return nodes
}

// link fills the missing transitions breadth first, and returns that order.
func link(nodes []node) []int {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		n := order[i]
		for col := range stride {
			child, fallback := nodes[n].next[col], nodes[nodes[n].fail].next[col]
			if n == 0 {
				fallback = 0
			}
			if child == 0 {
				nodes[n].next[col] = fallback
				continue
			}
			nodes[child].fail = fallback
			nodes[child].hits = append(nodes[child].hits, nodes[fallback].hits...)
			order = append(order, child)
		}
	}
	return order
}

// number gives states without hits the low rows, so that walk knows a hit by
// one comparison.
func (a *automaton) number(nodes []node, order []int) {
	if len(nodes)*stride > 1<<16 {
		panic("secrets: too many anchors for 16-bit rows")
	}
	row := make([]int, len(nodes))
	rows := 0
	for _, n := range order {
		if len(nodes[n].hits) == 0 {
			row[n] = rows
			rows++
		}
	}
	a.first = uint16(rows * stride)
	for _, n := range order {
		if len(nodes[n].hits) > 0 {
			row[n] = rows
			a.hits = append(a.hits, nodes[n].hits)
			rows++
		}
	}
	a.table = make([]uint16, rows*stride)
	for n, r := range row {
		for col, next := range nodes[n].next {
			a.table[r*stride+col] = uint16(row[next] * stride)
		}
	}
}
