package doc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PropertyValue is a value of a property, in the frontmatter or drawer, or inline in the
// text as "key:: value". A property with a list of values has one PropertyValue for each.
type PropertyValue struct {
	Key    string // as written, without emphasis; keys of nested maps are joined with "."
	Value  string // one line, trimmed, links and other markup as written; never ""
	Inline bool   // written in the text
	Span   Span   // lines of the entry in the frontmatter; for an inline field "key:: value" with its brackets
}

// PropertyKey returns the form in which equivalent spellings of a property's key are equal,
// as in Dataview: lower case, with hyphens instead of blanks.
func PropertyKey(key string) string {
	key = strings.ToLower(key)
	if isOneLine(key) && strings.IndexByte(key, ' ') < 0 {
		return key
	}
	return strings.Join(strings.Fields(key), "-")
}

// PropertyValues returns the values of p, none if they are nested.
func (p Property) PropertyValues() []PropertyValue {
	if p.Opaque || p.Key == "" {
		return nil
	}
	out := make([]PropertyValue, 0, len(p.Values))
	for _, v := range p.Values {
		if v = oneLine(v); v != "" {
			out = append(out, PropertyValue{Key: p.Key, Value: v, Span: p.Span})
		}
	}
	return out
}

// oneLine returns v trimmed, with one blank for each run of white space.
func oneLine(v string) string {
	if isOneLine(v) {
		return v
	}
	return strings.Join(strings.Fields(v), " ")
}

// isOneLine reports whether v is ASCII and unchanged by oneLine.
func isOneLine(v string) bool {
	blank := true // the previous byte, initially the start of v
	for i := range len(v) {
		switch b := v[i]; {
		case b >= utf8.RuneSelf, b < ' ', b == ' ' && blank:
			return false
		default:
			blank = b == ' '
		}
	}
	return !blank || v == ""
}

// Limits of an inline field. Anything longer is prose that contains two colons.
const (
	maxFieldKey   = 64   // bytes
	maxFieldValue = 1000 // bytes, of a field in brackets
)

// CutField parses a line of text as "key:: value". A blank must follow the colons, so that
// "std::vector" is not a field. key holds the offsets of the key within line, without
// emphasis around it; value is the rest of the line, trimmed, which may be empty.
func CutField(line string) (key, value Span, ok bool) {
	i := strings.Index(line, "::")
	if i < 1 || i > maxFieldKey+8 || !blankOrEnd(line, i+2) {
		return key, value, false
	}
	key = trimSpan(line, Span{0, i}, " \t*_~")
	if !isFieldKey(line[key.Start:key.End]) {
		return key, value, false
	}
	return key, trimSpan(line, Span{i + 2, len(line)}, " \t\r\n"), true
}

// CutBracketField reads "[key:: value]" or "(key:: value)" at the start of text, up to the
// closing bracket on the same line. end is the offset after that bracket.
func CutBracketField(text string) (key, value Span, end int, ok bool) {
	var closer byte
	switch {
	case text == "":
	case text[0] == '[':
		closer = ']'
	case text[0] == '(':
		closer = ')'
	}
	i := strings.Index(text[:min(len(text), maxFieldKey+8)], "::")
	if closer == 0 || i < 2 || !blankOrEnd(text, i+2) {
		return key, value, 0, false
	}
	key = trimSpan(text, Span{1, i}, " \t*_~")
	if !isFieldKey(text[key.Start:key.End]) {
		return key, value, 0, false
	}
	depth := 1
	for end = i + 2; end < len(text) && end-i < maxFieldValue && text[end] != '\n'; end++ {
		switch text[end] {
		case text[0]:
			depth++
		case closer:
			depth--
		}
		if depth == 0 {
			return key, trimSpan(text, Span{i + 2, end}, " \t"), end + 1, true
		}
	}
	return key, value, 0, false
}

func blankOrEnd(s string, i int) bool {
	return i >= len(s) || s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n'
}

func trimSpan(s string, at Span, cutset string) Span {
	part := s[at.Start:at.End]
	at.Start += len(part) - len(strings.TrimLeft(part, cutset))
	return Span{at.Start, max(at.Start, at.Start+len(strings.Trim(part, cutset)))}
}

// isFieldKey reports whether s can be the key of an inline field: letters,
// digits, symbols such as emoji, and between them blanks and "_-/.".
func isFieldKey(s string) bool {
	if s == "" || len(s) > maxFieldKey {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		case r >= utf8.RuneSelf && unicode.IsSymbol(r), r == '\u200d': // emoji, and what joins them
		case i > 0 && strings.ContainsRune(" \t_-/.", r):
		default:
			return false
		}
	}
	return true
}
