package query

import (
	"slices"
	"strings"
)

// Shared returns the words of a question, in lower case and in the singular, that are also
// words of a name. Stopwords are left out.
func Shared(root Node, name []string) (out []string) {
	of := bases(name)
	for _, w := range plainWords(root) {
		if b := base(w); !stops(w) && slices.Contains(of, b) && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// Rest returns the text of a question without names, which are words returned by Shared.
// asks is false if only stopwords are left.
func Rest(root Node, names []string) (text string, asks bool) {
	var rest []string
	for _, w := range plainWords(root) {
		if slices.Contains(names, base(w)) {
			continue
		}
		rest = append(rest, w)
		asks = asks || !stops(w)
	}
	return strings.Join(rest, " "), asks
}

// Beyond reports whether a text has words other than those of a name and stopwords.
func Beyond(text string, name []string) bool {
	of := bases(name)
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		b := base(w)
		return b != "" && !stops(b) && !slices.Contains(of, b)
	})
}

// Mentioned reports whether a text contains one of the names, which are words returned by
// Shared.
func Mentioned(text string, names []string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return slices.Contains(names, base(w)) })
}

// AsksInWords reports whether a query is more than a name or a keyword: three words or more.
func AsksInWords(root Node) bool { return len(plainWords(root)) >= 3 }

func bases(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = base(w)
	}
	return out
}

// base returns a word in lower case and in the singular, without punctuation.
func base(word string) string { return Singular(strings.ToLower(bare(word))) }
