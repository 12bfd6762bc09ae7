package lexical

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// leaf is a word or phrase of a query: one slot, or several that must be filled by adjacent
// words.
type leaf struct {
	slots  []analysis.Slot
	fields FieldSet
	text   string          // as typed
	also   []query.Variant // of a single slot: further terms that fill it
	scored bool            // false below a NOT
}

// plain reports whether the leaf is a word or its inflections in any field, so that the
// index has the number of documents for it.
func (l *leaf) plain() bool {
	return len(l.slots) == 1 && l.slots[0].How <= analysis.Inflected && l.fields == inAny && len(l.also) == 0
}

// key identifies the matches of the leaf: leaves with equal keys match the same
// documents.
func (l *leaf) key() string {
	b := []byte{byte(l.fields)}
	for _, s := range l.slots {
		b = append(b, byte(s.How))
		b = binary.AppendVarint(b, int64(s.Offset))
		b = binary.AppendVarint(b, int64(len(s.Term)))
		b = append(b, s.Term...)
	}
	for _, v := range l.also {
		b = binary.BigEndian.AppendUint32(append(b, v.Term...), math.Float32bits(v.Weight))
	}
	return string(b)
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

// compile returns the node for n; nil if n contains nothing to search for, such as a word of
// punctuation.
func (c *compiler) compile(n query.Node, scored bool) (any, error) {
	switch n := n.(type) {
	case *query.Word:
		last := analysis.Inflected
		switch {
		case n.Infix:
			last = analysis.Containing
		case n.Prefix:
			last = analysis.Beginning
		}
		node := c.leaf(n.Text, n.Field, analysis.Inflected, last, scored)
		if l, ok := node.(*leaf); ok && len(l.slots) == 1 {
			l.also = n.Also
		}
		return node, nil
	case *query.Phrase:
		return c.leaf(n.Text, n.Field, analysis.Exactly, analysis.Exactly, scored), nil
	case *query.And:
		nodes, err := c.all(n.Nodes, scored)
		return group(allOf(distinct(nodes))), err
	case *query.Or:
		nodes, err := c.all(n.Nodes, scored)
		return group(anyOf(distinct(nodes))), err
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

// group returns nil for an empty group, and the only node of a group of one.
func group[G allOf | anyOf](g G) any {
	switch len(g) {
	case 0:
		return nil
	case 1:
		return g[0]
	}
	return g
}

// distinct removes nodes with the same matches as an earlier one.
func distinct(nodes []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(nodes, func(n any) bool {
		key := keyOf(n)
		again := seen[key]
		seen[key] = true
		return again
	})
}

// keyOf identifies the matches of a node: nodes with equal keys match the same
// documents.
func keyOf(node any) string {
	list := func(kind string, nodes []any) string {
		for _, n := range nodes {
			key := keyOf(n)
			kind += strconv.Itoa(len(key)) + ":" + key
		}
		return kind
	}
	switch n := node.(type) {
	case *leaf:
		return "=" + n.key()
	case allOf:
		return list("&", n)
	case anyOf:
		return list("|", n)
	case noneOf:
		return list("-", []any{n.node})
	case filtered:
		return fmt.Sprintf("#%p", n.ids)
	}
	return "*"
}

// leaf converts text to a leaf; see Analyzer.Pattern.
func (c *compiler) leaf(text, field string, each, last analysis.How, scored bool) any {
	l := &leaf{slots: c.analyzer.Pattern(text, each, last), fields: fieldsOf(field), text: text, scored: scored}
	if len(l.slots) == 0 {
		return nil
	}
	c.leaves = append(c.leaves, l)
	return l
}

// fieldsOf returns the fields in which a word is searched.
func fieldsOf(field string) FieldSet {
	switch field {
	case query.Title:
		return 1 << Title
	case query.Name:
		return 1<<Title | 1<<Slug | 1<<Aliases
	}
	return ^FieldSet(0)
}
