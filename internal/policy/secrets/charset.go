package secrets

import "bytes"

// charset is a set of bytes.
type charset [256]bool

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

func newCharset(members ...string) *charset {
	var c charset
	for _, m := range members {
		for i := range len(m) {
			c[m[i]] = true
		}
	}
	return &c
}

// printableExcept returns every byte that is neither blank nor control nor
// one of those given.
func printableExcept(others string) *charset {
	var c charset
	for b := range c {
		c[b] = b > ' ' && b != 0x7f
	}
	for i := range len(others) {
		c[others[i]] = false
	}
	return &c
}

var (
	alnum      = newCharset(lower, upper, digits)
	hexDigits  = newCharset(digits, "abcdefABCDEF")
	wordByte   = newCharset(lower, upper, digits, "_")
	hexGroups  = newCharset(digits, "abcdefABCDEF-:")
	base64URL  = newCharset(lower, upper, digits, "_-")
	base64Std  = newCharset(lower, upper, digits, "+/")
	base64Any  = newCharset(lower, upper, digits, "+/_-=")
	base64Run  = newCharset(lower, upper, digits, "+/_-")
	codedEnds  = newCharset("\r\n\"'`<)")
	opaque     = newCharset(lower, upper, digits, "_-.=+/~:%")
	decimals   = newCharset(digits)
	capitals   = newCharset(upper)
	smalls     = newCharset(lower)
	smallWords = newCharset(lower, "-")
	numbers    = newCharset(digits, "-")
	hostBytes  = newCharset(lower, digits, ".-")
	underlines = newCharset("_")
	colours    = newCharset(digits, ";")
)

// maxUnderlines is how many signs of emphasis are around a word.
const maxUnderlines = 3

// run returns the end of the run of members of c that starts at i, looking at
// limit bytes at most.
func (c *charset) run(text []byte, i, limit int) int {
	end := min(len(text), i+limit)
	for i < end && c[text[i]] {
		i++
	}
	return i
}

// find returns the first place of a member in text[i:end], or end.
func (c *charset) find(text []byte, i, end int) int {
	for i < end && !c[text[i]] {
		i++
	}
	return min(i, end)
}

// back returns the start of the run of members of c that ends at i, looking
// at limit bytes at most.
func (c *charset) back(text []byte, i, limit int) int {
	start := max(0, i-limit)
	for i > start && c[text[i-1]] {
		i--
	}
	return i
}

// ends reports whether a value of the characters in c with maximum length ends
// at i: there, or at the full stop of a sentence, an underline or a comment's end.
func (c *charset) ends(text []byte, i int) bool {
	if i < len(text) && text[i] == '.' && (i+1 == len(text) || !c[text[i+1]]) || bytes.HasPrefix(text[i:], []byte("-->")) {
		return true
	}
	i = underlines.run(text, i, maxUnderlines)
	return i >= len(text) || !c[text[i]] && !wordByte[text[i]]
}

// all reports whether every byte of v is a member.
func (c *charset) all(v []byte) bool {
	for _, b := range v {
		if !c[b] {
			return false
		}
	}
	return true
}

// startsWord reports whether a value may start at i: nothing before it
// belongs to the same word. An escape such as \n, %3D or one for a colour ends a word
// although its last byte is a letter, and an underline emphasises it.
func startsWord(text []byte, i int) bool {
	i = underlines.back(text, i, maxUnderlines)
	if i == 0 || !wordByte[text[i-1]] {
		return true
	}
	if at := colours.back(text, i-1, len("38;5;255")); text[i-1] == 'm' && at > 0 && text[at-1] == '[' {
		return true
	}
	if i >= 2 && text[i-2] == '\\' {
		b := text[i-1]
		return b == 'n' || b == 'r' || b == 't'
	}
	return i >= 3 && text[i-3] == '%' && hexDigits[text[i-2]] && hexDigits[text[i-1]]
}

// endsWord reports whether a value may end at i.
func endsWord(text []byte, i int) bool {
	return i >= len(text) || !wordByte[text[i]]
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isUpper(b byte) bool  { return 'A' <= b && b <= 'Z' }
func isBlank(b byte) bool  { return b == ' ' || b == '\t' }
func isBreak(b byte) bool  { return b == '\n' || b == '\r' }
