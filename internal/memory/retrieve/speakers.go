package retrieve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/search/query"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// spoken matches the beginning of a line that names its speaker, as dialogues and minutes
// have them: "- [D1:3] Caroline: I went", "**Ann Lee:** yes", "[10:02] Bo (chair): next".
var spoken = lazyregexp.New(`^(?:[-*+>]\s+)?(?:\[[^\]\n]{1,20}\]\s*|\d{1,2}:\d\d(?::\d\d)?\s+)?[*_]{0,2}(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2})(?: \([^)\n]{1,30}\))?[*_]{0,2}:[*_]{0,2}\s`)

// leastSpoken is how many passages of a page name a speaker, from which on it is a dialogue:
// a line that begins with "Note:" names none.
const leastSpoken = 3

// speakerOf returns the speaker that a passage names, "" for none.
func speakerOf(text string) string {
	if m := spoken().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// nameMarks are the signs around a word of a question that are not of a name.
const nameMarks = ".,;:!?\"()'’"

// bareName returns a word of a question without signs around it and a possessive ending.
func bareName(word string) string {
	word = strings.Trim(word, nameMarks)
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

// askedNames returns the capitalised words of a question after the first, in lower case.
func askedNames(root query.Node) map[string]bool {
	names := map[string]bool{}
	for i, n := range query.Terms(root) {
		w, ok := n.(*query.Word)
		if !ok || w.Prefix {
			continue
		}
		text := bareName(w.Text)
		if first, _ := utf8.DecodeRuneInString(text); i > 0 && unicode.IsUpper(first) && !query.IsStopword(strings.ToLower(text)) {
			names[strings.ToLower(text)] = true
		}
	}
	return names
}

// speaks reports whether names have one of a speaker.
func speaks(names map[string]bool, speaker string) bool {
	for part := range strings.FieldsSeq(strings.ToLower(speaker)) {
		if names[part] {
			return true
		}
	}
	return false
}
