package glob

import (
	"slices"
	"unicode/utf8"
)

// place is a set of states reached by a path, with a cache of transitions. The
// paths of a space are alike, so most of them are matched with cached transitions
// alone.
type place struct {
	states  []int
	accepts bool
	next    [utf8.RuneSelf]*place
}

// maxPlaces limits the memory of a pattern. Beyond it, paths are matched state by
// state.
const maxPlaces = 256

// walk computes sets of states. It is used by one goroutine at a time.
type walk struct {
	seen      []int // by state: the step in which it was last reached
	turn      int
	now, next []int
	stack     []int
	key       []byte
	steps     int // total number of states examined
}

func (g *Glob) prepare() {
	g.walk.seen = make([]int, len(g.states))
	g.known = map[string]*place{}
	g.walk.turn++
	g.begin = g.place(g.reach(nil, g.start))
}

// match runs the automaton over a path.
func (g *Glob) match(path string) bool {
	at := g.begin
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		if r < utf8.RuneSelf && at.next[r] != nil {
			at = at.next[r]
			i += size
			continue
		}
		if len(at.states) == 0 {
			return false
		}
		g.walk.next = g.step(g.walk.next[:0], at.states, r)
		to := g.place(g.walk.next)
		if to == nil {
			g.walk.now, g.walk.next = g.walk.next, g.walk.now
			return g.matchByStates(path[i+size:])
		}
		if r < utf8.RuneSelf {
			at.next[r] = to
		}
		at = to
		i += size
	}
	return at.accepts
}

// matchByStates matches the rest of a path, starting from the states in now.
func (g *Glob) matchByStates(rest string) bool {
	w := &g.walk
	for _, r := range rest {
		if len(w.now) == 0 {
			return false
		}
		w.now, w.next = g.step(w.next[:0], w.now, r), w.now
	}
	return slices.Contains(w.now, acceptState)
}

// step appends the states reached from states with a character.
func (g *Glob) step(to, from []int, r rune) []int {
	w := &g.walk
	w.turn++
	for _, at := range from {
		w.steps++
		if s := &g.states[at]; s.takes(r) {
			to = g.reach(to, s.out)
		}
	}
	return to
}

// reach appends a state, or the states that it reaches without a character,
// each once per step.
func (g *Glob) reach(set []int, at int) []int {
	w := &g.walk
	w.stack = append(w.stack[:0], at)
	for len(w.stack) > 0 {
		at := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.seen[at] == w.turn {
			continue
		}
		w.seen[at] = w.turn
		w.steps++
		if s := &g.states[at]; s.kind == split {
			w.stack = append(w.stack, s.out, s.other)
			continue
		}
		set = append(set, at)
	}
	return set
}

// place returns the place of a set; nil if there are too many already.
func (g *Glob) place(set []int) *place {
	w := &g.walk
	w.key = w.key[:0]
	slices.Sort(set)
	for _, at := range set {
		w.key = append(w.key, byte(at), byte(at>>8))
	}
	p := g.known[string(w.key)]
	if p == nil && len(g.known) < maxPlaces {
		p = &place{states: slices.Clone(set), accepts: slices.Contains(set, acceptState)}
		g.known[string(w.key)] = p
	}
	return p
}
