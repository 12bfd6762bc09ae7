package markdown

import (
	"bytes"
	"html"
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// maxParens is the maximum nesting of parentheses in a link's destination (CommonMark allows
// 32).
const maxParens = 32

// destination reads "dest "title")" from at, which is after the opening parenthesis. It
// returns the span of the destination without angle brackets and the offset after the
// closing parenthesis.
func (s *linkScanner) destination(at int) (dest doc.Span, end int, ok bool) {
	at = s.space(at)
	dest, at, ok = s.bareDestination(at, s.end)
	if !ok {
		return dest, 0, false
	}
	next := s.space(at)
	if next > at {
		if next, ok = s.title(next); !ok {
			return dest, 0, false
		}
	}
	next = s.space(next)
	return dest, next + 1, s.at(next) == ')'
}

// bareDestination reads a destination, in angle brackets or without blanks.
func (s *linkScanner) bareDestination(at, end int) (dest doc.Span, next int, ok bool) {
	if at < end && s.text[at] == '<' {
		for i := at + 1; i < end; i++ {
			switch s.text[i] {
			case '\\':
				i++
			case '>':
				return doc.Span{Start: at + 1, End: i}, i + 1, true
			case '<', '\n':
				return dest, 0, false
			}
		}
		return dest, 0, false
	}
	depth := 0
	i := at
scan:
	for ; i < end; i++ {
		switch c := s.text[i]; {
		case c <= ' ':
			break scan
		case c == '\\' && i+1 < end && s.text[i+1] > ' ':
			i++
		case c == '(':
			if depth++; depth > maxParens {
				return dest, 0, false
			}
		case c == ')':
			if depth == 0 {
				break scan
			}
			depth--
		}
	}
	i = min(i, end)
	return doc.Span{Start: at, End: i}, i, depth == 0
}

// title skips a title, if there is one.
func (s *linkScanner) title(at int) (next int, ok bool) {
	var closer byte
	switch s.at(at) {
	case '"', '\'':
		closer = s.text[at]
	case '(':
		closer = ')'
	default:
		return at, true
	}
	for i := at + 1; i < s.end; i++ {
		switch s.text[i] {
		case '\\':
			i++
		case closer:
			return i + 1, true
		case '(':
			if closer == ')' {
				return 0, false
			}
		}
	}
	return 0, false
}

func (s *linkScanner) space(at int) int {
	for at < s.end && (s.text[at] == ' ' || s.text[at] == '\t' || s.text[at] == '\n' || s.text[at] == '\r') {
		at++
	}
	return at
}

// target parses a destination as a link to another page, if it can be one; one to another file
// is kept in files:
//
//   - relative, or from the root of the space with a page's extension; not a
//     URL
//   - with a page's extension or none; an image needs one, but in a vault of Obsidian
//   - not a directory: one that ends in "/" names no page
//   - not empty: "#anchor" is in the same page
//
// The part from "?" on is not part of the path.
func (s *linkScanner) target(dest doc.Span, image bool) (doc.Target, bool) {
	raw := s.text[dest.Start:dest.End]
	if name := string(raw); strings.HasPrefix(name, doc.DenoteScheme) && len(name) < maxWiki {
		return doc.Target{Kind: doc.OrgCite, Raw: name, Name: name, NameAt: dest}, !image
	}
	if len(raw) == 0 || len(raw) > maxWiki || isURL(raw) {
		return doc.Target{}, false
	}
	var anchor string
	if i := bytes.IndexByte(raw, '#'); i >= 0 {
		raw, anchor = raw[:i], string(raw[i+1:])
	}
	if i := bytes.IndexByte(raw, '?'); i >= 0 {
		raw = raw[:i]
	}
	if len(raw) == 0 || bytes.IndexByte(raw, '\n') >= 0 {
		return doc.Target{}, false
	}
	name := strings.TrimSpace(decode(string(raw)))
	base := name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	page := true
	switch {
	case base == "" || base == "." || base == "..":
		return doc.Target{}, false
	case dot > 0 && doc.IsPage(base):
	case dot >= 0 && name[0] != '/':
		page = false
	case dot >= 0 || image && !s.syntax.Vault || name[0] == '/':
		return doc.Target{}, false
	}
	t := doc.Target{
		Kind: doc.MarkLink, Raw: string(raw), Name: name, Heading: decode(anchor),
		NameAt: doc.Span{Start: dest.Start, End: dest.Start + len(raw)},
	}
	if !page {
		s.files = append(s.files, t)
	}
	return t, page
}

// isURL reports whether a destination starts with a scheme or a host.
func isURL(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte("//")) {
		return true
	}
	for i, c := range raw {
		switch {
		case c == ':':
			return i > 0
		case isLetter(c) || i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

// decode decodes backslashes, character references and percent signs. Malformed ones stay.
func decode(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	if strings.IndexByte(s, '%') >= 0 {
		if u, err := url.PathUnescape(s); err == nil {
			s = u
		}
	}
	return s
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7F && !isLetter(c) && !isDigit(c)
}
