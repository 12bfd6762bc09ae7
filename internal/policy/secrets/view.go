package secrets

import (
	"bytes"
	"html"
	"slices"
	"sort"
	"strconv"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// view is a text as a reader or a program gets to see it, with the way back
// to the bytes that it was made of.
type view struct {
	text  []byte
	base  int     // where it begins in the source
	parts []part  // in order; nil when nothing is encoded
	of    *view   // its source; nil for the text itself
	marks []marks // positions of anchors, by index
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

// mark finds the anchors of each index. Where a view is a copy of its source, it
// takes over those of the source.
func (v *view) mark(indexes []*index) {
	v.marks = slices.Grow(v.marks[:0], len(indexes))[:len(indexes)]
	for n, x := range indexes {
		m := v.marks[n].room(len(v.text))
		v.marks[n] = m
		if v.of == nil {
			x.mark(v.text, m, 0, len(v.text))
			continue
		}
		at, from := 0, v.base // text[at:] is a copy of what begins at from in the source
		copied := func(end int) {
			v.of.marks[n].each(from, from+end-at, func(i int) bool {
				m.set(i - from + at)
				return true
			})
		}
		for _, p := range v.parts {
			// An anchor that begins here may end in the part or after it.
			reach := max(at, p.at-x.longest+1)
			copied(reach)
			x.mark(v.text, m, reach, p.at+p.size)
			at, from = p.at+p.size, p.to
		}
		copied(len(v.text))
	}
}

// form decodes one encoded stretch at text[i:]: it returns its length and its
// decoded form. A length of 0 means that there is none. It reads less than
// formReach bytes behind i, and one before.
type form func(text []byte, i int) (int, []byte)

const formReach = 128

// views calls look with the decoded text around each encoded stretch: the
// escapes of Markdown, HTML, YAML, JSON and URLs, and the same of a mail in
// quoted-printable. Double encoding is decoded twice, such as a Markdown escape
// or an invisible character in a YAML string.
func (v *view) views(look func(*view)) {
	v.decode(readerBytes, reader, func(once *view) {
		look(once)
		once.decode(readerBytes, reader, look)
	})
	v.decode(mailBytes, quotedPrintable, look)
	folds(v.text, look)
	coded(v.text, look)
}

// decode searches for forms, each of which begins with one of the bytes of
// starts.
func (v *view) decode(starts *charset, read form, look func(*view)) {
	text := v.text
	var out *view
	done := 0 // text before is in out
	end := func(at int) {
		out.text = append(out.text, text[done:at]...)
		look(out)
		out.of = nil
		spare.Put(out)
		out = nil
	}
	for i := v.next(starts, 0); i < len(text); {
		n, decoded := read(text, i)
		switch {
		case n == 0:
			i = v.next(starts, i+1)
			continue
		case out != nil && len(out.parts) == maxParts:
			end(i)
			i = v.next(starts, i-viewReach) // parts never have more
			continue
		case out != nil && i-done > 2*viewReach:
			end(done + viewReach)
		}
		if out == nil {
			done = max(0, i-viewReach)
			out = spare.Get().(*view)
			out.of, out.base, out.text, out.parts = v, done, out.text[:0], out.parts[:0]
		}
		out.text = append(out.text, text[done:i]...)
		out.parts = append(out.parts, part{len(out.text), len(decoded), i, i + n})
		out.text = append(out.text, decoded...)
		done = i + n
		i = v.next(starts, done)
	}
	if out != nil {
		end(min(len(text), done+viewReach))
	}
}

// spare are views that were looked at: a page of escapes has hundreds.
var spare = sync.Pool{New: func() any { return new(view) }}

// next returns the first position from i on at which a form may begin. In a view
// that is its beginning, or a position from which a form reads some of a part:
// there are no forms elsewhere, or they would have been decoded in the source.
func (v *view) next(starts *charset, i int) int {
	switch {
	case v.of == nil && starts == mailBytes:
		if n := bytes.IndexByte(v.text[i:], '='); n >= 0 {
			return i + n
		}
		return len(v.text)
	case v.of == nil:
		return starts.find(v.text, i, len(v.text))
	case i == 0 && len(v.text) > 0 && starts[v.text[0]]:
		return 0
	}
	n := sort.Search(len(v.parts), func(n int) bool { return v.parts[n].at+v.parts[n].size >= i })
	for ; n < len(v.parts); n++ {
		p := v.parts[n]
		i = max(i, p.at-formReach)
		end := min(len(v.text), p.at+p.size+1)
		if i = starts.find(v.text, i, end); i < end {
			return i
		}
	}
	return len(v.text)
}

// The bytes with which a form begins.
var (
	readerBytes = newCharset("\\&%=<*~[]", "\xe2\xc2\xef\xe1\xe3\xcd\xd8\xf0\xf3")
	mailBytes   = newCharset("=")
)

// reader decodes the forms that a reader does not see.
func reader(text []byte, i int) (int, []byte) {
	switch b := text[i]; {
	case b == '\\':
		return backslash(text, i)
	case b == '&':
		return entity(text, i)
	case b == '%':
		return percent(text, i)
	case b < utf8.RuneSelf:
		return markup(text, i)
	}
	if n, _ := invisible(text, i); n > 0 {
		return n, nil
	}
	return wide(text, i)
}

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
	decoded := html.UnescapeString(source)
	if decoded == source {
		return 0, nil
	}
	if n, unseen := invisible([]byte(decoded), 0); n == len(decoded) {
		decoded = string(unseen)
	}
	return end + 1, []byte(decoded)
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
