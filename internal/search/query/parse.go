package query

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Title and Name are the fields that can be used in a query: the title of a page, and all of
// its names, which are its title, its slug and its aliases. They look like filters but match
// text.
const (
	Title = "title"
	Name  = "name"
)

// maxDepth bounds nesting; deeper parentheses are ignored.
const maxDepth = 32

// Parse parses input. Dates are relative to now, in its location. Every input results in a
// query.
func Parse(input string, now time.Time) Query { return parse(input, now, false) }

func parse(input string, now time.Time, ofPart bool) Query {
	tokens, notes := lex(input, ofPart)
	p := &parser{tokens: pair(tokens), now: now, notes: notes, ofPart: ofPart}
	var q Query
	root := p.or()
	if root == nil {
		root = operatorsAsText(tokens)
	}
	q.Root, q.Filters = split(root)
	q.Notes = unique(p.notes)
	return q
}

// pair drops unbalanced parentheses, empty pairs, and pairs that are nested too deeply.
func pair(tokens []token) []token {
	drop := make([]bool, len(tokens))
	var stack []int
	for i, t := range tokens {
		switch t.kind {
		case open:
			stack = append(stack, i)
		case closing:
			if len(stack) == 0 {
				drop[i] = true
				continue
			}
			from := stack[len(stack)-1]
			if len(stack) > maxDepth {
				drop[i], drop[from] = true, true
			}
			stack = stack[:len(stack)-1]
		}
	}
	for _, i := range stack {
		drop[i] = true
	}
	kept := tokens[:0:0]
	for i, t := range tokens {
		if !drop[i] {
			kept = append(kept, t)
		}
	}
	return kept
}

// parser is a recursive descent over paired tokens. Its methods return nil for an
// empty match.
type parser struct {
	tokens  []token
	now     time.Time
	notes   []string
	filters map[string]bool // filters so far, by their text
	globs   int             // total length of their patterns
	ofPart  bool            // the input is the value of a filter for a part
}

// The filters of a query are bounded, since each may examine every page.
// Filters beyond the limit count as not satisfied, so that no excluded page is
// found.
const (
	maxFilters = 24
	maxGlobs   = 256 // bytes of path patterns
)

// bounded counts a filter, or marks it as one too many.
func (p *parser) bounded(f *Filter) *Filter {
	text := f.String()
	if p.filters[text] {
		return f
	}
	if f.Key == Path && IsGlob(f.Value) {
		p.globs += len(f.Value)
	}
	switch {
	case len(p.filters) == maxFilters:
		f.Never = true
		p.note("a query may have at most %d different filters; the others count as not satisfied", maxFilters)
	case p.globs > maxGlobs:
		f.Never = true
		p.note("the path patterns of a query may have at most %d characters; those beyond count as not satisfied", maxGlobs)
	default:
		if p.filters == nil {
			p.filters = map[string]bool{}
		}
		p.filters[text] = true
	}
	return f
}

func (p *parser) peek() (kind, bool) {
	if len(p.tokens) == 0 {
		return 0, false
	}
	return p.tokens[0].kind, true
}

func (p *parser) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// or parses conjunctions separated by OR.
func (p *parser) or() Node {
	var nodes []Node
	for {
		if n := p.and(); n != nil {
			nodes = append(nodes, n)
		}
		k, ok := p.peek()
		if !ok || k != or {
			return anyOf(nodes)
		}
		p.tokens = p.tokens[1:]
	}
}

// and parses terms, with or without AND between them.
func (p *parser) and() Node {
	var nodes []Node
	for {
		k, ok := p.peek()
		switch {
		case !ok || k == or || k == closing:
			return allOf(nodes)
		case k == and:
			p.tokens = p.tokens[1:]
		default:
			if n := p.term(); n != nil {
				nodes = append(nodes, n)
			}
		}
	}
}

// term parses a term with the negations before it.
func (p *parser) term() Node {
	negated := false
	for {
		k, ok := p.peek()
		if !ok || k != not {
			break
		}
		negated = !negated
		p.tokens = p.tokens[1:]
	}
	k, ok := p.peek()
	if !ok || k == and || k == or || k == closing {
		return nil // an operator without its operand
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	var n Node
	switch k {
	case open:
		n = p.or()
		p.tokens = p.tokens[1:] // pair has checked that it exists
	case phrase:
		n = &Phrase{Text: t.text}
	case filter:
		n = p.filter(t)
	default:
		n = p.word(t.text, "")
	}
	if n == nil || !negated {
		return n
	}
	return negation(n)
}

// word parses a word that may end in a star.
func (p *parser) word(text, field string) Node {
	for _, key := range []Key{Type, Tag, Space, Path, Status, Wing, Where, Before, After, Permalink, InTitle, Category, Item, Title, Name, file, Line, Block, Section, Task, TaskTodo, TaskDone} {
		if field == "" && strings.EqualFold(text, string(key)+":") {
			p.note("%q has no value; searched as text", text)
		}
	}
	if key, value, ok := strings.Cut(text, ":"); field == "" && ok && value != "" && foreign[strings.ToLower(key)] {
		p.note("%s: is an operator of other programs; %q was searched as text", key, text)
	}
	stem := strings.TrimRight(text, "*")
	if stem == "" {
		return nil
	}
	if inner := strings.TrimLeft(stem, "*"); inner != stem && stem != text && inner != "" {
		return &Word{Text: inner, Prefix: true, Infix: true, Field: field}
	}
	return &Word{Text: stem, Prefix: stem != text, Field: field}
}

// foreign are operators of Obsidian and other programs that are plain words here.
var foreign = set("content match-case ignore-case created updated modified has is in from author")

// fileGlob returns the path pattern for a text in the file name, in any letter case.
func fileGlob(text string) string {
	var b strings.Builder
	b.WriteString("**/*")
	for _, r := range text {
		if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
			b.WriteString("[" + string(lower) + string(upper) + "]")
		} else {
			b.WriteString(glob.Escape(string(r)))
		}
	}
	return b.String() + "*"
}

