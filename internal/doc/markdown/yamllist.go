package markdown

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// blockItem is one "- value" of a block list.
type blockItem struct {
	line   doc.Span // whole lines, including continuation lines
	indent string
	text   string // after the marker
}

// block returns the items of a block list, nil for other fields.
func (y *matterEditor) block(f field) []blockItem {
	text := y.d.Text
	if f.kind != list || f.colon == 0 {
		return nil
	}
	at := doc.LineEnd(text, f.colon)
	if rest := strings.TrimSpace(string(text[f.colon:at])); rest != "" && rest[0] != '#' {
		return nil
	}
	var items []blockItem
	for at < f.span.End {
		end := doc.LineEnd(text, at)
		line := string(trimEOL(text[at:end]))
		rest := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(rest)]
		switch {
		case (rest == "-" || strings.HasPrefix(rest, "- ")) && (len(items) == 0 || indent == items[0].indent):
			items = append(items, blockItem{doc.Span{Start: at, End: end}, indent, rest[1:]})
		case len(items) > 0 && rest != "" && rest[0] != '#' && len(indent) > len(items[0].indent):
			last := &items[len(items)-1]
			last.line.End = end
			last.text += "\n" + line
		}
		at = end
	}
	return items
}

// flow returns the items of a list in brackets, without the blanks around
// them.
func (y *matterEditor) flow(v doc.Span) []doc.Span {
	s := y.d.Text[v.Start:v.End]
	if y.matter.lang != inYAML {
		return literalItems(s, v.Start)
	}
	var items []doc.Span
	from, to, depth := -1, 0, 0
	add := func() {
		if from >= 0 {
			items = append(items, doc.Span{Start: v.Start + from, End: v.Start + to})
		}
		from = -1
	}
	for i := 1; i < len(s)-1; i++ {
		c := s[i]
		blank := strings.IndexByte(" \t\r\n", s[i-1]) >= 0
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		case c == '#' && (from < 0 || blank): // a comment
			i = doc.LineEnd(s, i) - 1
			continue
		case c == ',' && depth == 0:
			add()
			continue
		case from < 0 && (c == '"' || c == '\''):
			from = i
			i += max(quotedEnd(s[i:])-1, 0)
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if from < 0 {
			from = i
		}
		to = i + 1
	}
	add()
	return items
}

// itemValue reads a list item's text as a string.
func itemValue(text string) string {
	n, err := parseYAML([]byte(text))
	if err != nil {
		return ""
	}
	return itemText(n)
}

// blockItems writes the items of a block list, each after a line end.
func (y *matterEditor) blockItems(key, indent string, values []string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(y.d.EOL + indent + "- " + y.item(key, v, false))
	}
	return b.String()
}

// quote writes s as a YAML scalar that reads back as s: plain if that is safe for every
// reader, else in the given quotation marks if possible, else in double ones. "True" and
// "False" are how metadata shows booleans, and become booleans again.
func quote(s string, style byte, inFlow bool) string {
	ok := printable([]byte(s))
	switch {
	case style == 0 && s == "True":
		return "true"
	case style == 0 && s == "False":
		return "false"
	case style == 0 && ok && plainString(s, inFlow):
		return s
	case style == '\'' && ok:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || 0x7F <= r && r <= 0x9F || r == 0x2028 || r == 0x2029 || r == 0xFEFF || 0xFFFE <= r && r <= 0xFFFF:
			b.WriteString(`\u` + hex4(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex4(r rune) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
