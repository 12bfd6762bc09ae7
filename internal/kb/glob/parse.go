package glob

import (
	"slices"
	"unicode/utf8"
)

// node is a part of a pattern.
type node struct {
	kind  nodeKind
	char  rune
	class *class
	// first is set on a ** at the beginning of a path element: only there can
	// it match several elements.
	first        bool
	alternatives [][]node
}

type nodeKind uint8

const (
	literal   nodeKind = iota
	oneChar            // ?
	oneOf              // [...]
	star               // *
	deep               // **
	anyOfThem          // {...}
)

// class is the inside of [...].
type class struct {
	negated bool
	ranges  [][2]rune
}

func (c *class) has(r rune) bool {
	in := slices.ContainsFunc(c.ranges, func(x [2]rune) bool { return x[0] <= r && r <= x[1] })
	return in != c.negated
}

// parser reads a pattern from left to right.
type parser struct{ rest string }

func (p *parser) next() rune {
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	return r
}

// sequence parses up to the end or, within braces, up to a comma or the closing
// brace, which it does not consume. first is set at the beginning of a path
// element; last reports whether an element begins after it.
func (p *parser) sequence(first, braced bool) (nodes []node, last, ok bool) {
	for p.rest != "" {
		switch c := p.rest[0]; {
		case c == '*':
			n := node{kind: star}
			if p.rest = p.rest[1:]; p.rest != "" && p.rest[0] == '*' {
				p.rest = p.rest[1:]
				n = node{kind: deep, first: first}
			}
			nodes, first = append(nodes, n), false
		case c == '?':
			p.rest = p.rest[1:]
			nodes, first = append(nodes, node{kind: oneChar}), false
		case c == '[':
			set, ok := p.class()
			if !ok {
				return nil, false, false
			}
			nodes, first = append(nodes, node{kind: oneOf, class: set}), false
		case c == '{':
			n, after, ok := p.braces(first)
			if !ok {
				return nil, false, false
			}
			nodes, first = append(nodes, n), after
		case c == '}' || c == ',' && braced:
			return nodes, first, braced
		default:
			if c == '\\' {
				if p.rest = p.rest[1:]; p.rest == "" {
					return nil, false, false
				}
			}
			r := p.next()
			nodes, first = append(nodes, node{kind: literal, char: r}), r == '/'
		}
	}
	return nodes, first, !braced
}

// braces parses {a,b}.
func (p *parser) braces(first bool) (n node, after, ok bool) {
	n, after = node{kind: anyOfThem}, true
	for {
		p.rest = p.rest[1:] // the brace, or a comma
		one, last, ok := p.sequence(first, true)
		if !ok || p.rest == "" {
			return n, false, false
		}
		n.alternatives = append(n.alternatives, one)
		after = after && last
		if p.rest[0] == '}' {
			p.rest = p.rest[1:]
			return n, after, true
		}
	}
}

// class parses [a-z] or [!a-z].
func (p *parser) class() (*class, bool) {
	p.rest = p.rest[1:]
	set := new(class)
	if p.rest != "" && (p.rest[0] == '!' || p.rest[0] == '^') {
		set.negated = true
		p.rest = p.rest[1:]
	}
	open := false // whether the last character may begin a range
	for p.rest != "" && p.rest[0] != ']' {
		r := p.next()
		if open && r == '-' && p.rest != "" && p.rest[0] != ']' {
			if p.rest[0] == '\\' {
				p.rest = p.rest[1:]
			}
			if p.rest == "" {
				return nil, false
			}
			set.ranges[len(set.ranges)-1][1] = p.next()
			open = false
			continue
		}
		if r == '\\' {
			if p.rest == "" {
				return nil, false
			}
			r = p.next()
		}
		set.ranges = append(set.ranges, [2]rune{r, r})
		open = true
	}
	if p.rest == "" || len(set.ranges) == 0 {
		return nil, false
	}
	p.rest = p.rest[1:]
	return set, true
}
