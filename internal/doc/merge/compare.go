package merge

import "slices"

// hunk is a change: lines [start, end) became lines [from, to) of the new text.
type hunk struct{ start, end, from, to int }

// maxEdits bounds the work and memory of compare: if texts differ by more single-line edits,
// everything from the first difference to the last counts as changed. That makes a merge
// more cautious, but never wrong.
const maxEdits = 1000

// compare returns a minimal list of line changes from a to b (Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986).
func compare(a, b []string) []hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	trace := search(a, b)
	if trace == nil {
		return []hunk{{head, head + len(a), head, head + len(b)}}
	}
	var out []hunk
	for _, h := range walk(trace, len(a), len(b)) {
		out = append(out, hunk{h.start + head, h.end + head, h.from + head, h.to + head})
	}
	return out
}

// search returns, for each number of edits, the furthest position in a on each diagonal; nil
// if there are more edits than maxEdits.
func search(a, b []string) [][]int {
	var trace [][]int
	for d := range maxEdits + 1 {
		now := make([]int, 2*d+1) // diagonal k is at k+d, in steps of 2
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x = enter(trace[d-1], d, k)
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			now[k+d] = x
			if x >= len(a) && y >= len(b) {
				return append(trace, now)
			}
		}
		trace = append(trace, now)
	}
	return nil
}

// enter returns the position at which diagonal k is entered with the d-th edit.
func enter(before []int, d, k int) int {
	if down(before, d, k) {
		return before[k+1+d-1]
	}
	return before[k-1+d-1] + 1
}

// down reports whether diagonal k is best entered by adding a line.
func down(before []int, d, k int) bool {
	return k == -d || k != d && before[k-1+d-1] < before[k+1+d-1]
}

// walk follows the trace back from the end and collects the edits, joining adjacent ones.
func walk(trace [][]int, x, y int) []hunk {
	var out []hunk
	for d := len(trace) - 1; d > 0; d-- {
		k := x - y
		px := enter(trace[d-1], d, k)
		h := hunk{px - 1, px, px - k, px - k}
		if down(trace[d-1], d, k) {
			h = hunk{px, px, px - k - 1, px - k}
		}
		if n := len(out); n > 0 && out[n-1].start == h.end && out[n-1].from == h.to {
			out[n-1].start, out[n-1].from = h.start, h.from
		} else {
			out = append(out, h)
		}
		x, y = h.start, h.from
	}
	slices.Reverse(out)
	return out
}
