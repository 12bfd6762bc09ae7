package glob

import (
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxPOSIX limits the length of a regular expression: each alternative in braces
// repeats its continuation.
const maxPOSIX = 32 << 10

// POSIX returns a regular expression of PostgreSQL that matches the same paths as a
// pattern. A malformed pattern, or one with too many alternatives, is kb.Invalid.
func POSIX(pattern string) (string, error) {
	if _, err := compiled(pattern); err != nil {
		return "", err
	}
	p := parser{rest: pattern}
	nodes, _, _ := p.sequence(true, false)
	x := expression{}
	then := x.sequence(nodes, rest{end: true})
	if x.long {
		return "", kb.Errorf(kb.Invalid, "the path pattern has too many alternatives in braces")
	}
	return "^(?:" + then.text + ")$", nil
}

// rest is the expression for the continuation of a part of a pattern; it is the
// text form of follow.
type rest struct {
	text           string
	slash          string // expression after the slash that it begins with
	slashed        bool   // it begins with one
	end, any, last bool   // see follow.end, rest and last
}

type expression struct{ long bool }

func (x *expression) sequence(nodes []node, then rest) rest {
	for i := len(nodes) - 1; i >= 0 && !x.long; i-- {
		then = x.node(&nodes[i], then)
		x.long = len(then.text) > maxPOSIX
	}
	return then
}

func (x *expression) node(n *node, then rest) rest {
	switch n.kind {
	case literal:
		text := exact(n.char) + then.text
		if n.char != '/' {
			return rest{text: text}
		}
		if then.any {
			text = "(?:" + text + ")?"
		}
		return rest{text: text, slash: then.text, slashed: true, last: then.end}
	case oneChar:
		return rest{text: "[^/]" + then.text}
	case oneOf:
		return rest{text: n.class.text() + then.text}
	case anyOfThem:
		return x.alternatives(n, then)
	case deep:
		switch {
		case n.first && then.end:
			return rest{text: ".*" + then.text, any: true}
		case n.first && then.slashed:
			return rest{text: "(?:.*/)?" + then.slash, any: then.last}
		}
	}
	return rest{text: "[^/]*" + then.text}
}

func (x *expression) alternatives(n *node, then rest) rest {
	all := x.sequence(n.alternatives[0], then)
	for _, other := range n.alternatives[1:] {
		f := x.sequence(other, then)
		all.text += "|" + f.text
		all.slash += "|" + f.slash
		all.slashed = all.slashed && f.slashed
		all.end, all.any, all.last = all.end && f.end, all.any && f.any, all.last && f.last
		x.long = x.long || len(all.text) > maxPOSIX
	}
	all.text, all.slash = "(?:"+all.text+")", "(?:"+all.slash+")"
	return all
}

// exact matches one character.
func exact(r rune) string {
	if r == 0 || r >= 0x80 || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		return string(r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// text returns the class as a bracket expression.
func (c *class) text() string {
	var b strings.Builder
	b.WriteByte('[')
	if c.negated {
		b.WriteByte('^')
	}
	for _, r := range c.ranges {
		b.WriteString(exact(r[0]))
		if r[0] != r[1] {
			b.WriteString("-" + exact(r[1]))
		}
	}
	b.WriteByte(']')
	return b.String()
}
