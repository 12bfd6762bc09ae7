package retrieve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/language"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// What a word in another form of it weighs.
const (
	inflectionWeight = 0.9
	compoundWeight   = 0.8 // of one that holds all of the word
	maxVariants      = 48  // of a word
	leastStem        = 3   // letters that words with a stem have in common at least
	leastCommon      = 5   // letters that a compound has in common with a word, if not all of it
	maxEnding        = 3   // letters that may be an ending of a compound
	leastPart        = 4   // letters of a word that is looked for within compounds
)

// readLanguage finds out in which languages pages are, and in which the question is.
// Its function words count for nothing then where some of the words will do.
func (s *Search) readLanguage(ctx context.Context) (err error) {
	if s.languages, err = s.engine.Index.Text().Languages(ctx, s.tx.Lexical()); err != nil {
		return err
	}
	var words []string
	var a analysis.Analyzer
	a.Query(wordsOf(s.query.Root), func(t analysis.Token) { words = append(words, string(t.Term)) })
	if s.asked = language.Of(words, s.languages, query.IsStopword); s.asked != nil {
		s.query.Ignored = s.asked.Stopwords()
	} else if l := language.Of(words, language.All, query.IsStopword); l != nil && l.Stops(words) >= leastForeign {
		// Few pages are in it, so that its function words are rare and would decide.
		s.query.Ignored = l.Stopwords()
	}
	s.english = s.query.Ignored == nil && slices.ContainsFunc(words, query.IsStopword)
	return nil
}

// leastForeign is how many function words a question has that is in a language without pages:
// two may be English as well, as in "X is over".
const leastForeign = 3

// inLanguages returns a query with what its words are in the other languages of the
// memory: words with the same stem, and, in a loose query, compounds with parts of them.
func (s *Search) inLanguages(ctx context.Context, q query.Query, loose bool) (query.Query, error) {
	if len(s.languages) == 0 {
		return q, nil
	}
	var err error
	var long []*query.Word
	q.Root = query.MapWords(q.Root, func(w *query.Word) query.Node {
		term := termOf(w)
		if term == "" || err != nil {
			return w
		}
		out := *w
		for _, l := range s.tongues(term) {
			if err = s.sameStem(ctx, l, term, &out); err != nil {
				return w
			}
		}
		if loose && len([]rune(term)) >= leastPart {
			long = append(long, &out)
		}
		return &out
	})
	if err == nil && len(long) > 0 {
		err = s.compounds(ctx, long)
	}
	return q, err
}

// tongues returns the languages that a term may be of: that of the question, if it is known.
func (s *Search) tongues(term string) (out []*language.Language) {
	for _, l := range s.languages {
		if (s.asked == nil || s.asked == l) && l.Writes(term) && !l.IsStop(term) {
			out = append(out, l)
		}
	}
	return out
}

