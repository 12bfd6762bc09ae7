package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cairn-kb/cairn/internal/doc"
)

// tomlFence opens and closes TOML frontmatter, as in Hugo and Zola.
const tomlFence = "+++"

// readTOML finds and parses frontmatter in TOML.
func (m *matter) readTOML(d *doc.Document) {
	text := d.Text
	m.lang = inTOML
	first := doc.LineEnd(text, 0)
	m.inner.Start = first
	for at := first; at < len(text); {
		end := doc.LineEnd(text, at)
		if string(bytes.TrimRight(text[at:end], " \t\r\n")) == tomlFence {
			m.inner.End, m.head.End = at, end
			m.readTables(d)
			return
		}
		at = end
	}
	m.head.End = first
	warn(d, "frontmatter-open", "The first line opens a frontmatter that is never closed; it was read as text.", 0)
}

// readTables fills the fields from the TOML block. A key that is a table, or has dots, is
// one nested field for each place where it is written.
func (m *matter) readTables(d *doc.Document) {
	src := d.Text[m.inner.Start:m.inner.End]
	if len(src) > maxYAML {
		warn(d, tooLarge, "The frontmatter is too large to be read; it was read as text.", m.inner.Start)
		return
	}
	var data map[string]any
	if err := toml.Unmarshal(src, &data); err != nil {
		warn(d, "frontmatter-not-toml", "The frontmatter is not TOML that can be read; it was read as text.", m.inner.Start)
		return
	}
	m.usable, m.insert = true, m.inner.Start
	var p unstable.Parser
	p.Reset(src)
	var table []string // the header of the open table
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			continue
		}
		var path []string
		var last doc.Span
		for keys := e.Key(); keys.Next(); {
			k := keys.Node()
			path = append(path, string(k.Data))
			last = doc.Span{Start: m.inner.Start + int(k.Raw.Offset), End: m.inner.Start + int(k.Raw.Offset+k.Raw.Length)}
		}
		if len(path) == 0 {
			continue
		}
		line := doc.LineStart(d.Text, last.Start)
		if e.Kind != unstable.KeyValue {
			m.endTable(line)
			table = path
			m.tables = append(m.tables, tomlTable{path: path, span: doc.Span{Start: line, End: m.inner.End}, end: doc.LineEnd(d.Text, last.End), array: e.Kind == unstable.ArrayTable})
			m.fields = append(m.fields, m.nested(data, path, doc.Span{Start: line, End: m.inner.End}))
			continue
		}
		at := last.End
		for at < m.inner.End && d.Text[at] != '=' {
			at++
		}
		for at++; at < m.inner.End && (d.Text[at] == ' ' || d.Text[at] == '\t'); at++ {
		}
		value := doc.Span{Start: at, End: at + tomlLength(d.Text[at:m.inner.End])}
		span := doc.Span{Start: line, End: min(doc.LineEnd(d.Text, value.End), m.inner.End)}
		path = slices.Concat(table, path)
		m.pairs = append(m.pairs, pair{path: path, span: span, at: value})
		if n := len(m.tables); n > 0 {
			m.tables[n-1].end = span.End
		}
		if len(path) > 1 {
			if len(table) == 0 {
				m.fields = append(m.fields, m.nested(data, path, span))
				m.insert = span.End
			}
			if strings.Join(path, ".") == zolaTags {
				if f := dataField(zolaTags, deep(data, path)); f.kind == list {
					f.span, f.at = span, value
					m.taxonomy = append(m.taxonomy, f)
				}
			}
			continue
		}
		f := dataField(path[0], data[path[0]])
		f.span, f.at = span, value
		if raw := d.Text[value.Start:value.End]; f.kind == scalar && raw[0] != '"' && raw[0] != '\'' && f.values[0] != "True" && f.values[0] != "False" {
			f.values = []string{isoDate(string(raw))} // numbers keep their form
		}
		if f.kind == opaque {
			f.values = []string{d.Slice(value)}
			f.data = data[path[0]]
		}
		f.place()
		m.fields = append(m.fields, f)
		m.insert = span.End
	}
	m.endTable(m.inner.End)
	m.source(d)
}

// zolaTags is the key of a page's tags in Zola.
const zolaTags = "taxonomies.tags"

// nested returns the field of a key that holds tables.
func (m *matter) nested(data map[string]any, path []string, span doc.Span) field {
	f := field{key: path[0], kind: opaque, span: span, data: data[path[0]], table: true}
	if !slices.ContainsFunc(m.fields, func(x field) bool { return x.key == f.key }) {
		f.place()
	}
	return f
}

// endTable ends the open table where the next one begins.
func (m *matter) endTable(at int) {
	if n := len(m.tables); n > 0 && m.tables[n-1].span.End == m.inner.End {
		m.tables[n-1].span.End = at
	}
	if n := len(m.fields); n > 0 && m.fields[n-1].table && m.fields[n-1].span.End == m.inner.End {
		m.fields[n-1].span.End = at
	}
}

// source sets the text of each nested field.
func (m *matter) source(d *doc.Document) {
	for i, f := range m.fields {
		if f.table {
			m.fields[i].values = []string{strings.TrimSpace(d.Slice(f.span))}
		}
	}
}

func deep(data any, path []string) any {
	for _, key := range path {
		table, _ := data.(map[string]any)
		data = table[key]
	}
	return data
}

// tomlLength returns the length of the valid TOML value at the start of s.
func tomlLength(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\'':
			n := tomlString(s[i:])
			if i += n - 1; depth == 0 {
				return i + 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '#':
			if depth == 0 {
				return len(bytes.TrimRight(s[:i], " \t"))
			}
			i += bytes.IndexByte(append(s[i:len(s):len(s)], '\n'), '\n')
		case '\n':
			if depth == 0 {
				return len(bytes.TrimRight(s[:i], " \t\r"))
			}
		}
	}
	return len(bytes.TrimRight(s, " \t\r\n"))
}

// tomlString returns the length of the string at the start of s.
func tomlString(s []byte) int {
	quote := s[:1]
	if triple := bytes.Repeat(quote, 3); bytes.HasPrefix(s, triple) {
		for i := 3; i < len(s); i++ {
			switch {
			case s[i] == '\\' && quote[0] == '"':
				i++
			case bytes.HasPrefix(s[i:], triple):
				for i += 3; i < len(s) && s[i] == quote[0]; i++ { // the text may end in one or two quotation marks
				}
				return i
			}
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote[0] == '"':
			i++
		case s[i] == quote[0]:
			return i + 1
		}
	}
	return len(s)
}
