package query

import "strings"

// IsStopword reports whether a word in lower case is an English stopword.
func IsStopword(word string) bool { return stopwords[word] }

// MapWords returns a tree in which the words that are not negated are replaced.
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

// leastInside is the minimum number of letters of a word that is searched within other
// words.
const leastInside = 4

// Inside returns the query for pages with the words of q inside other words, such as user
// and name in getUserName. All of its longer words must match.
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
