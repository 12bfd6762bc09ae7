package lifecycle

import "strings"

// Above these a new truth says nothing that the old one does not: by the words that the
// two share, and by the meaning of what is nearest to it.
const (
	SameWords   = 0.85
	SameMeaning = 0.95
)

// SharedWords is the Jaccard similarity of two texts: of their different words, as blanks
// part them and without regard to case, the share that both have. Texts without words
// share nothing.
func SharedWords(a, b string) float64 {
	words := func(text string) map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			set[w] = true
		}
		return set
	}
	x, y := words(a), words(b)
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
