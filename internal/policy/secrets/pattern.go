package secrets

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A pattern is a row of atoms that is matched outwards from a literal, left to
// right and right to left without going back: each atom takes as much as it
// can. It is written as the part of a regular expression that means the same
// when matched so: literals, sets, counts, alternatives, \b, ^, $ and one group.
type pattern struct {
	atoms  []atom
	pivot  int // the literal from which matching starts
	opens  int // the value is between these two atoms
	closes int
	body   int // the part that is judged: the longest set in the value
	grows  int // the last atom, when it has no upper bound, else -1
}

// atom is a literal, a repeated set of bytes, or a place.
type atom struct {
	literal  string
	fold     bool
	set      *charset
	min, max int
	place    syntax.Op
}

// Bounds on a space's own rules, and on the text that one match reads.
const (
	maxAlternatives = 64
	maxAtoms        = 40
	maxRun          = 4096 // bytes of a run without an upper bound, within a pattern
	maxToken        = 64   // of one at its end
)

// compile returns the patterns of an expression, one for each combination of
// its alternatives.
func compile(expression string) ([]pattern, error) {
	re, err := syntax.Parse(expression, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, err
	}
	rows, err := expand(re)
	if err != nil {
		return nil, err
	}
	out := make([]pattern, len(rows))
	for i, row := range rows {
		if out[i], err = newPattern(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// opening and closing mark a group among atoms, until newPattern removes them.
var opening, closing = atom{place: syntax.OpCapture, min: 1}, atom{place: syntax.OpCapture, min: 2}

func expand(re *syntax.Regexp) ([][]atom, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return [][]atom{nil}, nil
	case syntax.OpLiteral:
		a := atom{fold: re.Flags&syntax.FoldCase != 0}
		for _, r := range re.Rune {
			a.literal += string(r)
		}
		if a.fold {
			a.literal = lowered(a.literal)
		}
		return [][]atom{{a}}, nil
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return expandClass(re), nil
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary:
		return [][]atom{{{place: re.Op}}}, nil
	case syntax.OpCapture:
		inner, err := expand(re.Sub[0])
		for i := range inner {
			inner[i] = slices.Concat([]atom{opening}, inner[i], []atom{closing})
		}
		return inner, err
	case syntax.OpConcat, syntax.OpAlternate:
		return expandAll(re)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return expandRepeat(re)
	}
	return nil, fmt.Errorf("%q is not supported", re)
}

func expandAll(re *syntax.Regexp) ([][]atom, error) {
	out := [][]atom{nil}
	if re.Op == syntax.OpAlternate {
		out = nil
	}
	for _, sub := range re.Sub {
		rows, err := expand(sub)
		if err != nil {
			return nil, err
		}
		if re.Op == syntax.OpAlternate {
			out = append(out, rows...)
		} else {
			out = product(out, rows)
		}
		if len(out) > maxAlternatives {
			return nil, fmt.Errorf("more than %d alternatives", maxAlternatives)
		}
	}
	return out, nil
}

// product appends each of after to each of before. Rows of before are not
// shared.
func product(before, after [][]atom) [][]atom {
	if len(after) == 1 {
		for i := range before {
			before[i] = append(before[i], after[0]...)
		}
		return before
	}
	out := make([][]atom, 0, len(before)*len(after))
	for _, a := range before {
		for _, b := range after {
			out = append(out, slices.Concat(a, b))
		}
	}
	return out
}

func expandRepeat(re *syntax.Regexp) ([][]atom, error) {
	low, high := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		low, high = 0, -1
	case syntax.OpPlus:
		low, high = 1, -1
	case syntax.OpQuest:
		low, high = 0, 1
	}
	if sub := re.Sub[0]; sub.Op == syntax.OpCharClass || sub.Op == syntax.OpAnyCharNotNL || sub.Op == syntax.OpAnyChar {
		return [][]atom{{{set: classOf(sub), min: low, max: high}}}, nil
	}
	rows, err := expand(re.Sub[0])
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		a := rows[0][0]
		if len(a.literal) == 1 {
			a.set = newCharset(a.literal)
			if a.fold && isLetter(a.literal[0]) {
				a.set[a.literal[0]&^0x20] = true
			}
		}
		if a.set != nil {
			return [][]atom{{{set: a.set, min: low, max: high}}}, nil
		}
	}
	if low == 0 && high == 1 {
		return append(rows, nil), nil
	}
	return nil, fmt.Errorf("%q repeats more than a set of characters", re)
}

// expandClass turns a class of a few characters into alternatives: with the
// fixed text around them they are anchors. A set has bytes, so it matches only
// a part of a character beyond ASCII.
func expandClass(re *syntax.Regexp) [][]atom {
	const few = 8
	var rows [][]atom
	if chars := charsOf(re); len(chars) > 0 && len(chars) <= few {
		for _, r := range chars {
			rows = append(rows, []atom{{literal: string(r)}})
		}
		return rows
	}
	set := classOf(re)
	for b, in := range set {
		if in {
			rows = append(rows, []atom{{literal: string([]byte{byte(b)})}})
		}
	}
	if len(rows) > few {
		return [][]atom{{{set: set, min: 1, max: 1}}}
	}
	return rows
}

// charsOf returns the characters of a class that names each of them, nil for any
// other.
func charsOf(re *syntax.Regexp) (chars []rune) {
	for i := 0; re.Op == syntax.OpCharClass && i < len(re.Rune); i += 2 {
		if re.Rune[i+1]-re.Rune[i] > 8 {
			return nil
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			chars = append(chars, r)
		}
	}
	return chars
}

