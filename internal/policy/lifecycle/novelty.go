package lifecycle

import "strings"

// Above these limits a new truth repeats the old one: the share of common
// words, and the similarity of the nearest passage.
const (
	SameWords   = 0.85
	SameMeaning = 0.95
)

// Words are the different words of a text, as blanks part them and without regard to case.
type Words map[string]bool

// WordsOf returns the words of a text.
func WordsOf(text string) Words {
	set := Words{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		set[w] = true
	}
	return set
}

// Shared is the Jaccard similarity of two texts: the share of their words that both have.
// Texts without words share nothing.
func (x Words) Shared(y Words) float64 {
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if all := len(x) + len(y) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// SharedWords is Words.Shared of two texts.
func SharedWords(a, b string) float64 { return WordsOf(a).Shared(WordsOf(b)) }
