package analysis

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folder folds words that are not ASCII.
type folder struct{ decomposed, bare []byte }

// append appends the folded form of word to dst, cut to MaxTerm bytes. It is empty for words
// that consist of marks.
func (f *folder) append(dst []byte, word string) []byte {
	if len(word) > 8*MaxTerm {
		// Far more than fits into a term: the rest is ignored.
		n := 8 * MaxTerm
		for !utf8.RuneStart(word[n]) {
			n--
		}
		word = word[:n]
	}
	f.decomposed = norm.NFKD.AppendString(f.decomposed[:0], word)
	f.bare = f.bare[:0]
	for i := 0; i < len(f.decomposed); {
		r, size := utf8.DecodeRune(f.decomposed[i:])
		i += size
		if accent(r) || !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			continue
		}
		// Upper case first: it unites the forms of sigma and the two i.
		r = unicode.ToLower(unicode.ToUpper(r))
		if plain, ok := plainLetters[r]; ok {
			f.bare = append(f.bare, plain...)
			continue
		}
		f.bare = utf8.AppendRune(f.bare, r)
	}
	start := len(dst)
	dst = norm.NFC.Append(dst, f.bare...)
	return dst[:start+len(cut(dst[start:]))]
}

// accent reports whether r is a mark that people omit when they type. The vowel signs of
// Indic scripts are marks, too, but are not omitted.
func accent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, // Latin, Greek, Cyrillic
		r >= 0x483 && r <= 0x489, // Cyrillic
		r >= 0x591 && r <= 0x5C7, // Hebrew points
		r >= 0x610 && r <= 0x61A, // Arabic
		r >= 0x64B && r <= 0x65F, // Arabic vowels
		r == 0x670, r == 0x640,   // Arabic superscript alef, stretching
		r >= 0x6D6 && r <= 0x6ED,   // Arabic, of the Quran
		r >= 0x1AB0 && r <= 0x1AFF, // extended
		r >= 0x1DC0 && r <= 0x1DFF, // supplement
		r >= 0x20D0 && r <= 0x20FF, // for symbols
		r >= 0xFE00 && r <= 0xFE0F, // variation selectors
		r >= 0xFE20 && r <= 0xFE2F: // half marks
		return true
	}
	return false
}

// plainLetters maps letters that do not decompose to the way in which they are typed without
// a suitable keyboard.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h",
	'ł': "l", 'ŧ': "t", 'þ': "th", 'ŋ': "n", 'ı': "i", 'ĸ': "k",
}
