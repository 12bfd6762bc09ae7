package kb

import (
	"strings"
	"unicode"
)

// Invisible returns the first invisible character of a name: one without width,
// or one that changes the order of text. Two names that differ only in such
// characters look alike. Shaping characters are accepted where they have an
// effect: joiners count only outside emoji and scripts that join, variation
// selectors only after characters without variants.
func Invisible(name string) (rune, bool) {
	runes := []rune(name)
	for i, r := range runes {
		if r >= ' ' && r < 0x7f || !unseen(r) {
			continue
		}
		var before, after rune
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		if !shapes(r, before, after) {
			return r, true
		}
	}
	return 0, false
}

// WithoutInvisible returns a name without the characters that Invisible finds.
func WithoutInvisible(name string) string {
	for {
		r, found := Invisible(name)
		if !found {
			return name
		}
		name = strings.ReplaceAll(name, string(r), "")
	}
}

// unseen reports whether a character has no visible form.
func unseen(r rune) bool {
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r), r >= 0x13430 && r <= 0x1345f:
		return false // signs of Arabic numbers, of hieroglyphs
	case r == '\t', r == '\n', r == '\r':
		return false
	case r == 0x2028, r == 0x2029, r == 0x2800, unicode.IsControl(r):
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// shapes reports whether an invisible character changes the appearance of its
// neighbours.
func shapes(r, before, after rune) bool {
	const flag = 0x1f3f4
	switch {
	case r == 0x200d && (unicode.In(before, unicode.So, unicode.Sk) || before == 0xfe0f):
		return unicode.Is(unicode.So, after) // emoji composed of several characters
	case r == 0x200c, r == 0x200d:
		return joins(before) && (joins(after) || r == 0x200d)
	case r == 0xfe0e, r == 0xfe0f:
		return unicode.In(before, unicode.So, unicode.Sm) || before >= 0x80 && unicode.Is(unicode.Po, before) || after == 0x20e3
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case unicode.Is(unicode.Variation_Selector, r):
		return unicode.Is(unicode.Mongolian, before)
	case r >= 0xe0020 && r <= 0xe007f:
		return before == flag || before >= 0xe0020 && before <= 0xe007e // flags of regions
	}
	return false
}

// joins reports whether a character belongs to a script with joining letters.
func joins(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Common, unicode.Inherited)
}

// InLine returns a text in the form of a title: on one line, without invisible
// characters.
func InLine(text string) string {
	line := strings.Join(strings.Fields(WithoutInvisible(text)), " ")
	if line == text {
		return text // in memory already
	}
	return line
}
