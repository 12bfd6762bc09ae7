package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteLetters are the letters that encode bytes in the files of byte-level models: printable
// Latin-1 characters encode themselves, the others are numbered from U+0100.
var byteLetters = func() (letters [256]rune) {
	others := rune(0x100)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b {
			letters[b] = b
			continue
		}
		letters[b] = others
		others++
	}
	return letters
}()

// letterBytes is the inverse of byteLetters.
var letterBytes = func() map[rune]byte {
	bytes := make(map[rune]byte, len(byteLetters))
	for b, letter := range byteLetters {
		bytes[letter] = byte(b)
	}
	return bytes
}()

// fromLetters decodes a word of these letters to bytes.
func fromLetters(word string) (raw string, ok bool) {
	var b strings.Builder
	for _, r := range word {
		c, ok := letterBytes[r]
		if !ok {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// contractions are the endings of English words that are separate words.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// wordSize returns the length in bytes of the first word of a text, by GPT-2's
// pattern: a contraction; letters, digits, or other characters, each with one
// optional leading space; or white space, with its last character left to the
// next word.
func wordSize(text string) int {
	for _, c := range contractions {
		if strings.HasPrefix(text, c) {
			return len(c)
		}
	}
	space := 0
	if text[0] == ' ' && len(text) > 1 {
		space = 1
	}
	r, size := utf8.DecodeRuneInString(text[space:])
	kind := kindOf(r)
	end := space + size
	if kind == blank {
		space, end = 0, 0
	}
	last := 0 // where the last character starts
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if kindOf(r) != kind {
			if kind == blank && last > 0 {
				return last
			}
			return end
		}
		last = end
		end += size
	}
	return end
}

// kind is the class of a character in GPT-2's pattern.
type kind uint8

const (
	other kind = iota
	letter
	digit
	blank
)

func kindOf(r rune) kind {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.IsSpace(r):
		return blank
	}
	return other
}
