package query

import "strings"

// IsStopword reports whether a word in lower case is an English one without content.
func IsStopword(word string) bool { return stopwords[word] }

// MapWords returns a tree with its words that are not negated replaced.
func MapWords(n Node, replace func(*Word) Node) Node {
	each := func(nodes []Node) []Node {
		out := make([]Node, len(nodes))
		for i, c := range nodes {
			out[i] = MapWords(c, replace)
		}
		return out
	}
	switch n := n.(type) {
	case *Word:
		return replace(n)
	case *And:
		return &And{each(n.Nodes)}
	case *Or:
		return &Or{each(n.Nodes)}
	}
	return n
}

// leastInside is the minimum number of letters of a word that is searched within
// others.
const leastInside = 4

// Inside returns the query for pages that hold the words of q within others: user and
// name, for getUserName. All of its longer words must be.
func Inside(q Query) (Query, bool) {
	relaxed, ok := Relax(q)
	if !ok {
		relaxed = q
	}
	var nodes []Node
	for _, n := range Terms(relaxed.Root) {
		if w, ok := n.(*Word); ok && w.Field == "" && !w.Prefix && len([]rune(w.Text)) >= leastInside {
			nodes = append(nodes, &Word{Text: strings.ToLower(w.Text), Prefix: true, Infix: true})
		}
	}
	if len(nodes) == 0 {
		return q, false
	}
	if limits := Limits(q.Root); !isAll(limits) {
		nodes = append(nodes, limits)
	}
	q.Root = allOf(nodes)
	return q, true
}

func isAll(n Node) bool { _, all := n.(*All); return all }
