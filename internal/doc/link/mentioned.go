package link

import (
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxNamedWords is the maximum number of words of a name that is searched for in a
// text.
const maxNamedWords = 8

// Mentioned returns, for each list of names, the lines of a text that contain
// one of them; see Finder.
func Mentioned(text string, names [][]string) [][]int {
	out := make([][]int, len(names))
	for list, lines := range NewFinder(names).In(text) {
		out[list] = lines
	}
	return out
}

// Finder searches texts for lists of names: as whole words, ignoring case, except that a
// name of one word must start like a name, with a capital or a digit. Names in scripts
// without blanks between words match anywhere. It is safe for concurrent use.
type Finder struct {
	words  map[string]int32 // numbers of the words of names, from 1
	next   map[prefix]int32 // names as a tree of words; 0 is its root
	lists  [][]int          // by the last node of a name
	joined []joinedName
}

// prefix is a node of the tree of names with the word that follows.
type prefix struct{ node, word int32 }

// joinedName is a name in a script without blanks between words.
type joinedName struct {
	name string
	list int
}

// NewFinder prepares lists of names.
func NewFinder(names [][]string) *Finder {
	n := &Finder{words: map[string]int32{}, next: map[prefix]int32{}, lists: [][]int{nil}}
	for i, list := range names {
		for _, name := range list {
			words := wordsOf(name)
			switch {
			case strings.Join(words, "") == "" || len(words) > maxNamedWords:
			case unparted(name):
				n.joined = append(n.joined, joinedName{name, i})
			default:
				n.add(words, i)
			}
		}
	}
	return n
}

// add adds a name from a list to the tree.
func (n *Finder) add(words []string, list int) {
	node := int32(0)
	for _, w := range words {
		if n.words[w] == 0 {
			n.words[w] = int32(len(n.words)) + 1
		}
		at := prefix{node, n.words[w]}
		if n.next[at] == 0 {
			n.next[at] = int32(len(n.lists))
			n.lists = append(n.lists, nil)
		}
		node = n.next[at]
	}
	n.lists[node] = append(n.lists[node], list)
}

// number returns the number of a word of a text, 0 if no name contains it. Most words
// consist of ASCII letters, which are folded without allocation.
func (n *Finder) number(word string) int32 {
	var folded [32]byte
	if len(word) > len(folded) {
		return n.words[fold(word)]
	}
	for i := range len(word) {
		c := word[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z':
		default:
			return n.words[fold(word)]
		}
		folded[i] = c
	}
	return n.words[string(folded[:len(word)])]
}

// In returns the lines of a text, from 1, that contain names, by the index of the names'
// list.
func (n *Finder) In(text string) map[int][]int {
	out := map[int][]int{}
	found := func(list, line int) {
		if have := out[list]; len(have) == 0 || have[len(have)-1] != line {
			out[list] = append(have, line)
		}
	}
	number := 0
	var words []int32 // of a line, 0 for words that no name contains
	for line := range strings.Lines(text) {
		number++
		all := fields(line)
		words = words[:0]
		for _, w := range all {
			words = append(words, n.number(w))
		}
		for from, w := range all {
			node := int32(0)
			for k, word := range words[from:] {
				if node = n.next[prefix{node, word}]; node == 0 {
					break
				}
				if k == 0 && !begins(w) {
					continue
				}
				for _, list := range n.lists[node] {
					found(list, number)
				}
			}
		}
		for _, j := range n.joined {
			if strings.Contains(line, j.name) {
				found(j.list, number)
			}
		}
	}
	return out
}

// IsSpecific reports whether a name is specific enough to search for in every
// text: it has three letters, or is in a script without blanks between words.
func IsSpecific(name string) bool {
	letters := 0
	for _, r := range name {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3 || unparted(name) && letters > 1
}

func fold(word string) string { return kb.NameKey(word) }

// fields returns the words of a text without surrounding punctuation.
func fields(text string) []string {
	out := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
	})
	for i, w := range out {
		out[i] = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	}
	return out
}

func wordsOf(name string) []string {
	out := fields(name)
	for i, w := range out {
		out[i] = fold(w)
	}
	return out
}

// begins reports whether a word may be a name by itself.
func begins(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r) || unicode.IsTitle(r) || unicode.IsDigit(r) || !unicode.IsLower(r)
	}
	return false
}

// unparted reports whether a name is in a script without blanks between words.
func unparted(name string) bool {
	const first = '\u0e00' // Thai is the first of these scripts
	return strings.ContainsFunc(name, func(r rune) bool {
		return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}
