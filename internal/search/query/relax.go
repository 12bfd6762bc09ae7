package query

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// stopwords are English words without content: articles, prepositions, auxiliaries, pronouns
// and question words. They are left out of relaxed queries only: phrases and strict queries
// keep them.
var stopwords = set(`a about an and any are as at be been being but by can could did do does doing
for from had has have having he her hers him his how i if in into is it its me my of off on or our
she should so some than that the their them then there these they this those to too was we were
what when where which who whom whose why will with would you your`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Terms returns the words and phrases to be highlighted, from left to right. Negated ones
// are left out.
func Terms(n Node) []Node {
	var terms []Node
	walk(n, func(leaf Node) { terms = append(terms, leaf) })
	return terms
}

// walk visits the words and phrases that are not negated.
func walk(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *Word, *Phrase:
		visit(n)
	case *And:
		for _, c := range n.Nodes {
			walk(c, visit)
		}
	case *Or:
		for _, c := range n.Nodes {
			walk(c, visit)
		}
	}
}

// Relax returns the query to try if q finds too little: with any of its words instead of
// all, phrases and compounds split, and stopwords left out unless there is nothing else.
// Limits stay. It reports false if that would change nothing.
func Relax(q Query) (Query, bool) {
	conjuncts := []Node{q.Root}
	if top, ok := q.Root.(*And); ok {
		conjuncts = top.Nodes
	}
	words := wordSet{ignored: q.Ignored}
	var kept []Node
	at := 0 // index of the words among the limits
	for _, n := range conjuncts {
		limit := Limits(n)
		if limit != n {
			if len(words.all) == 0 {
				at = len(kept)
			}
			walk(n, words.add)
		}
		if _, none := limit.(*All); !none {
			kept = append(kept, limit)
		}
	}
	any := anyOf(words.said())
	if any == nil {
		return q, false
	}
	relaxed := Query{Root: allOf(slices.Insert(kept, at, any)), Filters: q.Filters, Ignored: q.Ignored, Notes: q.Notes}
	return relaxed, relaxed.Root.String() != q.Root.String()
}

// wordSet collects words, each once.
type wordSet struct {
	all, content []Node // content is without stopwords
	seen         map[string]bool
	ignored      map[string]bool
}

// add adds a word, or the words of a phrase.
func (s *wordSet) add(leaf Node) {
	switch leaf := leaf.(type) {
	case *Word:
		if leaf.Prefix {
			s.word(leaf)
			return
		}
		for _, text := range compound(leaf.Text) {
			s.run(text, leaf.Field)
		}
	case *Phrase:
		for _, text := range strings.Fields(leaf.Text) {
			for _, part := range compound(text) {
				s.run(part, leaf.Field)
			}
		}
	}
}

// run adds a word. In a script without spaces it is a sentence rather than a word, so its
// pairs of characters are added.
func (s *wordSet) run(text, field string) {
	if !analysis.HasUnspaced(text) {
		s.word(&Word{Text: text, Field: field})
		return
	}
	var a analysis.Analyzer
	a.Query(text, func(t analysis.Token) { s.word(&Word{Text: text[t.Start:t.End], Field: field}) })
}

// compound returns the parts of a word joined by hyphens or slashes. Other authors write it
// as two words, or use only one of the parts: high-speed, and/or. A word of only numbers
// stays whole: a part of a date is not a date.
func compound(text string) []string {
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return []string{text}
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || unicode.Is(unicode.Pd, r) })
	if len(parts) == 0 {
		return []string{text}
	}
	return parts
}

func (s *wordSet) word(w *Word) {
	id := w.String()
	if s.seen[id] {
		return
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	s.seen[id] = true
	s.all = append(s.all, w)
	if text := strings.Trim(strings.ToLower(w.Text), `.,;:!?'"`); w.Prefix || !stopwords[text] && (len(s.ignored) == 0 || !s.ignored[folded(text)]) {
		s.content = append(s.content, w)
	}
}

// folded returns the indexed form of a word, without accents.
func folded(text string) (term string) {
	var a analysis.Analyzer
	a.Query(text, func(t analysis.Token) { term += string(t.Term) })
	return term
}

// said returns the words with content, or all words if there are none.
func (s *wordSet) said() []Node {
	if len(s.content) > 0 {
		return s.content
	}
	return s.all
}

// Complete returns the query to try while q is still being typed: with its last word, if it
// is not negated, as a prefix. It returns false if q does not end in such a word.
func Complete(q Query) (Query, bool) {
	root, ok := completed(q.Root)
	if !ok {
		return q, false
	}
	return Query{Root: root, Filters: q.Filters, Notes: q.Notes}, true
}

func completed(n Node) (Node, bool) {
	switch n := n.(type) {
	case *Word:
		w := *n
		w.Prefix = true
		return &w, !n.Prefix
	case *And:
		nodes, ok := lastCompleted(n.Nodes)
		return &And{nodes}, ok
	case *Or:
		nodes, ok := lastCompleted(n.Nodes)
		return &Or{nodes}, ok
	}
	return n, false
}

func lastCompleted(nodes []Node) ([]Node, bool) {
	last, ok := completed(nodes[len(nodes)-1])
	if !ok {
		return nodes, false
	}
	return append(append([]Node(nil), nodes[:len(nodes)-1]...), last), true
}
