package link

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxNamedWords is how many words a name has at most that is looked for in a text.
const maxNamedWords = 8

// Mentioned returns, for each list of names, the lines of a text, from 1, in which one of
// them stands: as whole words, without regard to case, but a name of one word only where
// it begins as a name does, with a capital or a digit. Names in scripts that part no
// words are found anywhere.
func Mentioned(text string, names [][]string) [][]int {
	words := map[string][]int{} // lists by name
	var joined []struct {
		name string
		list int
	}
	for i, list := range names {
		for _, name := range list {
			switch key := strings.Join(wordsOf(name), " "); {
			case key == "":
			case unparted(name):
				joined = append(joined, struct {
					name string
					list int
				}{name, i})
			default:
				words[key] = append(words[key], i)
			}
		}
	}
	out := make([][]int, len(names))
	found := func(list, line int) {
		if n := len(out[list]); n == 0 || out[list][n-1] != line {
			out[list] = append(out[list], line)
		}
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		all := fields(line)
		for from := range all {
			key := ""
			for n := 0; n < maxNamedWords && from+n < len(all); n++ {
				if n > 0 {
					key += " "
				}
				key += fold(all[from+n])
				if n == 0 && !begins(all[from]) {
					continue
				}
				for _, list := range words[key] {
					found(list, number)
				}
			}
		}
		for _, j := range joined {
			if strings.Contains(line, j.name) {
				found(j.list, number)
			}
		}
	}
	return out
}

func fold(word string) string { return kb.NameKey(word) }

// fields are the words of a text, without what stands around them.
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

// unparted reports whether a name is in a script that parts no words.
func unparted(name string) bool {
	return slices.ContainsFunc([]rune(name), func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}