// classOf returns the bytes of a class. A class that reaches beyond ASCII
// takes every byte of such characters.
func classOf(re *syntax.Regexp) *charset {
	c := new(charset)
	if re.Op != syntax.OpCharClass {
		for b := range c {
			c[b] = b != '\n' || re.Op == syntax.OpAnyChar
		}
		return c
	}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= min(re.Rune[i+1], 0xff); r++ {
			c[r] = true
		}
		if re.Rune[i+1] >= utf8.RuneSelf {
			for b := utf8.RuneSelf; b < len(c); b++ {
				c[b] = true
			}
		}
	}
	return c
}

// newPattern joins neighbouring literals and finds where to start.
func newPattern(row []atom) (pattern, error) {
	p := pattern{pivot: -1, opens: -1, closes: -1, grows: -1, atoms: make([]atom, 0, len(row))}
	joined := false // the last atom is a literal to which more may be added
	for _, a := range row {
		switch {
		case a == opening:
			p.opens, joined = len(p.atoms), false
		case a == closing:
			p.closes, joined = len(p.atoms), false
		case joined && a.literal != "" && p.atoms[len(p.atoms)-1].fold == a.fold:
			p.atoms[len(p.atoms)-1].literal += a.literal
		default:
			p.atoms = append(p.atoms, a)
			joined = a.literal != ""
		}
	}
	if len(p.atoms) > maxAtoms {
		return p, fmt.Errorf("more than %d parts", maxAtoms)
	}
	for i, a := range p.atoms {
		if len(a.literal) >= 2 && (p.pivot < 0 || len(a.literal) > len(p.atoms[p.pivot].literal)) {
			p.pivot = i
		}
	}
	if p.pivot < 0 {
		return p, fmt.Errorf("no two characters in a row are fixed")
	}
	if p.opens < 0 {
		p.opens, p.closes = 0, len(p.atoms)
	}
	if p.opens >= p.closes {
		return p, fmt.Errorf("the group is empty")
	}
	p.body = p.opens
	for i := p.opens; i < p.closes; i++ {
		if p.atoms[i].min > p.atoms[p.body].min {
			p.body = i
		}
	}
	for i := range p.atoms[:len(p.atoms)-1] {
		if p.atoms[i].max < 0 {
			p.atoms[i].max = maxRun
		}
	}
	if last := p.closes - 1; last >= p.pivot && last == len(p.atoms)-1 && p.atoms[last].set != nil && p.atoms[last].max < 0 {
		p.grows = last
	}
	return p, nil
}

// match is where a pattern was found.
type match struct {
	start, end   int // all of it
	value, after int // the value
	body, rest   int // the part that is judged
}

// find matches p with its pivot at at.
func (p *pattern) find(s *scanner, at int) (match, bool) {
	var starts [maxAtoms + 1]int
	i := at
	for n := p.pivot; n < len(p.atoms); n++ {
		starts[n] = i
		var ok bool
		if i, ok = p.atoms[n].forward(s, i); !ok {
			return match{}, false
		}
	}
	starts[len(p.atoms)] = i
	for n := p.pivot - 1; n >= 0; n-- {
		var ok bool
		if starts[n], ok = p.atoms[n].backward(s, starts[n+1]); !ok {
			return match{}, false
		}
	}
	return match{starts[0], i, starts[p.opens], starts[p.closes], starts[p.body], starts[p.body+1]}, true
}

func (a *atom) forward(s *scanner, i int) (int, bool) {
	switch {
	case a.set != nil:
		end := s.run(a.set, i, a.limit())
		return end, end-i >= a.min
	case a.literal != "":
		end := i + len(a.literal)
		return end, end <= len(s.text) && a.is(s.text[i:end])
	}
	return i, a.holds(s.text, i)
}

func (a *atom) backward(s *scanner, i int) (int, bool) {
	switch {
	case a.set != nil:
		start := s.back(a.set, i, a.limit())
		return start, i-start >= a.min
	case a.literal != "":
		start := i - len(a.literal)
		return start, start >= 0 && a.is(s.text[start:i])
	}
	return i, a.holds(s.text, i)
}

func (a *atom) limit() int {
	if a.max < 0 {
		return max(maxToken, a.min+4) // room for the punctuation of a sentence
	}
	return a.max
}

func (a *atom) is(v []byte) bool {
	if !a.fold {
		return string(v) == a.literal
	}
	for i, b := range v {
		if folded[b] != a.literal[i] {
			return false
		}
	}
	return true
}

// holds reports whether i satisfies the condition of the atom.
func (a *atom) holds(text []byte, i int) bool {
	switch a.place {
	case syntax.OpBeginLine:
		return i == 0 || text[i-1] == '\n'
	case syntax.OpEndLine:
		return i == len(text) || isBreak(text[i])
	}
	return (i > 0 && wordByte[text[i-1]]) != (i < len(text) && wordByte[text[i]])
}

// folded maps ASCII capitals to small letters and other bytes to themselves.
var folded = func() (t [256]byte) {
	for b := range t {
		t[b] = byte(b)
		if 'A' <= b && b <= 'Z' {
			t[b] |= 0x20
		}
	}
	return t
}()

func lowered(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = folded[b[i]]
	}
	return string(b)
}
