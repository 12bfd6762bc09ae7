package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// matter is a page's frontmatter.
type matter struct {
	head   doc.Span // including its fences
	inner  doc.Span // between the fences
	fields []field  // every key, including overridden ones
	usable bool     // a map, or empty; otherwise the block is body text, and fields were salvaged
	flow   bool     // the map is written in braces and cannot be edited
	lang   language
	insert int // TOML: position for a new key, before the tables

	pairs  []pair      // TOML: all keys with a value
	tables []tomlTable // TOML: its tables in order

	// For a nested map:
	path   []string // TOML: the keys that lead to it
	prefix string   // TOML: prefix of its keys, if it has no header
	braces bool     // it is in braces, in YAML or TOML

	taxonomy []field // the tags in a table of taxonomies

	fielded bool // an outline has fields instead; see readFields
}

// kind is the shape of a field's value.
type kind int

const (
	null kind = iota
	scalar
	list
	opaque // nested
)

// field is one key with its value.
type field struct {
	key     string
	kind    kind
	values  []string
	span    doc.Span            // the whole lines, without comments and blank lines that follow
	colon   int                 // offset after the key's colon, 0 if it was not found
	leaves  []doc.PropertyValue // values within an opaque value, with their full keys
	data    any                 // an opaque value, decoded
	at      doc.Span            // the value, in TOML and JSON; empty for a table
	twice   bool                // an opaque YAML value contains a map with a duplicate key
	names   []string            // the text items of an opaque list of tags or aliases
	skipped bool                // the list also has other items
	table   bool                // a TOML table, or a key with dots: one of the places of a nested value

	// Only while reading simple frontmatter:
	spelled bool // the value is on the key's line
	indent  int  // of the block list's items
}

// readMatter finds and parses the frontmatter of d. Text that it cannot use becomes part of
// the body, with a warning.
func readMatter(d *doc.Document, syntax doc.Syntax) (m matter) {
	text := d.Text
	if !bytes.HasPrefix(text, []byte("---")) {
		switch {
		case kb.IsTextNote(d.Path):
			m.readDenoteText(d)
		case syntax.Blocks:
			m.readFields(text)
		case bytes.HasPrefix(text, []byte(tomlFence)) && doc.Blank(text[len(tomlFence):doc.LineEnd(text, 0)]):
			m.readTOML(d)
			m.warn(d)
		case len(text) > 0 && text[0] == '{':
			m.readJSON(d)
			m.warn(d)
		}
		return m
	}
	first := doc.LineEnd(text, 0)
	if !doc.Blank(text[3:first]) {
		return matter{}
	}
	m.inner.Start = first
	for at := first; at < len(text); {
		end := doc.LineEnd(text, at)
		if line := text[at:end]; len(line) >= 3 && (line[0] == '-' || line[0] == '.') {
			line = bytes.TrimRight(line, " \t\r\n")
			if string(line) == "---" || string(line) == "..." {
				m.inner.End, m.head.End = at, end
				m.read(d)
				return m
			}
		}
		at = end
	}
	warn(d, "frontmatter-open", "The first line opens a frontmatter that is never closed; it was read as text.", 0)
	m.head.End = first
	return m
}

// read fills the fields, with the fast parser if the YAML is simple enough.
func (m *matter) read(d *doc.Document) {
	fields, ok := readSimple(d.Text, m.inner)
	if !ok {
		var why string
		if fields, m.flow, why = readYAML(d.Text, m.inner); why != "" {
			warn(d, why, "The frontmatter is not a map of keys in YAML that can be read; it was read as text and line by line.", m.inner.Start)
			if why != tooLarge {
				m.fields = salvage(d.Text, m.inner)
			}
			return
		}
	}
	m.fields, m.usable = fields, true
	m.warn(d)
}

// warn adds warnings about duplicate keys, and about names that are not strings.
func (m *matter) warn(d *doc.Document) {
	seen := make(map[string]bool, len(m.fields))
	for _, f := range m.fields {
		if f.skipped {
			warn(d, "frontmatter-nested-name", "An item of "+f.key+" is nested; it was left out.", f.span.Start)
		}
	}
	for _, f := range m.fields {
		if seen[f.key] && !f.table || f.twice {
			warn(d, doc.KeyTwice, "A frontmatter key occurs twice; the last one counts.", f.span.Start)
			break
		}
		seen[f.key] = true
	}
}

func warn(d *doc.Document, code, text string, at int) {
	d.Warnings = append(d.Warnings, doc.Warning{Code: code, Text: text, Line: doc.LineAt(d.Text, at)})
}

// field returns the effective field of a key: the last one, as in YAML loaders.
func (m *matter) field(key string) (field, bool) {
	for i := len(m.fields) - 1; i >= 0; i-- {
		if m.fields[i].key == key {
			return m.fields[i], true
		}
	}
	return field{}, false
}

