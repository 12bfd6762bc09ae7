package autotag

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Most is the maximum number of tags for a text.
const Most = 5

// maxWords is the maximum number of words of a name.
const maxWords = 4

// maxText is the number of bytes of a text that are read: the subject is near
// its start.
const maxText = 32 << 10

// Known are the existing tags and names of a space.
type Known struct {
	Tags  []string
	Names []string // titles and aliases of pages, including those in Phrases
}

// Tags returns the tags of a text in order of relevance: tags of its author,
// known names of the space, proper names, identifiers.
func Tags(text string, known Known) []string {
	w := read(text)
	var out list
	out.add(w.hashed...)
	out.add(named(w, known.Tags, func(tag string) string { return tag })...)
	out.add(named(w, known.Names, Tag)...)
	out.add(w.proper()...)
	out.add(w.identifiers...)
	return out.tags[:min(len(out.tags), Most)]
}

// Phrases returns the parts of a text that may be the name of a page: its words, and its
// runs of up to four words.
func Phrases(text string) []string {
	w := read(text)
	var out []string
	seen := map[string]bool{}
	for i := range w.words {
		phrase := ""
		for n := i; n < len(w.words) && n < i+maxWords; n++ {
			if n > i && !w.words[n].follows {
				break
			}
			phrase = strings.TrimSpace(phrase + " " + w.words[n].text)
			if !seen[phrase] && utf8.RuneCountInString(phrase) >= minName {
				seen[phrase] = true
				out = append(out, phrase)
			}
		}
	}
	return out
}

// minName is the minimum number of letters of a name of one word.
const minName = 3

// Tag converts a name to a tag: lower case, with a hyphen between words.
func Tag(name string) string {
	fields := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
	})
	return strings.Join(fields, "-")
}

// list collects distinct tags.
type list struct {
	tags []string
	seen map[string]bool
}

func (l *list) add(tags ...string) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	for _, t := range tags {
		if key := kb.NameKey(t); key != "" && !l.has(key) {
			l.seen[key] = true
			l.tags = append(l.tags, t)
		}
	}
}

// has reports whether the list has a tag that equals key or contains its words.
func (l *list) has(key string) bool {
	for have := range l.seen {
		if strings.Contains("-"+have+"-", "-"+key+"-") {
			return true
		}
	}
	return false
}

// named returns the names that the text mentions as tags, the most frequent
// first, then by position.
func named(w reading, names []string, tag func(string) string) []string {
	type hit struct {
		tag       string
		n, at, by int
	}
	var hits []hit
	for _, name := range names {
		key := kb.NameKey(name)
		if strings.Contains(name, "/") || utf8.RuneCountInString(key) < 2 || stop[key] || isNumber(key) {
			continue
		}
		if n, at := w.mentions(key); n > 0 {
			hits = append(hits, hit{tag(name), n, at, len(key)})
		}
	}
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(y.n-x.n, x.at-y.at, y.by-x.by, cmp.Compare(x.tag, y.tag))
	})
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.tag
	}
	return out
}

func isNumber(key string) bool {
	return strings.IndexFunc(key, func(r rune) bool { return !unicode.IsDigit(r) && r != ' ' && r != '-' }) < 0
}
