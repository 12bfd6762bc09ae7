package snippet

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Matcher finds a query's words and phrases in texts. It can be used for any number of
// documents, by one goroutine at a time.
type Matcher struct {
	analyzer analysis.Analyzer
	patterns []*pattern

	// The slots of all patterns, indexed by the terms that they match, so that a term of the
	// text is compared only with those.
	exact      map[string][]place
	stems      map[string][]place
	beginnings [256][]beginning   // by first byte
	inside     []beginning        // slots for terms that contain a text
	openings   openings           // of the terms that any slot except those in inside matches
	taken      []place            // result for the last term
	stem       []byte             // of the last term
	stemmed    map[string][]place // results by stem, since texts repeat terms
	steps      int                // number of slots examined so far, for tests
}

// place is a slot of a pattern.
type place struct{ pattern, slot int }

// beginning is a slot for terms that start with text, or contain it.
type beginning struct {
	text string
	at   place
}

// pattern is a word or phrase with the state of its matching.
type pattern struct {
	leaf  string // as written in the query
	slots []analysis.Slot
	// reached[i] is the last position at which slots 0 to i were filled.
	reached []reached
}

type reached struct{ position, start int }

// match is a found word or phrase.
type match struct {
	pattern    int
	start, end int // bytes
}

// NewMatcher returns a Matcher for the distinct words of n; negated words and filters are
// left out.
func NewMatcher(n query.Node) *Matcher {
	m := &Matcher{exact: map[string][]place{}, stems: map[string][]place{}, stemmed: map[string][]place{}}
	known := map[string]bool{}
	for _, leaf := range query.Terms(n) {
		text := leaf.String()
		if known[text] {
			continue
		}
		known[text] = true
		switch leaf := leaf.(type) {
		case *query.Word:
			last := analysis.Inflected
			switch {
			case leaf.Infix:
				last = analysis.Containing
			case leaf.Prefix:
				last = analysis.Beginning
			}
			slots := m.analyzer.Pattern(leaf.Text, analysis.Inflected, last)
			m.add(text, slots)
			if len(slots) == 1 {
				for _, v := range leaf.Also {
					m.addExact(v.Term, place{len(m.patterns) - 1, 0})
				}
			}
		case *query.Phrase:
			m.add(text, m.analyzer.Pattern(leaf.Text, analysis.Exactly, analysis.Exactly))
		}
	}
	return m
}

func (m *Matcher) add(leaf string, slots []analysis.Slot) {
	if len(slots) == 0 {
		return
	}
	number := len(m.patterns)
	m.patterns = append(m.patterns, &pattern{leaf: leaf, slots: slots, reached: make([]reached, len(slots))})
	for i, s := range slots {
		at := place{number, i}
		switch s.How {
		case analysis.Beginning:
			m.beginnings[s.Term[0]] = append(m.beginnings[s.Term[0]], beginning{s.Term, at})
			m.openings.add(s.Term)
		case analysis.Containing:
			m.inside = append(m.inside, beginning{s.Term, at})
		case analysis.Inflected:
			stem := string(analysis.Stem(nil, []byte(s.Term)))
			m.stems[stem] = append(m.stems[stem], at)
			m.openings.add(stem)
		default:
			m.addExact(s.Term, at)
		}
	}
}

func (m *Matcher) addExact(term string, at place) {
	m.exact[term] = append(m.exact[term], at)
	m.openings.add(term)
}

// openings is a set of the first two letters of terms. Most words of a text start with other
// letters, so they need not be stemmed or looked up.
type openings [1 << 16 / 64]uint64

// add adds the terms that start with text, or with its first two letters.
func (o *openings) add(text string) {
	first := opening(text)
	if len(text) > 1 {
		o[first/64] |= 1 << (first % 64)
		return
	}
	for i := range 256 / 64 { // stemming may leave a single letter of a word
		o[first/64+i] = math.MaxUint64
	}
}

// has reports whether the set has the start of a term.
func (o *openings) has(term []byte) bool {
	first := opening(term)
	return o[first/64]&(1<<(first%64)) != 0
}

// opening returns the first two bytes of a term as a number. Stemming keeps them, except
// that a second y may become an i.
func opening[T string | []byte](term T) int {
	switch {
	case len(term) < 2:
		return int(term[0]) << 8
	case term[1] == 'y':
		return int(term[0])<<8 | 'i'
	}
	return int(term[0])<<8 | int(term[1])
}

// each calls f for the matches in text, by ascending end.
func (m *Matcher) each(text string, f func(match)) {
	for _, p := range m.patterns {
		for i := range p.reached {
			p.reached[i].position = -1
		}
	}
	m.analyzer.Document(text, func(t analysis.Token) {
		taken := m.takers(t.Term)
		for i, at := range taken {
			p := m.patterns[at.pattern]
			start, whole := p.step(at.slot, t)
			// At a term only one match of a pattern ends.
			if whole && (i == 0 || taken[i-1] != at) {
				f(match{at.pattern, start, t.End})
			}
		}
	})
}

// takers returns the slots that match a term, by pattern; the later slots of a pattern come
// first, so that a term does not fill two slots in one step.
func (m *Matcher) takers(term []byte) []place {
	m.taken = m.taken[:0]
	if m.openings.has(term) {
		m.taken = append(m.taken, m.exact[string(term)]...)
		m.taken = append(m.taken, m.byStem(term)...)
		for _, b := range m.beginnings[term[0]] {
			if strings.HasPrefix(string(term), b.text) {
				m.taken = append(m.taken, b.at)
			}
		}
	}
	for _, b := range m.inside {
		if strings.Contains(string(term), b.text) {
			m.taken = append(m.taken, b.at)
		}
	}
	m.steps += len(m.taken)
	if len(m.taken) > 1 {
		slices.SortFunc(m.taken, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.pattern, b.pattern), cmp.Compare(b.slot, a.slot))
		})
	}
	return m.taken
}

// maxStemmed is the maximum number of terms that a matcher caches.
const maxStemmed = 4096

// byStem returns the slots that match the stem of a term.
func (m *Matcher) byStem(term []byte) []place {
	places, known := m.stemmed[string(term)]
	if !known {
		m.stem = analysis.Stem(m.stem[:0], term)
		if places = m.stems[string(m.stem)]; len(m.stemmed) < maxStemmed {
			m.stemmed[string(term)] = places
		}
	}
	return places
}

// step fills a slot of the pattern with a term. If a match ends there, it returns the start
// of the match.
func (p *pattern) step(i int, t analysis.Token) (start int, whole bool) {
	here := reached{t.Pos, t.Start}
	if i > 0 {
		before := p.reached[i-1]
		if before.position < 0 || before.position+p.slots[i].Offset-p.slots[i-1].Offset != t.Pos {
			return 0, false
		}
		here.start = before.start
	}
	p.reached[i] = here
	return here.start, i == len(p.slots)-1
}

// Found is an occurrence of a word or phrase of the query.
type Found struct {
	Leaf       string // as written in the query
	Start, End int    // bytes
}

// Find returns the occurrences of the query's words and phrases in text, by ascending end.
func (m *Matcher) Find(text string) []Found {
	var out []Found
	m.each(text, func(f match) { out = append(out, Found{m.patterns[f.pattern].leaf, f.start, f.end}) })
	return out
}
