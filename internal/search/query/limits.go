package query

import "slices"

// Limits returns the conditions that every answer to a query must satisfy, however loosely
// its words are matched, and in any kind of search: exclusions, filters, and words required
// in a field. It is *All if there are none, and n itself if n consists of nothing else.
//
// Of alternatives, one must hold; an alternative without limits then keeps its words, since
// otherwise the limits of the others would have no effect: an answer to (rust -draft) OR go
// is not a draft, or contains go.
func Limits(n Node) Node {
	switch n := n.(type) {
	case *Not, *Filter:
		return n
	case *Word:
		if n.Field != "" {
			return n
		}
	case *Phrase:
		if n.Field != "" {
			return n
		}
	case *And:
		var limits []Node
		whole := true
		for _, c := range n.Nodes {
			l := Limits(c)
			whole = whole && l == c
			if _, none := l.(*All); !none {
				limits = append(limits, l)
			}
		}
		switch {
		case whole:
			return n
		case len(limits) > 0:
			return allOf(limits)
		}
	case *Or:
		return limitsOfAny(n)
	}
	return &All{}
}

func limitsOfAny(n *Or) Node {
	alternatives := make([]Node, len(n.Nodes))
	whole, limited := true, false
	for i, c := range n.Nodes {
		l := Limits(c)
		whole = whole && l == c
		if _, none := l.(*All); none {
			alternatives[i] = c
			continue
		}
		alternatives[i], limited = l, true
	}
	switch {
	case whole:
		return n
	case limited:
		return anyOf(alternatives)
	}
	return &All{}
}

// Require adds a condition on the text to q.
func (q *Query) Require(n Node) {
	if _, all := q.Root.(*All); all {
		q.Root = n
		return
	}
	q.Root = allOf([]Node{q.Root, n})
}

// Quotes reports whether the query has a quoted phrase.
func Quotes(n Node) bool {
	return slices.ContainsFunc(Terms(n), func(leaf Node) bool { _, ok := leaf.(*Phrase); return ok })
}

// Names reports whether a query has a filter of this key anywhere.
func Names(q Query, key Key) bool {
	if slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Key == key }) {
		return true
	}
	return names(q.Root, key)
}

func names(n Node, key Key) bool {
	within := func(nodes []Node) bool {
		return slices.ContainsFunc(nodes, func(c Node) bool { return names(c, key) })
	}
	switch n := n.(type) {
	case *Filter:
		return n.Key == key
	case *Not:
		return names(n.Node, key)
	case *And:
		return within(n.Nodes)
	case *Or:
		return within(n.Nodes)
	}
	return false
}
