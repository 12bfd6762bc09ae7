package markdown

import (
	"bytes"
	"strings"

	"github.com/google/uuid"

	"github.com/cairn-kb/cairn/internal/doc"
)

// readSimple parses frontmatter with only the most common kinds of lines: "key: value",
// "key: [a, b]", "- item", a comment, a blank line, with values that need no YAML rules. ok
// is false for everything else, which is left to the YAML parser; the two agree on all input
// that this one accepts (TestSimpleEqualsYAML). It is about thirty times as fast.
func readSimple(text []byte, inner doc.Span) (fields []field, ok bool) {
	for at := inner.Start; at < inner.End; {
		end := doc.LineEnd(text, at)
		line := trimEOL(text[at:end])
		switch {
		case len(line) == 0:
		case line[0] == '#':
			// Comments between keys belong to no key, but must be valid YAML.
			if !printable(line) {
				return nil, false
			}
		case line[0] == '-' || line[0] == ' ':
			if doc.Blank(line) {
				break
			}
			if len(fields) == 0 || !simpleItem(&fields[len(fields)-1], line) {
				return nil, false
			}
			fields[len(fields)-1].span.End = end
		default:
			f, ok := simpleField(line, at)
			if !ok {
				return nil, false
			}
			f.span.End = end
			fields = append(fields, f)
		}
		at = end
	}
	return fields, true
}

// simpleItem adds an item of a block list to f. All items have the same indentation.
func simpleItem(f *field, line []byte) bool {
	rest := bytes.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if len(rest) < 3 || rest[0] != '-' || rest[1] != ' ' {
		return false
	}
	if f.kind == null && !f.spelled {
		f.kind, f.indent = list, indent
	} else if f.kind != list || f.indent != indent || f.spelled {
		return false
	}
	v, ok := simpleScalar(bytes.Trim(rest[2:], " "), false)
	if !ok {
		return false
	}
	f.values = append(f.values, v)
	return true
}

// simpleField reads a line that starts a key.
func simpleField(line []byte, at int) (field, bool) {
	n := 0
	for n < len(line) && isKeyByte(line[n]) {
		n++
	}
	if n == 0 || line[0] == '.' || n == len(line) || line[n] != ':' || n+1 < len(line) && line[n+1] != ' ' {
		return field{}, false
	}
	f := field{key: string(line[:n]), span: doc.Span{Start: at}, colon: at + n + 1}
	value := bytes.Trim(line[n+1:], " ")
	if len(value) == 0 {
		return f, true
	}
	f.spelled = true
	if value[0] == '[' {
		f.kind = list
		f.values, f.spelled = simpleFlow(value)
		return f, f.spelled
	}
	v, ok := simpleScalar(value, false)
	f.kind, f.values = scalar, []string{v}
	return f, ok
}

// simpleFlow reads "[a, b]".
func simpleFlow(value []byte) (values []string, ok bool) {
	if value[len(value)-1] != ']' {
		return nil, false
	}
	rest := bytes.Trim(value[1:len(value)-1], " ")
	for len(rest) > 0 {
		end := flowItemEnd(rest)
		v, ok := simpleScalar(bytes.Trim(rest[:end], " "), true)
		if !ok {
			return nil, false
		}
		values = append(values, v)
		if end == len(rest) {
			return values, true
		}
		rest = bytes.TrimLeft(rest[end+1:], " ")
		if len(rest) == 0 { // a comma at the end
			return nil, false
		}
	}
	return values, true
}

// flowItemEnd returns the offset of the comma that ends the first item.
func flowItemEnd(rest []byte) int {
	if q := rest[0]; q == '"' || q == '\'' {
		if i := bytes.IndexByte(rest[1:], q); i >= 0 {
			if j := bytes.IndexByte(rest[i+2:], ','); j >= 0 {
				return i + 2 + j
			}
		}
		return len(rest)
	}
	if i := bytes.IndexByte(rest, ','); i >= 0 {
		return i
	}
	return len(rest)
}

// simpleScalar reads a value that needs no unquoting.
func simpleScalar(v []byte, inFlow bool) (string, bool) {
	if len(v) == 0 || !printable(v) {
		return "", false
	}
	if q := v[0]; q == '"' || q == '\'' {
		if len(v) < 2 || v[len(v)-1] != q {
			return "", false
		}
		v = v[1 : len(v)-1]
		return string(v), bytes.IndexByte(v, q) < 0 && bytes.IndexByte(v, '\\') < 0
	}
	s := string(v)
	return s, plainString(s, inFlow)
}

// plainString reports whether s, unquoted, is a YAML scalar that reads back
// as s: a string that starts with a letter, a whole number, a date or a UUID.
func plainString(s string, inFlow bool) bool {
	if s == "" || strings.TrimSpace(s) != s {
		return false
	}
	if inFlow && strings.ContainsAny(s, "[]{},:?") {
		return false
	}
	if isDigit(s[0]) {
		return plainNumber(s) || plainSlashes(s) || len(s) == len("2006-01-02") && doc.IsDate(s) || uuid.Validate(s) == nil && len(s) == 36
	}
	if !isLetter(s[0]) && s[0] < 0x80 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == ':' && (i+1 == len(s) || s[i+1] == ' '):
			return false
		case s[i] == '#' && s[i-1] == ' ':
			return false
		}
	}
	return len(s) > len("false") || !reserved[strings.ToLower(s)]
}

// reserved are the words that YAML 1.1 or 1.2 reads as something other than a string. The
// older ones are for readers other than cairn.
var reserved = map[string]bool{
	"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}

// plainNumber reports whether s is a whole number without leading zeros, short enough that
// every reader preserves it.
func plainNumber(s string) bool {
	if len(s) > 15 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// plainSlashes reports whether s consists of numbers between slashes, such as 11/04/2016,
// which YAML reads as a string.
func plainSlashes(s string) bool {
	slash := false
	for i := 0; i < len(s); i++ {
		slash = slash || s[i] == '/'
		if s[i] != '/' && !isDigit(s[i]) {
			return false
		}
	}
	return slash
}

// printable reports whether v has no character that is special everywhere in YAML: control
// characters, its three additional line breaks, the byte order mark.
func printable(v []byte) bool {
	ascii := true
	for _, c := range v {
		if c < 0x20 || c == 0x7F {
			return false
		}
		ascii = ascii && c < 0x80
	}
	return ascii || !bytes.ContainsFunc(v, func(r rune) bool {
		return 0x80 <= r && r <= 0x9F || r == 0x2028 || r == 0x2029 || r == 0xFEFF || 0xFFFE <= r && r <= 0xFFFF
	})
}

func isKeyByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// trimEOL removes the line ending.
func trimEOL(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
