package lifecycle

import "strings"

// Above these limits a new truth repeats the old one: the share of common
// words, and the similarity of the nearest passage.
const (
	SameWords   = 0.85
	SameMeaning = 0.95
)

// Words is the set of words of a text, separated by blanks, ignoring case.
type Words map[string]bool

// WordsOf returns the words of a text.
func WordsOf(text string) Words {
	set := Words{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		set[w] = true
	}
	return set
}

// Shared returns the Jaccard similarity of two texts: the share of common words.
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

// SharedWords returns Words.Shared of two texts.
func SharedWords(a, b string) float64 { return WordsOf(a).Shared(WordsOf(b)) }
