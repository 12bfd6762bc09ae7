package remote

import (
	"unicode"
	"unicode/utf8"
)

// Estimate returns an approximate number of tokens of a text. The vocabulary of
// a remote model is unknown, so this count is seldom too low for common ones
// (WordPiece, SentencePiece and byte-pair encodings of about 30,000 pieces or
// more): too high costs a smaller chunk, too low a refused request.
//
//   - a run of ASCII letters: one for every 5 letters, rounded up, since common
//     words are one token and rare ones are split into pieces of 3 to 5;
//   - a run of ASCII digits: one for every 2, rounded up;
//   - a run of other alphabetic letters (accented, Cyrillic, Greek, …): one
//     for every 2, rounded up;
//   - any other character: one; with more than three bytes, as emoji, two;
//   - white space: none, but each line feed one, because byte-pair encodings
//     keep them.
//
// It is never more than the number of bytes, and 0 for white space without line
// feeds.
func Estimate(text string) int {
	tokens, run := 0, 0
	kind := outside
	for _, r := range text {
		next := kindOf(r)
		if next != kind {
			run, kind = 0, next
		}
		if size := runLengths[kind]; size > 0 {
			if run%size == 0 {
				tokens++
			}
			run++
			continue
		}
		switch {
		case r == '\n':
			tokens++
		case kind == blank:
		case utf8.RuneLen(r) > 3:
			tokens += 2
		default:
			tokens++
		}
	}
	return tokens
}

// runeKind is the kind of a character in Estimate.
type runeKind int

const (
	outside runeKind = iota // before the first character
	blank
	letter
	digit
	foreign
	other
)

// runLengths is the number of characters per token, for the kinds that are
// counted in runs.
var runLengths = [...]int{letter: 5, digit: 2, foreign: 2, other: 0}

func kindOf(r rune) runeKind {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return letter
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf && r != ' ' && (r < '\t' || r > '\r'):
		return other
	case unicode.IsSpace(r):
		return blank
	// Scripts without spaces have about one token per character.
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return other
	case unicode.IsLetter(r), unicode.IsMark(r):
		return foreign
	}
	return other
}
