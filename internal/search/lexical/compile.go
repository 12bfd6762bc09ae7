package lexical

import (
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// how says which words a slot of a leaf matches.
type how uint8

const (
	exactly    how = iota // the term itself
	inflection            // every word with the same stem
	beginning             // every word that begins with the term
)

// slot is a place in a leaf that a word must fill.
type slot struct {
	term   string
	how    how
	offset int // positions behind the first slot
}

// leaf is a word or phrase of a query: one slot, or several that must be
// filled by words next to each other.
type leaf struct {
	slots  []slot
	fields FieldSet
	text   string // as typed
	scored bool   // false below a NOT

	found int     // live documents, after all segments were read
	idf   float64 // of found
}

// The nodes of a compiled query: *leaf, allOf, anyOf, noneOf, filtered and
// everything. Nodes without a term are left out.
type (
	allOf      []any
	anyOf      []any
	noneOf     struct{ node any }
	filtered   struct{ ids *IDs }
	everything struct{}
)

// compiler collects the leaves of a query.
type compiler struct {
	analyzer analysis.Analyzer
	filter   func(query.Filter) (*IDs, error)
	leaves   []*leaf
}

// compile returns the node for n; nil if n holds nothing to look for, such as
// a word of punctuation.
func (c *compiler) compile(n query.Node, scored bool) (any, error) {
	switch n := n.(type) {
	case *query.Word:
		last := inflection
		if n.Prefix {
			last = beginning
		}
		return c.leaf(n.Text, n.Field, inflection, last, scored), nil
	case *query.Phrase:
		return c.leaf(n.Text, n.Field, exactly, exactly, scored), nil
	case *query.And:
		nodes, err := c.all(n.Nodes, scored)
		return group(allOf(nodes), nodes), err
	case *query.Or:
		nodes, err := c.all(n.Nodes, scored)
		return group(anyOf(nodes), nodes), err
	case *query.Not:
		node, err := c.compile(n.Node, false)
		if node == nil {
			return nil, err
		}
		return noneOf{node}, err
	case *query.Filter:
		ids, err := c.filter(*n)
		return filtered{ids}, err
	case *query.All:
		return everything{}, nil
	}
	return nil, nil
}

func (c *compiler) all(nodes []query.Node, scored bool) ([]any, error) {
	var compiled []any
	for _, n := range nodes {
		node, err := c.compile(n, scored)
		if err != nil {
			return nil, err
		}
		if node != nil {
			compiled = append(compiled, node)
		}
	}
	return compiled, nil
}

// group returns nil for a group that lost all its nodes.
func group(g any, nodes []any) any {
	if len(nodes) == 0 {
		return nil
	}
	return g
}

// leaf analyses text; each of its terms is matched in the way of each, but
// the last in the way of last.
func (c *compiler) leaf(text, field string, each, last how, scored bool) any {
	l := &leaf{text: text, fields: ^FieldSet(0), scored: scored}
	for f, name := range fieldNames {
		if name == field {
			l.fields = 1 << f
		}
	}
	first := 0
	c.analyzer.Query(text, func(t analysis.Token) {
		if len(l.slots) == 0 {
			first = t.Pos
		}
		s := slot{term: string(t.Term), how: each, offset: t.Pos - first}
		if t.Single {
			s.how = beginning
		}
		l.slots = append(l.slots, s)
	})
	if len(l.slots) == 0 {
		return nil
	}
	if end := &l.slots[len(l.slots)-1]; end.how != beginning {
		end.how = last
	}
	c.leaves = append(c.leaves, l)
	return l
}
