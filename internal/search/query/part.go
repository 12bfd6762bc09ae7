package query

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
)

// maxRegex is the maximum length of a regular expression, and maxProgram the maximum number
// of instructions of its program: short repetitions compile to many instructions. Matching a
// text takes time that grows with both, so maxSteps bounds their product.
const (
	maxRegex   = 500
	maxProgram = 1000
	maxSteps   = 1 << 26
)

// Expression is a compiled regular expression.
type Expression struct {
	*regexp.Regexp
	program int // number of instructions
}

// Fits reports whether a text of n bytes can be matched in about a second.
func (e *Expression) Fits(n int) bool { return n <= maxSteps/e.program }

// CompileRegex compiles the value of a filter Regex, ignoring case, and with ^ and $
// matching at line ends.
func CompileRegex(text string) (*Expression, error) {
	if len(text) > maxRegex {
		return nil, fmt.Errorf("it is longer than %d characters", maxRegex)
	}
	text = "(?im)" + text
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errSyntax
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, errSyntax
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("its repetitions are too many: the program has %d instructions, and at most %d are run", len(program.Inst), maxProgram)
	}
	re, err := regexp.Compile(text)
	return &Expression{re, len(program.Inst)}, err
}

var errSyntax = errors.New("it is not a regular expression in the syntax of RE2")

// Part parses the value of a filter for a part of a page: words that the part must contain,
// *All for none, and filters Regex that it must match.
func Part(value string, now time.Time) (words Node, regexes []Filter) {
	q := parse(value, now, true)
	for _, f := range q.Filters {
		if f.Key == Regex {
			regexes = append(regexes, f)
		}
	}
	return q.Root, regexes
}

// part returns a filter for a part.
func (p *parser) part(key Key, value string) Node {
	if p.ofPart {
		p.note("%s: within the value of another operator was searched as text", key)
		return p.word(string(key)+":"+value, "")
	}
	q := parse(value, p.now, true)
	p.notes = append(p.notes, q.Notes...)
	for _, f := range q.Filters {
		if f.Key != Regex {
			p.note("%s: asks for words and regular expressions; %s was left out", key, &f)
		}
	}
	return p.bounded(&Filter{Key: key, Value: value})
}

// WithParts returns a query that also asks for the words in its filters for parts, so that
// they count for ranking and are highlighted.
func WithParts(q Query, now time.Time) Query {
	for _, f := range q.Filters {
		if words := f.words(now); words != nil {
			q.Require(words)
		}
	}
	q.Root = withParts(q.Root, now)
	return q
}

func withParts(n Node, now time.Time) Node {
	each := func(nodes []Node) []Node {
		out := make([]Node, len(nodes))
		for i, c := range nodes {
			out[i] = withParts(c, now)
		}
		return out
	}
	switch n := n.(type) {
	case *And:
		return allOf(each(n.Nodes))
	case *Or:
		return anyOf(each(n.Nodes))
	case *Filter:
		if words := n.words(now); words != nil {
			return allOf([]Node{words, n})
		}
	}
	return n
}

// words returns the words that pages matching a filter for a part contain, nil for none.
func (f *Filter) words(now time.Time) Node {
	if f.Not || f.Never || !f.Key.ofPart() {
		return nil
	}
	words, _ := Part(f.Value, now)
	if excludes(words) {
		words = anyOf(Terms(words))
	}
	if _, all := words.(*All); all {
		return nil
	}
	return words
}

// excludes reports whether a tree contains a negation or a filter.
func excludes(n Node) bool {
	var nodes []Node
	switch n := n.(type) {
	case *Not, *Filter:
		return true
	case *And:
		nodes = n.Nodes
	case *Or:
		nodes = n.Nodes
	}
	for _, c := range nodes {
		if excludes(c) {
			return true
		}
	}
	return false
}

// part reads the value of a filter for a part: a word, "quoted text", /a regular
// expression/, or a query in parentheses. Only tasks may have an empty value.
func part(text string, empty bool) (value, rest string, ok bool) {
	switch {
	case strings.HasPrefix(text, `"`):
		inner, rest, ok := strings.Cut(text[1:], `"`)
		if strings.TrimSpace(inner) == "" {
			return "", rest, ok && empty
		}
		return `"` + inner + `"`, rest, ok
	case strings.HasPrefix(text, "/"):
		if end := regexEnd(text); end > 0 {
			return text[:end+1], text[end+1:], true
		}
	case strings.HasPrefix(text, "("):
		depth := 0
		for i := range len(text) {
			switch text[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				value = strings.TrimSpace(text[1:i])
				return value, text[i+1:], value != "" || empty
			}
		}
		return "", text, false
	}
	l := lexer{rest: text}
	value = l.word()
	return value, l.rest, value != ""
}

// regexEnd returns the offset of the slash that ends a regular expression at the start of
// text, 0 for none. A blank, a parenthesis or the end must follow.
func regexEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '/':
			if i > 1 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == ')') {
				return i
			}
			return 0
		}
	}
	return 0
}

// regex reads /expression/. Without special characters it is a path, except in the value of
// a filter for a part.
func (l *lexer) regex() (token, bool) {
	end := regexEnd(l.rest)
	if end == 0 || !l.ofPart && !strings.ContainsAny(l.rest[1:end], `\^$.*+?[](){}|`) {
		return token{}, false
	}
	text := l.rest[1:end]
	if _, err := CompileRegex(text); err != nil {
		l.notes = append(l.notes, fmt.Sprintf("/%s/ was searched as text: %v", text, err))
		return token{}, false
	}
	l.rest = l.rest[end+1:]
	return token{kind: filter, key: string(Regex), text: text}, true
}
