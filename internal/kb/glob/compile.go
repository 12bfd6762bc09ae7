package glob

// follow is the continuation of a part of a pattern.
type follow struct {
	at    int  // its first state
	slash int  // the state after a slash, when the continuation begins with one; else none
	end   bool // nothing follows
	// rest is set when the continuation matches any remaining path; the slash
	// before it is optional then.
	rest bool
	// last is set if it is a slash at the end of the pattern.
	last bool
}

func (g *Glob) add(s state) int {
	g.states = append(g.states, s)
	return len(g.states) - 1
}

func (g *Glob) either(a, b int) int {
	if a == b {
		return a
	}
	return g.add(state{kind: split, out: a, other: b})
}

// loop adds a state that accepts any number of characters and then continues.
func (g *Glob) loop(k kind, out int) int {
	at := g.add(state{kind: split, other: out})
	g.states[at].out = g.add(state{kind: k, out: at})
	return at
}

// sequence adds the states of a sequence, from its end to its start.
func (g *Glob) sequence(nodes []node, then follow) follow {
	for i := len(nodes) - 1; i >= 0; i-- {
		then = g.node(&nodes[i], then)
	}
	return then
}

func (g *Glob) node(n *node, then follow) follow {
	switch n.kind {
	case literal:
		at := g.add(state{kind: exactly, char: n.char, out: then.at})
		if n.char != '/' {
			return follow{at: at, slash: none}
		}
		if then.rest {
			at = g.either(at, acceptState)
		}
		return follow{at: at, slash: then.at, last: then.end}
	case oneChar:
		return follow{at: g.add(state{kind: notSlash, out: then.at}), slash: none}
	case oneOf:
		return follow{at: g.add(state{kind: inClass, class: n.class, out: then.at}), slash: none}
	case anyOfThem:
		return g.alternatives(n, then)
	case deep:
		switch {
		case n.first && then.end:
			return follow{at: g.loop(anything, then.at), slash: none, rest: true}
		case n.first && then.slash != none:
			// Matches nothing, with the preceding slash, or whole elements with
			// their slashes.
			elements := g.loop(anything, g.add(state{kind: exactly, char: '/', out: then.slash}))
			return follow{at: g.either(then.slash, elements), slash: none, rest: then.last}
		}
	}
	return follow{at: g.loop(notSlash, then.at), slash: none}
}

// alternatives joins the alternatives of braces.
func (g *Glob) alternatives(n *node, then follow) follow {
	all := g.sequence(n.alternatives[0], then)
	for _, other := range n.alternatives[1:] {
		f := g.sequence(other, then)
		all.at = g.either(all.at, f.at)
		if all.slash != none && f.slash != none {
			all.slash = g.either(all.slash, f.slash)
		} else {
			all.slash = none
		}
		all.end, all.rest, all.last = all.end && f.end, all.rest && f.rest, all.last && f.last
	}
	return all
}