// find returns the field of the first of the keys that exists with a value that
// is not nested, ignoring case.
func (m *matter) find(keys ...string) field {
	for _, key := range keys {
		f, ok := m.field(key)
		for i := len(m.fields) - 1; !ok && i >= 0; i-- {
			if strings.EqualFold(m.fields[i].key, key) {
				f, ok = m.fields[i], true
			}
		}
		if f = f.flat(); ok && len(f.values) > 0 && f.kind != opaque {
			return f
		}
	}
	return field{}
}

func (m *matter) first(keys ...string) string {
	for _, v := range m.find(keys...).values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}

// describe copies the fields of the frontmatter to the node.
func (m *matter) describe(n *doc.Node) {
	if len(m.fields) == 0 {
		return
	}
	last := make(map[string]int, len(m.fields))
	for i, f := range m.fields {
		last[f.key] = i
	}
	n.Metadata = make([]doc.Property, 0, len(last))
	inline := n.Properties
	n.Properties = nil
	for i, f := range m.fields {
		if f.table || last[f.key] == i {
			n.Properties = append(n.Properties, f.leaves...)
		}
		if last[f.key] == i {
			p := doc.Property{Key: f.key, Values: f.values, List: f.kind == list, Opaque: f.kind == opaque, Data: f.data, Span: f.span}
			if f.kind == scalar && isTags(f.key) {
				p.Values, p.List = doc.Tags(tagsOf(f)), true
			}
			n.Metadata = append(n.Metadata, p)
			n.Properties = append(n.Properties, p.PropertyValues()...)
		}
	}
	n.Properties = append(n.Properties, inline...)
	n.ID = m.first("id", "uuid")
	n.Title = m.first("title")
	n.Type = m.first("type")
	n.Status = m.first("status")
	n.Tags = slices.Concat(tagsOf(m.find("tags")), tagsOf(m.find("tag")))
	for _, f := range m.taxonomy {
		n.Tags = append(n.Tags, f.values...)
	}
	n.Aliases = doc.Names(slices.Concat(namesOf(m.find("aliases")), namesOf(m.find("alias")), m.find("permalink").values))
	n.Aliases = slices.DeleteFunc(n.Aliases, func(a string) bool { return a == n.Title })
	n.Created, _ = doc.ParseDate(m.first("created", "created_at", "date"))
	n.Updated, _ = doc.ParseDate(m.first("updated", "updated_at", "modified", "lastmod"))
	if s := m.first("summary"); s != "" {
		n.Summary = strings.Join(strings.Fields(s), " ")
	} else if n.Summary == "" {
		// Many sites give each page a description; it is better than no summary.
		n.Summary = strings.Join(strings.Fields(m.first("description", "desc")), " ")
	}
}

// flat returns a list of tags or aliases with nested items as the list of its text items.
func (f field) flat() field {
	if f.names != nil {
		f.kind, f.values = list, f.names
	}
	return f
}

// isNames reports whether a key holds tags or aliases.
func isNames(key string) bool {
	return isTags(key) || strings.EqualFold(key, "aliases") || strings.EqualFold(key, "alias")
}

// isTags reports whether a key holds tags.
func isTags(key string) bool { return strings.EqualFold(key, "tags") || strings.EqualFold(key, "tag") }

// tagsOf splits a single string of tags; in a list each item is one tag.
func tagsOf(f field) []string {
	if f.kind == scalar {
		return doc.SplitTags(f.values[0])
	}
	return f.values
}

// namesOf splits a single string of names at commas.
func namesOf(f field) []string {
	if f.kind == scalar {
		return strings.Split(f.values[0], ",")
	}
	return f.values
}

// links adds the wikilinks in the frontmatter that are whole values or list items: "up:
// [[Page]]", with or without quotation marks.
func (m *matter) links(text []byte, n *doc.Node, syntax doc.Syntax) {
	if !m.usable {
		return
	}
	for _, f := range m.fields {
		switch strings.ToLower(f.key) {
		case "title", "aliases", "alias", "tags", "tag", "id":
			continue // these are names of this page
		}
		for at := f.span.Start; at < f.span.End; {
			i := bytes.Index(text[at:f.span.End], []byte("[["))
			if i < 0 {
				break
			}
			start := at + i
			window, _, _ := bytes.Cut(text[start:min(f.span.End, start+maxWiki)], []byte("\n"))
			end := start + bytes.Index(window, []byte("]]"))
			at = start + 2
			if m.lang == inTOML && beginsLine(text[:start]) {
				continue // the header of an array of tables, such as [[menu.main]]
			}
			if end < at || !isValueStart(text[start-1]) || !isValueEnd(text[end+2:]) {
				continue
			}
			t := syntax.WikiTarget(string(text[at:end]), at)
			t.Span = doc.Span{Start: start, End: end + 2}
			at = end + 2
			if t.Name != "" && !strings.Contains(t.Name, "[") {
				n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
			}
		}
	}
}

// beginsLine reports whether a text ends with the blanks at the start of a line. It only
// reads back over blanks, since a value with many links may be one line.
func beginsLine(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

func isValueStart(before byte) bool { return strings.IndexByte(" \"'[,", before) >= 0 }

func isValueEnd(after []byte) bool {
	return len(after) == 0 || strings.IndexByte("\"',]\r\n", after[0]) >= 0
}
