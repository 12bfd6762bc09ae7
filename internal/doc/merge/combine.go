package merge

import "slices"

// change is a hunk with the side that made it.
type change struct {
	hunk
	by *side
}

func (c change) text() []string { return c.by.lines[c.from:c.to] }

// resolve decides how overlapping changes of both sides are merged.
type resolve int

const (
	refuse     resolve = iota
	union              // additions of whole units do not conflict
	preferOurs         // where changes conflict, only ours are applied
)

// combine applies the changes of both sides to the base. Conflicts are lines of
// theirs.
func combine(base, ours, theirs *side, how resolve) (lines []string, conflicts []Lines) {
	queue := changes(base, ours, theirs)
	shift := 0 // difference between line numbers of theirs and base
	done := 0  // lines of base that are finished
	for len(queue) > 0 {
		n := touching(base, queue)
		group := queue[:n]
		queue = queue[n:]
		first, end := group[0].start, group[0].end
		for _, c := range group {
			end = max(end, c.end)
		}
		before := shift
		for _, c := range group {
			if c.by == theirs {
				shift += (c.to - c.from) - (c.end - c.start)
			}
		}
		both := how == union && n == 2 && added(base, group[0], group[1])
		if n > 1 && !both && !(n == 2 && same(group[0], group[1])) {
			from := first + before + 1
			if how != preferOurs {
				conflicts = append(conflicts, Lines{min(from, max(1, len(theirs.lines))), max(from, end+shift)})
				continue
			}
			lines = append(lines, base.lines[done:first]...)
			done = first
			for _, c := range group {
				if c.by == ours {
					lines = append(append(lines, base.lines[done:c.start]...), c.text()...)
					done = c.end
				}
			}
			lines, done = append(lines, base.lines[done:end]...), end
			continue
		}
		lines = append(lines, base.lines[done:first]...)
		switch {
		case both && group[0].by == ours && !same(group[0], group[1]):
			lines = append(append(lines, group[1].text()...), group[0].text()...)
		case both && !same(group[0], group[1]):
			lines = append(append(lines, group[0].text()...), group[1].text()...)
		default:
			lines = append(lines, group[0].text()...)
		}
		done = end
	}
	if len(conflicts) > 0 {
		return nil, conflicts
	}
	return append(lines, base.lines[done:]...), nil
}

// changes lists the changes of both sides to the base, from the top.
func changes(base, ours, theirs *side) []change {
	var out []change
	for _, s := range []*side{ours, theirs} {
		for _, h := range compare(base.lines, s.lines) {
			out = append(out, change{h, s})
		}
	}
	slices.SortStableFunc(out, func(a, b change) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	return out
}

// touching returns the number of changes at the start of the queue that are in one place:
// each overlaps an earlier one, or is adjacent to it within a unit.
func touching(base *side, queue []change) int {
	n := 1
	last := queue[0] // the one that extends furthest
	for ; n < len(queue); n++ {
		c := queue[n]
		if c.start > last.end || c.start == last.end && apart(base, last, c) {
			break
		}
		if c.end >= last.end {
			last = c
		}
	}
	return n
}

// apart reports whether two adjacent changes belong to different units, in the
// base and in both results.
func apart(base *side, above, below change) bool {
	if above.start == above.end && below.start == below.end {
		return false // both add something here, and their order is undefined
	}
	return base.starts[below.start] && above.by.starts[above.to] && below.by.starts[below.from]
}

// same reports whether both sides made the same change.
func same(a, b change) bool {
	return a.by != b.by && a.start == b.start && a.end == b.end && slices.Equal(a.text(), b.text())
}

// added reports whether two changes only add whole units at the same place between units.
func added(base *side, a, b change) bool {
	whole := func(c change) bool {
		return c.start == c.end && base.starts[c.start] && c.by.starts[c.from] && c.by.starts[c.to]
	}
	return a.by != b.by && a.start == b.start && whole(a) && whole(b)
}
