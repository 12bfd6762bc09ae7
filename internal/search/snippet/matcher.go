package snippet

import (
	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Matcher finds a query's words and phrases in text. It can be used for any
// number of documents, by one goroutine at a time.
type Matcher struct {
	analyzer analysis.Analyzer
	patterns []*pattern
	first    [256]bool // first bytes of terms that a slot can take
}

// pattern is a word or phrase with how far it has been matched.
type pattern struct {
	slots []analysis.Slot
	stems []string
	// reached[i] is the last place where slots 0 to i were filled.
	reached []reached
}

type reached struct{ position, start int }

// match is a found word or phrase.
type match struct {
	pattern    int
	start, end int // bytes
}

// NewMatcher returns a Matcher for the words of n that are wanted: negated
// ones and filters are left out.
func NewMatcher(n query.Node) *Matcher {
	m := new(Matcher)
	for _, leaf := range query.Terms(n) {
		var slots []analysis.Slot
		switch leaf := leaf.(type) {
		case *query.Word:
			last := analysis.Inflected
			if leaf.Prefix {
				last = analysis.Beginning
			}
			slots = m.analyzer.Pattern(leaf.Text, analysis.Inflected, last)
		case *query.Phrase:
			slots = m.analyzer.Pattern(leaf.Text, analysis.Exactly, analysis.Exactly)
		}
		if len(slots) == 0 {
			continue
		}
		p := &pattern{slots: slots, reached: make([]reached, len(slots))}
		for _, s := range slots {
			m.first[s.Term[0]] = true
			p.stems = append(p.stems, string(analysis.Stem(nil, []byte(s.Term))))
		}
		m.patterns = append(m.patterns, p)
	}
	return m
}

// each calls f for the matches in text, by ascending end.
func (m *Matcher) each(text string, f func(match)) {
	for _, p := range m.patterns {
		for i := range p.reached {
			p.reached[i].position = -1
		}
	}
	m.analyzer.Document(text, func(t analysis.Token) {
		if !m.first[t.Term[0]] {
			return
		}
		for i, p := range m.patterns {
			if start, ok := p.step(t); ok {
				f(match{i, start, t.End})
			}
		}
	})
}

// step moves the pattern by one term. It returns where the match that ends
// there began.
func (p *pattern) step(t analysis.Token) (start int, whole bool) {
	// From the last slot back, so that a term does not fill two in one step.
	for i := len(p.slots) - 1; i >= 0; i-- {
		if !p.slots[i].Takes(t.Term, p.stems[i]) {
			continue
		}
		here := reached{t.Pos, t.Start}
		if i > 0 {
			before := p.reached[i-1]
			if before.position < 0 || before.position+p.slots[i].Offset-p.slots[i-1].Offset != t.Pos {
				continue
			}
			here.start = before.start
		}
		p.reached[i] = here
		if i == len(p.slots)-1 {
			start, whole = here.start, true
		}
	}
	return start, whole
}
