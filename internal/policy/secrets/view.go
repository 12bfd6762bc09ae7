package secrets

import (
	"bytes"
	"html"
	"sort"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// view is a text as a reader or a program gets to see it, with the way back
// to the bytes that it was made of.
type view struct {
	text  []byte
	base  int    // where it begins in the source
	parts []part // in order; nil when nothing is encoded
	of    *view  // what its source is; nil for the text itself
}

// part is an encoded stretch: its decoded form at text[at:] was
// source[from:to]. Bytes between parts are copied.
type part struct {
	at, size, from, to int
}

// source returns the span of the encoded text that [start, end) is made of.
func (v *view) source(start, end int) (int, int) {
	from, _ := v.back(start)
	_, to := v.back(end - 1)
	if v.of != nil {
		return v.of.source(from, to)
	}
	return from, to
}

// back returns the bytes of the source that the byte at i is made of.
func (v *view) back(i int) (from, to int) {
	n := sort.Search(len(v.parts), func(n int) bool { return v.parts[n].at > i })
	if n == 0 {
		return v.base + i, v.base + i + 1
	}
	p := v.parts[n-1]
	if i < p.at+p.size {
		return p.from, p.to
	}
	i = p.to + i - p.at - p.size
	return i, i + 1
}

// Bounds on one view, so that a page of only escapes takes little memory.
const (
	maxParts  = 1 << 14
	viewReach = 4096 // bytes scanned before and after an encoded stretch
)

// form decodes one encoded stretch at text[i:]: it returns its length and its
// decoded form. A length of 0 means that there is none.
type form func(text []byte, i int) (int, []byte)

// views calls look with the decoded text around each encoded stretch: the
// escapes of Markdown, HTML, YAML, JSON and URLs, and the same of a mail in
// quoted-printable. Double encoding is decoded twice, such as a Markdown escape
// or an invisible character in a YAML string.
func views(text []byte, look func(*view)) {
	decode(text, encodes, readerForms[:], func(v *view) {
		look(v)
		decode(v.text, encodes, readerForms[:], func(again *view) {
			again.of = v
			look(again)
		})
	})
	decode(text, newCharset("="), []form{quotedPrintable}, look)
	folds(text, look)
}

// decode searches for forms, each of which begins with one of the bytes of
// starts.
func decode(text []byte, starts *charset, forms []form, look func(*view)) {
	var v *view
	done := 0 // text before is in v
	end := func(at int) {
		v.text = append(v.text, text[done:at]...)
		look(v)
		v = nil
	}
	for i := 0; i < len(text); {
		if !starts[text[i]] {
			i++
			continue
		}
		n, stands := 0, []byte(nil)
		for f := 0; f < len(forms) && n == 0; f++ {
			n, stands = forms[f](text, i)
		}
		switch {
		case n == 0:
			i++
			continue
		case v != nil && len(v.parts) == maxParts:
			end(i)
			i -= viewReach // parts never have more
			continue
		case v != nil && i-done > 2*viewReach:
			end(done + viewReach)
		}
		if v == nil {
			done = max(0, i-viewReach)
			v = &view{base: done, text: make([]byte, 0, min(len(text)-done, 4*viewReach))}
		}
		v.text = append(v.text, text[done:i]...)
		v.parts = append(v.parts, part{len(v.text), len(stands), i, i + n})
		v.text = append(v.text, stands...)
		i += n
		done = i
	}
	if v != nil {
		end(min(len(text), done+viewReach))
	}
}

// encodes are the bytes with which a form begins.
var encodes = newCharset("\\&%=<*_~[]", "\xe2\xc2\xef\xe1\xe3\xcd\xd8\xf0\xf3")

var readerForms = [...]form{backslash, entity, percent, markup, invisible, wide}

// backslash reads an escape of Markdown, of a string literal, or of the line
// end that a string or a command goes on behind.
func backslash(text []byte, i int) (int, []byte) {
	if text[i] != '\\' || i+1 >= len(text) {
		return 0, nil
	}
	b := text[i+1]
	switch {
	case b == 'u' && i+2 < len(text) && text[i+2] == '{':
		const longest = 6
		end := bytes.IndexByte(text[i+3:min(len(text), i+3+longest+1)], '}')
		if end < 0 {
			return 0, nil
		}
		return numbered(text[i:i+3+end+1], text[i+3:i+3+end], 16)
	case b == 'x':
		return digitsAfter(text, i, 2, 2, 16)
	case b == 'u':
		return digitsAfter(text, i, 2, 4, 16)
	case b == 'U':
		return digitsAfter(text, i, 2, 8, 16)
	case b >= '0' && b <= '3':
		return digitsAfter(text, i, 1, 3, 8)
	case isBreak(b):
		next := skipAny(text, i+1, "\r\n", 2)
		return skipAny(text, next, " \t", 80) - i, nil
	case b > ' ' && b < 0x7f && !alnum[b]:
		return 2, text[i+1 : i+2]
	}
	return 0, nil
}

// digitsAfter reads the escape at text[i:] that has so many digits behind a sign.
func digitsAfter(text []byte, i, sign, digits, base int) (int, []byte) {
	end := i + sign + digits
	if end > len(text) {
		return 0, nil
	}
	return numbered(text[i:end], text[i+sign:end], base)
}

// numbered returns the character of a numeric escape; nil for an invalid one.
func numbered(escape, digits []byte, base int) (int, []byte) {
	r, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || r < ' ' {
		return 0, nil
	}
	return len(escape), utf8.AppendRune(nil, rune(r))
}

// entity reads a character reference of HTML.
func entity(text []byte, i int) (int, []byte) {
	const longest = 32
	if text[i] != '&' {
		return 0, nil
	}
	end := bytes.IndexByte(text[i:min(len(text), i+longest)], ';')
	if end < 0 {
		return 0, nil
	}
	source := string(text[i : i+end+1])
	stands := html.UnescapeString(source)
	if stands == source {
		return 0, nil
	}
	if n, unseen := invisible([]byte(stands), 0); n == len(stands) {
		stands = string(unseen)
	}
	return end + 1, []byte(stands)
}

// percent reads a byte of a URL.
func percent(text []byte, i int) (int, []byte) { return hexByte(text, i, '%') }

// quotedPrintable reads a byte of a mail, or the end of a line that goes on.
func quotedPrintable(text []byte, i int) (int, []byte) {
	if text[i] == '=' && i+1 < len(text) && isBreak(text[i+1]) {
		return skipAny(text, i+1, "\r\n", 2) - i, nil
	}
	return hexByte(text, i, '=')
}

func hexByte(text []byte, i int, sign byte) (int, []byte) {
	if text[i] != sign || i+2 >= len(text) {
		return 0, nil
	}
	b, err := strconv.ParseUint(string(text[i+1:i+3]), 16, 8)
	if err != nil || b < ' ' {
		return 0, nil
	}
	return 3, []byte{byte(b)}
}

// markup reads what HTML and Markdown show nothing of within a word: a tag, a
// comment, the signs of emphasis.
func markup(text []byte, i int) (int, []byte) {
	const longest = 80
	switch text[i] {
	case '<':
		if i+1 < len(text) && (isLetter(text[i+1]) || text[i+1] == '/' || text[i+1] == '!') && (i == 0 || !isBlank(text[i-1])) {
			if end := bytes.IndexByte(text[i:min(len(text), i+longest)], '>'); end > 0 && bytes.IndexByte(text[i:i+end], '\n') < 0 {
				return end + 1, nil
			}
		}
	case '*':
		if end := skipAny(text, i, "*", 3); i > 0 && end < len(text) && (base64Any[text[i-1]] || base64Any[text[end]]) {
			return end - i, nil
		}
	case '~':
		return between(text, i, skipAny(text, i, "~", 2))
	case '=':
		if end := skipAny(text, i, "=", 2); end == i+2 {
			return between(text, i, end)
		}
	case '[':
		return between(text, i, i+1)
	case ']':
		return target(text, i, longest)
	}
	return 0, nil
}

// between skips signs in text[i:end] within a word.
func between(text []byte, i, end int) (int, []byte) {
	if i > 0 && end < len(text) && wordByte[text[i-1]] && wordByte[text[end]] {
		return end - i, nil
	}
	return 0, nil
}

// target skips the end of a link around a part of a word: its target is not
// shown.
func target(text []byte, i, longest int) (int, []byte) {
	closing := byte(')')
	switch {
	case i+1 < len(text) && text[i+1] == '(':
	case i+1 < len(text) && text[i+1] == '[':
		closing = ']'
	default:
		return between(text, i, i+1)
	}
	rest := text[i+2 : min(len(text), i+longest)]
	end := bytes.IndexByte(rest, closing)
	if end < 0 || bytes.IndexByte(rest[:end], '\n') >= 0 {
		return 0, nil
	}
	return between(text, i, i+2+end+1)
}

// invisible skips characters of no width, which are copied with their
// neighbours, and those that reverse the text.
func invisible(text []byte, i int) (int, []byte) {
	if text[i] < utf8.RuneSelf {
		return 0, nil
	}
	switch r, n := utf8.DecodeRune(text[i:]); {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r >= 0x180b && r <= 0x180f,
		r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0x3164,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, r >= 0xfff9 && r <= 0xfffb,
		r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return n, nil
	}
	return 0, nil
}

// wide decodes fullwidth ASCII letters, and mathematical bold, italic and
// script letters.
func wide(text []byte, i int) (int, []byte) {
	switch r, n := utf8.DecodeRune(text[i:]); {
	case r >= 0xff01 && r <= 0xff5e:
		return n, []byte{byte(r - 0xff01 + '!')}
	case r >= 0x1d400 && r <= 0x1d7ff:
		if plain := norm.NFKC.Bytes(text[i : i+n]); len(plain) == 1 {
			return n, plain
		}
	}
	return 0, nil
}
