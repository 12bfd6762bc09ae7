package space

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// How many characters a title that is made of a text has at most, and how many
// of it name the file.
const (
	maxTitle = 80
	maxName  = 60
)

// TitleOf makes a title of a text: its first sentence, without the tags at its
// end, or what of it fits.
func TitleOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = kb.WithoutInvisible(strings.TrimSpace(strings.TrimLeft(line, "#*->\t ")))
	words := strings.Fields(line[:sentence(line)])
	for n := len(words) - 1; n > 0 && len(words[n]) > 1 && words[n][0] == '#'; n-- {
		words = words[:n]
	}
	return shorten(strings.Join(words, " "), maxTitle)
}

// ShortName returns the start of a title that is used for the file name of a
// page with a title made from its text.
func ShortName(title string) string { return shorten(title, maxName) }

// shorten cuts a text to so many characters, between words where it can be.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) > limit {
		cut := string([]rune(text)[:limit+1])
		if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
			text = cut[:i]
		} else {
			text = string([]rune(text)[:limit])
		}
	}
	return strings.TrimRight(text, ".:;, ")
}

// sentence returns how much of a line its first sentence is, in bytes.
func sentence(line string) int {
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？", r):
			return end
		case !strings.ContainsRune(".!?…", r):
			continue
		}
		after := strings.TrimLeft(line[end:], `"')]*_`+"`”’»")
		next := strings.TrimLeftFunc(after, unicode.IsSpace)
		if next == "" || next == after {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(next); unicode.IsLower(first) || r == '.' && abbreviated(line[:i]) {
			continue
		}
		return len(line) - len(after)
	}
	return len(line)
}

// abbreviated reports whether the full stop after a text is that of its last
// word, as in "Dr." or "e.g.", or of its number, as in "1.".
func abbreviated(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	word = strings.TrimLeft(word, `"'([*_`)
	return utf8.RuneCountInString(word) < 2 || strings.Contains(word, ".") || word == text && strings.Trim(word, "0123456789") == "" ||
		slices.Contains([]string{"Dr", "Mr", "Mrs", "Ms", "Prof", "St", "vs", "No", "Nr", "cf", "ca", "al", "Jr", "Sr"}, word)
}
