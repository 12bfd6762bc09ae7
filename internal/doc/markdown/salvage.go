package markdown

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// salvage reads the usable parts of frontmatter that is not a YAML map: the lines "key:
// value", "key: [a, b]", and a key with items below it. One invalid line, such as a title
// with a colon or a name with an @, does not affect the other keys of the page. Nested
// values, text blocks and template placeholders are left out.
func salvage(text []byte, inner doc.Span) (fields []field) {
	open := false // the last line belongs to a list without brackets, or may start one
	for at := inner.Start; at < inner.End; {
		start, end := at, doc.LineEnd(text, at)
		line := bytes.TrimRight(text[start:end], " \t\r\n")
		at = end
		item := bytes.TrimLeft(line, " \t")
		switch {
		case len(item) == 0 || item[0] == '#':
		case open && (item[0] == '-'):
			f := &fields[len(fields)-1]
			if v := looseScalar(bytes.TrimSpace(item[1:])); v != "" {
				f.kind = list
				f.values = append(f.values, v)
				f.span.End = end
			}
		case len(item) < len(line):
			open = false
		default:
			f, ok := looseField(line, start)
			if open = ok && f.kind == null; ok {
				f.span.End = end
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// looseField reads a line that starts a key.
func looseField(line []byte, at int) (field, bool) {
	n := 0
	for n < len(line) && isKeyByte(line[n]) {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ':' || n+1 < len(line) && line[n+1] != ' ' && line[n+1] != '\t' {
		return field{}, false
	}
	f := field{key: string(line[:n]), span: doc.Span{Start: at}, colon: at + n + 1}
	value := bytes.TrimSpace(line[n+1:])
	switch {
	case len(value) == 0:
		return f, true
	case value[0] == '[' && !bytes.HasPrefix(value, []byte("[[")) && bytes.IndexByte(value[:len(value)-1], ']') < 0:
		f.kind = list
		for rest := bytes.TrimSuffix(value[1:], []byte("]")); len(rest) > 0; {
			end := flowItemEnd(rest)
			if v := looseScalar(bytes.TrimSpace(rest[:end])); v != "" {
				f.values = append(f.values, v)
			}
			rest = bytes.TrimSpace(rest[min(end+1, len(rest)):])
		}
		return f, true
	}
	v := looseScalar(value)
	f.kind, f.values = scalar, []string{v}
	return f, v != ""
}

// looseScalar returns a value without its quotation marks, "" for a YAML
// indicator.
func looseScalar(v []byte) string {
	if len(v) > 0 && v[0] != '"' && v[0] != '\'' {
		if i := bytes.Index(v, []byte(" #")); i >= 0 {
			v = bytes.TrimSpace(v[:i])
		}
	}
	if len(v) == 0 || strings.IndexByte("#{|>&*!%", v[0]) >= 0 || bytes.Contains(v, []byte("{{")) || !printable(v) {
		return ""
	}
	if q := v[0]; len(v) > 1 && (q == '"' || q == '\'') && v[len(v)-1] == q {
		v = v[1 : len(v)-1]
	}
	return strings.TrimSpace(string(v))
}
