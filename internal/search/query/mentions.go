package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is a run of words in a question that may be a name.
type Mention struct {
	Text   string // the words, without surrounding punctuation
	Proper bool   // a single word that is written like a name
	from   int    // number of its first word
	to     int    // number of the word after its last
}

const (
	// questionWords is the number of words of a question that are examined: names occur in
	// questions, not in documents pasted as a query.
	questionWords = 32
	// nameWords is the maximum number of words of a name. Titles may be longer, but a user
	// who types a whole title asks for the page itself.
	nameWords = 4
)

// Mentions returns possible names in a question, longer ones first, otherwise in order: runs
// of words in any letter case, which are names if a page has that name, and single
// capitalised words, which are names if they are part of a page's name. The first word of a
// question is always capitalised, so it is not a name by itself; neither are stopwords.
func Mentions(root Node) []Mention {
	words := plainWords(root)
	var out []Mention
	for n := min(nameWords, len(words)); n > 0; n-- {
		for from := 0; from+n <= len(words); from++ {
			run := words[from : from+n]
			if stops(run[0]) || stops(run[n-1]) || n == 1 && (from == 0 || !isProper(run[0])) {
				continue
			}
			out = append(out, Mention{Text: strings.Join(run, " "), Proper: n == 1, from: from, to: from + n})
		}
	}
	return out
}

// Overlaps reports whether two mentions share a word of the question.
func (m Mention) Overlaps(o Mention) bool { return m.from < o.to && o.from < m.to }

// Asks returns the types of pages that a question asks for, in lower case and in the
// singular: "who" asks for a person; other types are named, as in "which decisions".
func Asks(root Node) []string {
	var out []string
	add := func(kind string) {
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	for _, w := range plainWords(root) {
		switch w = strings.ToLower(w); w {
		case "who", "whom", "whose":
			add("person")
		case "where":
			add("place")
		default:
			if !stopwords[w] {
				add(Singular(w))
			}
		}
	}
	return out
}

// Singular removes the ending of an English plural from a word in lower case. It is used to
// compare names of types, so it need not always be correct.
func Singular(word string) string {
	switch stem, plural := strings.CutSuffix(word, "s"); {
	case word == "people":
		return "person"
	case !plural || strings.HasSuffix(stem, "s"):
		return word
	case strings.HasSuffix(stem, "ie"):
		return stem[:len(stem)-2] + "y"
	default:
		return stem
	}
}

// plainWords returns the first words of a question, up to the limit, without
// surrounding punctuation and possessive endings.
func plainWords(root Node) []string {
	var words []string
	for _, leaf := range Terms(root) {
		text := ""
		switch leaf := leaf.(type) {
		case *Word:
			if leaf.Prefix || leaf.Field != "" {
				continue
			}
			text = leaf.Text
		case *Phrase:
			if leaf.Field != "" {
				continue
			}
			text = leaf.Text
		}
		for _, w := range strings.Fields(text) {
			if w = bare(w); w != "" {
				words = append(words, w)
			}
		}
	}
	return words[:min(len(words), questionWords)]
}

func stops(word string) bool { return stopwords[strings.ToLower(word)] }

// isProper reports whether a word is spelled like a name.
func isProper(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

// bare returns a word without surrounding punctuation and the possessive ending.
func bare(word string) string {
	word = strings.TrimFunc(word, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
	for _, ending := range []string{"'s", "’s"} {
		word = strings.TrimSuffix(word, ending)
	}
	return word
}