// filter parses a filter token, which may turn out to be text.
func (p *parser) filter(t token) Node {
	key := Key(t.key)
	switch key {
	case Title, Name:
		if t.quoted {
			return &Phrase{Text: t.text, Field: t.key}
		}
		return p.word(t.text, t.key)
	case file:
		name := strings.TrimSuffix(t.text, ".md")
		return p.bounded(&Filter{Key: Path, Value: fileGlob(name), file: name})
	case Line, Block, Section, Task, TaskTodo, TaskDone:
		return p.part(key, t.text)
	case Before, After:
		r, ok := ParseRange(t.text, p.now)
		if !ok {
			text := t.key + ":" + t.text
			p.note("%q is not a date; searched as text", text)
			if t.quoted {
				return &Phrase{Text: text}
			}
			return p.word(text, "")
		}
		return p.bounded(&Filter{Key: key, Value: t.text, Time: r.From})
	case Item:
		if !slices.Contains(Kinds, strings.ToLower(t.text)) {
			p.note("item:%s is not one of %s; searched as text", t.text, strings.Join(Kinds, ", "))
			return p.word(t.key+":"+t.text, "")
		}
		t.text = strings.ToLower(t.text)
	case Path:
		if strings.ContainsAny(t.text, "*?[{") && len(t.text) <= maxGlobs && !IsGlob(t.text) {
			p.note("path:%s is not a valid pattern; it was used as a literal path", t.text)
		}
	}
	return p.bounded(&Filter{Key: key, Value: t.text})
}

// negation returns the complement of n.
func negation(n Node) Node {
	switch n := n.(type) {
	case *Not:
		return n.Node
	case *Filter:
		f := *n
		f.Not = !f.Not
		return &f
	}
	return &Not{n}
}

// allOf returns the flattened conjunction of nodes.
func allOf(nodes []Node) Node {
	return flatten(nodes, func(n Node) []Node {
		if and, ok := n.(*And); ok {
			return and.Nodes
		}
		return nil
	}, func(flat []Node) Node { return &And{flat} })
}

// anyOf returns the flattened disjunction of nodes.
func anyOf(nodes []Node) Node {
	return flatten(nodes, func(n Node) []Node {
		if or, ok := n.(*Or); ok {
			return or.Nodes
		}
		return nil
	}, func(flat []Node) Node { return &Or{flat} })
}

// flatten makes one node of several, and inlines nodes of the same kind. A single node is
// returned itself; for none the result is nil.
func flatten(nodes []Node, inside func(Node) []Node, wrap func([]Node) Node) Node {
	var flat []Node
	for _, n := range nodes {
		if in := inside(n); in != nil {
			flat = append(flat, in...)
			continue
		}
		flat = append(flat, n)
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	return wrap(flat)
}

// split separates the filters that apply to the whole query from the tree, without
// duplicates.
func split(root Node) (Node, []Filter) {
	var nodes []Node
	var filters []Filter
	seen := map[Filter]bool{}
	conjuncts := []Node{root}
	if top, ok := root.(*And); ok {
		conjuncts = top.Nodes
	}
	for _, n := range conjuncts {
		switch n := n.(type) {
		case nil:
		case *Filter:
			if !seen[*n] {
				seen[*n] = true
				filters = append(filters, *n)
			}
		default:
			nodes = append(nodes, n)
		}
	}
	if text := allOf(nodes); text != nil {
		return text, filters
	}
	return &All{}, filters
}

// operatorsAsText parses a query that consists of operators: the user is searching for the
// words.
func operatorsAsText(tokens []token) Node {
	var nodes []Node
	for _, t := range tokens {
		if (t.kind == and || t.kind == or || t.kind == not) && t.text != "" {
			nodes = append(nodes, &Phrase{Text: t.text})
		}
	}
	return allOf(nodes)
}

// unique drops repeated notes.
func unique(notes []string) []string {
	seen := make(map[string]bool)
	kept := notes[:0]
	for _, n := range notes {
		if !seen[n] {
			seen[n] = true
			kept = append(kept, n)
		}
	}
	return kept
}