// termOf returns the term that a word is, if it is one of letters alone.
func termOf(w *query.Word) string {
	if w.Prefix || w.Infix {
		return ""
	}
	var a analysis.Analyzer
	slots := a.Pattern(w.Text, analysis.Inflected, analysis.Inflected)
	if len(slots) != 1 || slots[0].How != analysis.Inflected || analysis.HasUnspaced(w.Text) {
		return ""
	}
	if strings.ContainsFunc(slots[0].Term, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	return slots[0].Term
}

// sameStem adds to a word those that have its stem.
func (s *Search) sameStem(ctx context.Context, l *language.Language, term string, w *query.Word) error {
	stem := l.Stem(term)
	n := 0
	for n < len(stem) && n < len(term) && stem[n] == term[n] {
		n++
	}
	prefix := strings.ToValidUTF8(term[:n], "")
	if len([]rune(prefix)) < leastStem {
		return nil
	}
	forms, err := s.wordForms()
	if err != nil {
		return err
	}
	asked := languageTerm{l, term}
	same, known := forms.stems.Get(asked)
	if !known {
		err := s.engine.Index.Text().Vocabulary(ctx, s.tx.Lexical(), prefix, func(word []byte) bool {
			if t := string(word); t != term && l.Stem(t) == stem {
				same = append(same, t)
			}
			return len(same) < maxVariants
		})
		if err != nil {
			return err
		}
		forms.stems.Put(asked, same, maxForms)
	}
	for _, t := range same {
		if len(w.Also) < maxVariants && !slices.ContainsFunc(w.Also, func(v query.Variant) bool { return v.Term == t }) {
			w.Also = append(w.Also, query.Variant{Term: t, Weight: inflectionWeight})
		}
	}
	return nil
}

// languageTerm is a term as a word of a language.
type languageTerm struct {
	language *language.Language
	term     string
}

// fewWords is how many words without any function word may be of any language.
const fewWords = 2

// compounds adds to words the compounds that hold them, or a long part of them, in the
// languages that write compounds as one word. It reads the vocabulary once.
func (s *Search) compounds(ctx context.Context, words []*query.Word) error {
	compounding := slices.ContainsFunc(s.languages, func(l *language.Language) bool {
		return l.Compounds && (s.asked == l || s.asked == nil && !s.english && len(words) <= fewWords)
	})
	if !compounding {
		return nil
	}
	type target struct {
		word  *query.Word
		stem  string
		found map[string]float32
	}
	var targets []*target
	grams := map[string][]*target{}
	for _, w := range words {
		// Less of an ending than stemming takes: it knows no compounds.
		term := termOf(w)
		stem := term
		for _, l := range s.tongues(term) {
			if l.Compounds {
				stem = strings.ToValidUTF8(term[:min(len(term), max(len(l.Stem(term)), len(term)-maxEnding))], "")
			}
		}
		if len(stem) < leastPart {
			continue
		}
		targets = append(targets, &target{word: w, stem: stem})
	}
	forms, err := s.wordForms()
	if err != nil {
		return err
	}
	for _, t := range targets {
		var known bool
		if t.found, known = forms.holding.Get(t.stem); !known {
			t.found = map[string]float32{}
			for i := 0; i == 0 || i+leastCommon <= len(t.stem); i++ {
				gram := t.stem[i:min(i+leastCommon, len(t.stem))]
				grams[gram] = append(grams[gram], t)
			}
		}
	}
	if len(grams) > 0 {
		err = s.engine.Index.Text().Holding(ctx, s.tx.Lexical(), slices.Collect(maps.Keys(grams)), func(word []byte, gram string) {
			for _, t := range grams[gram] {
				if t.found[string(word)] == 0 {
					share := float32(longestCommon(t.stem, string(word))) / float32(len(t.stem))
					t.found[string(word)] = compoundWeight * share * share
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for _, t := range targets {
		forms.holding.Put(t.stem, t.found, maxForms)
		terms := slices.Collect(maps.Keys(t.found))
		slices.SortFunc(terms, func(a, b string) int { return cmp.Or(cmp.Compare(t.found[b], t.found[a]), cmp.Compare(a, b)) })
		own := termOf(t.word)
		for _, term := range terms[:min(len(terms), maxVariants)] {
			if term != own && !slices.ContainsFunc(t.word.Also, func(v query.Variant) bool { return v.Term == term }) {
				t.word.Also = append(t.word.Also, query.Variant{Term: term, Weight: t.found[term]})
			}
		}
	}
	return nil
}

// maxForms is the maximum number of words of each kind.
const maxForms = 1024

// wordForms remembers until the next commit which words of the memory have the stem of a word,
// and which hold it: a search asks for them several times, and the searches of a person who
// types have mostly the same words.
type wordForms struct {
	stems   store.Memo[languageTerm, []string]
	holding store.Memo[string, map[string]float32] // weights
}

func (s *Search) wordForms() (_ *wordForms, err error) {
	if s.forms == nil {
		s.forms, err = store.Keep(s.engine.Kept, s.mark, "word forms", func() (*wordForms, error) { return &wordForms{}, nil })
	}
	return s.forms, err
}

// longestCommon returns how long the longest text is that two hold, in bytes.
func longestCommon(a, b string) (most int) {
	row := make([]int, len(b)+1)
	for i := range len(a) {
		before := 0
		for j := range len(b) {
			here := row[j+1]
			row[j+1] = 0
			if a[i] == b[j] {
				row[j+1] = before + 1
				most = max(most, row[j+1])
			}
			before = here
		}
	}
	return most
}

// Bounds of the search for misspelt words.
const (
	leastMisspelt = 4 // letters
	twoEdits      = 8 // letters from which two edits count
	maxNearest    = 3 // words that are searched instead
	maxMissing    = 8 // words of a question that are looked for so: each reads the vocabulary

	maxCandidates = 32 // words as many edits away
)

// corrected returns the query with its misspelt words replaced: those that no page has, by
// the nearest words that pages have. It is so only where the query then has a page with all of its words,
// or had no word of any page: a question may hold words that pages do not.
func (s *Search) corrected(ctx context.Context) (query.Query, bool, error) {
	none := func(err error) (query.Query, bool, error) { return s.query, false, err }
	loose := s.query
	if q, ok := query.Relax(s.query); ok {
		loose = q
	}
	instead := map[string][]string{}
	words, missing := 0, 0
	for _, n := range query.Terms(loose.Root) {
		w, ok := n.(*query.Word)
		if !ok {
			return none(nil)
		}
		if words++; w.Field != "" || w.Prefix {
			continue
		}
		here, err := s.isHere(ctx, w)
		if err != nil {
			return none(err)
		}
		if here {
			continue
		}
		if missing++; missing > maxMissing {
			return none(nil)
		}
		if term := termOf(w); len([]rune(term)) >= leastMisspelt {
			if instead[w.Text], err = s.nearestWords(ctx, term); err != nil {
				return none(err)
			}
		}
		if len(instead[w.Text]) == 0 {
			return none(nil)
		}
	}
	if missing == 0 {
		return none(nil)
	}
	replace := func(w *query.Word) query.Node {
		var nodes []query.Node
		for _, text := range instead[w.Text] {
			nodes = append(nodes, &query.Word{Text: text, Field: w.Field})
		}
		switch len(nodes) {
		case 0:
			return w
		case 1:
			return nodes[0]
		}
		return &query.Or{Nodes: nodes}
	}
	if missing < words {
		var all []query.Node
		for _, n := range query.Terms(loose.Root) {
			all = append(all, query.MapWords(n, replace))
		}
		if found, err := s.holds(ctx, &query.And{Nodes: all}); err != nil || !found {
			return none(err)
		}
	}
	q := s.query
	q.Root = query.MapWords(q.Root, replace)
	for _, text := range slices.Sorted(maps.Keys(instead)) {
		s.note("no page has %q: searched for %s", text, strings.Join(instead[text], ", "))
	}
	return q, true, nil
}

// isHere reports whether a page has a word, another form of it, or one that begins with it.
func (s *Search) isHere(ctx context.Context, w *query.Word) (bool, error) {
	q, err := s.inLanguages(ctx, query.Query{Root: w}, false)
	if err != nil {
		return false, err
	}
	if found, err := s.holds(ctx, q.Root); found || err != nil {
		return found, err
	}
	term, here := termOf(w), false
	if term == "" {
		return true, nil // not one that can be misspelt
	}
	err = s.engine.Index.Text().Vocabulary(ctx, s.tx.Lexical(), term, func([]byte) bool {
		here = true
		return false
	})
	return here, err
}

// holds reports whether a query finds a page.
func (s *Search) holds(ctx context.Context, root query.Node) (bool, error) {
	found, err := s.engine.Index.Text().Search(ctx, s.tx.Lexical(), root, lexical.Options{Count: 1, Allowed: s.allowed, Filter: s.filter})
	if err != nil {
		return false, err
	}
	return found.Total > 0, nil
}

// nearestWords returns the words of pages that may be found that are the fewest edits away
// from a term. The vocabulary is that of all spaces: a word that only others have is none.
func (s *Search) nearestWords(ctx context.Context, term string) (near []string, err error) {
	typed, most := []rune(term), 1
	if len(typed) >= twoEdits {
		most = 2
	}
	at := make([][]string, most+1) // by edits
	err = s.engine.Index.Text().Similar(ctx, s.tx.Lexical(), term, most, func(word []byte) {
		n := edits(typed, []rune(string(word)), most)
		if n > 0 && n <= most && len(at[n]) < maxCandidates && !slices.Contains(at[n], string(word)) {
			at[n] = append(at[n], string(word))
		}
	})
	for _, words := range at {
		for _, word := range words {
			if err != nil || len(near) == maxNearest {
				return near, err
			}
			var found bool
			if found, err = s.holds(ctx, &query.Word{Text: word}); found {
				near = append(near, word)
			}
		}
		if len(near) > 0 {
			break
		}
	}
	return near, err
}

// edits returns how many letters are changed, left out, added or swapped with the next
// between two words; more than most where they are more.
func edits(a, b []rune, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	var older, old, row []int
	for i := 0; i <= len(a); i++ {
		row = make([]int, len(b)+1)
		best := most + 1
		for j := range row {
			switch {
			case i == 0:
				row[j] = j
			case j == 0:
				row[j] = i
			default:
				row[j] = min(old[j]+1, row[j-1]+1)
				if a[i-1] == b[j-1] {
					row[j] = min(row[j], old[j-1])
				} else {
					row[j] = min(row[j], old[j-1]+1)
				}
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					row[j] = min(row[j], older[j-2]+1)
				}
			}
			best = min(best, row[j])
		}
		if best > most {
			return most + 1
		}
		older, old = old, row
	}
	return row[len(b)]
}
