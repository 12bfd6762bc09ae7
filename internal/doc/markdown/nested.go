package markdown

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// pair is a TOML key with its value and full path.
type pair struct {
	path []string
	span doc.Span // whole lines
	at   doc.Span // the value
}

// tomlTable is a table of TOML.
type tomlTable struct {
	path  []string
	span  doc.Span // up to the next header
	end   int      // end of its header line or of its last key
	array bool     // one of several, such as [[menu.main]]
}

// siteMaps are the keys that are maps in Hugo and Zola: setting "extra.toc" on a page
// without the map creates it. Other keys with a dot are plain keys.
var siteMaps = map[string]bool{"params": true, "extra": true, "taxonomies": true}

// within returns the editor for the map of a dotted key, and the rest of the key. It returns
// y itself for an existing key, or if there is no such map.
func (y *matterEditor) within(key string) (*matterEditor, string, error) {
	if _, ok := y.matter.field(key); ok || y.matter.fielded || y.matter.broken() {
		return y, key, nil
	}
	for i := range len(key) {
		if key[i] != '.' || i == 0 || i == len(key)-1 {
			continue
		}
		f, ok := y.matter.field(key[:i])
		if !ok {
			continue
		}
		in, isMap, err := y.enter(f)
		if err != nil {
			return nil, "", err
		}
		if isMap {
			return in.within(key[i+1:])
		}
	}
	return y, key, nil
}

// enter returns an editor for the keys of a nested value, false if the value is not a map.
func (y *matterEditor) enter(f field) (*matterEditor, bool, error) {
	in := &matterEditor{d: y.d, outer: y, holder: f, matter: matter{lang: y.matter.lang, usable: true}}
	m := &in.matter
	if f.kind == null && y.matter.lang == inYAML {
		m.braces = true
		return in, true, y.placed(f)
	}
	data, isMap := f.data.(map[string]any)
	if f.kind != opaque || !isMap {
		return nil, false, nil
	}
	cannot := kb.Errorf(kb.Invalid, "the key %q is written in a way that cannot be edited", f.key)
	switch {
	case f.table:
		path := append(slices.Clone(y.matter.path), f.key)
		m.path, m.tables, m.pairs = path, y.matter.tables, y.matter.pairs
		if !m.readTable(y.d, data) {
			return nil, false, cannot
		}
	case y.matter.lang == inJSON:
		fields, _, err := jsonFields(y.d.Text[:f.at.End], f.at.Start)
		if err != nil {
			return nil, false, cannot
		}
		m.fields, m.inner = fields, doc.Span{Start: f.at.Start + 1, End: f.at.End - 1}
	default:
		if err := y.placed(f); err != nil {
			return nil, false, err
		}
		at := y.value(f)
		if strings.HasPrefix(y.d.Slice(at), "{") {
			m.braces, m.inner = true, doc.Span{Start: at.Start + 1, End: at.End - 1}
			m.readBraces(y, at, data)
			break
		}
		m.inner = doc.Span{Start: doc.LineEnd(y.d.Text, f.colon), End: f.span.End}
		if rest := strings.TrimSpace(y.d.Slice(doc.Span{Start: f.colon, End: m.inner.Start})); rest != "" && rest[0] != '#' {
			return nil, false, cannot // an anchor, or a tag
		}
		fields, flow, why := readYAML(y.d.Text, m.inner)
		if why != "" || flow {
			return nil, false, cannot
		}
		m.fields = fields
	}
	for key := range data {
		if _, ok := m.field(key); !ok {
			return nil, false, cannot
		}
	}
	return in, true, nil
}

// readBraces reads the keys of a map in braces in YAML or TOML.
func (m *matter) readBraces(y *matterEditor, at doc.Span, data map[string]any) {
	for _, item := range splitBraces(y.d.Text, at, y.matter.lang) {
		text := y.d.Slice(item)
		f := field{span: item}
		n := tomlKey(text)
		if y.matter.lang == inYAML {
			n = yamlKey(text)
		}
		if n < 0 {
			continue
		}
		value := text[n+1:]
		start := item.Start + n + 1 + len(value) - len(strings.TrimLeft(value, " \t\r\n"))
		f.at = doc.Span{Start: start, End: item.End}
		if y.matter.lang == inTOML {
			f.key = strings.Trim(strings.TrimSpace(text[:n]), `"'`)
			f.fill(data[f.key], y.d.Slice(f.at))
		} else {
			f.key = itemValue(text[:n])
			node, err := parseYAML([]byte(y.d.Slice(f.at)))
			if err != nil {
				continue
			}
			r := yamlReader{budget: maxAliased, nested: maxNested}
			if node != nil {
				f.kind, f.values = r.value(node)
			}
			if f.kind == opaque {
				f.values, f.data = []string{y.d.Slice(f.at)}, r.data(node, 0)
			}
		}
		m.fields = append(m.fields, f)
	}
}

// fill sets the value of a field from a decoded one and its text.
func (f *field) fill(data any, raw string) {
	read := dataField(f.key, data)
	f.kind, f.values = read.kind, read.values
	if f.kind == opaque {
		f.values, f.data = []string{raw}, data
	}
}

// splitBraces returns the members of a map in braces, without the blanks around them.
func splitBraces(text []byte, at doc.Span, lang language) []doc.Span {
	var items []doc.Span
	if lang == inYAML {
		for i := at.Start + 1; i < at.End-1; {
			n := yamlMember(text[i : at.End-1])
			item := string(text[i : i+n])
			if from := i + n - len(strings.TrimLeft(item, " \t\r\n")); from < i+n {
				items = append(items, doc.Span{Start: from, End: i + len(strings.TrimRight(item, " \t\r\n"))})
			}
			i += n + 1
		}
		return items
	}
	for i := at.Start + 1; i < at.End-1; {
		if strings.IndexByte(" \t\r\n,", text[i]) >= 0 {
			i++
			continue
		}
		n := tomlKey(string(text[i : at.End-1]))
		if n < 0 {
			return nil
		}
		from := i
		for i += n + 1; i < at.End-1 && (text[i] == ' ' || text[i] == '\t'); i++ {
		}
		i += tomlMember(text[i : at.End-1])
		items = append(items, doc.Span{Start: from, End: i})
	}
	return items
}

// yamlMember returns the length of the member of a map in braces at the start of s.
func yamlMember(s []byte) int {
	depth := 0
	before := byte(',') // last byte that is not a blank
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		case '"', '\'':
			if strings.IndexByte("[{,:", before) >= 0 { // else it is part of a plain string
				i += max(quotedEnd(s[i:])-1, 0)
			}
		}
		before = s[i]
	}
	return len(s)
}

// tomlMember returns the length of the value at the start of s in an inline table.
func tomlMember(s []byte) int {
	if len(s) > 0 && strings.IndexByte(`"'[{`, s[0]) >= 0 {
		return tomlLength(s)
	}
	n := 0
	for n < len(s) && s[n] != ',' && s[n] != '\n' {
		n++
	}
	return len(strings.TrimRight(string(s[:n]), " \t\r"))
}

// tomlKey returns the position of the "=" after the key at the start of s, -1 if there is
// none.
func tomlKey(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			i += tomlString([]byte(s[i:])) - 1
		case '=':
			return i
		}
	}
	return -1
}

// yamlKey returns the position of the colon after the key at the start of s, -1 if there is
// none.
func yamlKey(s string) int {
	n := 0
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		n = quotedEnd([]byte(s))
	}
	for i := n; i < len(s); i++ {
		if s[i] == ':' && (n > 0 || i+1 == len(s) || strings.IndexByte(" \t\r\n", s[i+1]) >= 0) {
			return i
		}
	}
	return -1
}

// readTable reads the keys of the table at m.path; it returns false if there are several.
func (m *matter) readTable(d *doc.Document, data map[string]any) bool {
	m.insert = -1
	add := func(key string, span doc.Span) {
		m.fields = append(m.fields, field{key: key, kind: opaque, span: span, data: data[key], table: true})
	}
	for _, t := range m.tables {
		switch {
		case slices.Equal(t.path, m.path):
			if t.array {
				return false
			}
			m.insert = t.end
		case len(t.path) > len(m.path) && slices.Equal(t.path[:len(m.path)], m.path):
			add(t.path[len(m.path)], t.span)
		}
	}
	last := -1
	for _, p := range m.pairs {
		n := len(m.path)
		if len(p.path) <= n || !slices.Equal(p.path[:n], m.path) {
			continue
		}
		last = p.span.End
		key := p.path[n]
		if len(p.path) > n+1 {
			if !slices.ContainsFunc(m.fields, func(f field) bool { return f.span.Start < p.span.Start && p.span.End <= f.span.End }) {
				add(key, p.span)
			}
			continue
		}
		f := field{key: key, span: p.span, at: p.at}
		f.fill(data[key], d.Slice(p.at))
		m.fields = append(m.fields, f)
	}
	if m.insert < 0 { // there is no header
		if last < 0 {
			return false
		}
		m.insert = last
		for _, key := range m.path {
			m.prefix += tomlName(key) + "."
		}
	}
	return true
}

// addNested adds a new key to a nested map, and creates the maps around it.
func (y *matterEditor) addNested(key, text string) ([]doc.Splice, error) {
	if err := y.leadsOn(key); err != nil {
		return nil, err
	}
	if y.matter.lang == inTOML && !y.matter.braces {
		return []doc.Splice{y.keys().Insert(y.matter.insert, y.matter.prefix+tomlPath(key)+" = "+text)}, nil
	}
	key, text = y.held(key, text)
	switch fields := y.matter.fields; {
	case !y.matter.braces && y.matter.lang == inJSON:
		return y.addLiteral(key, text), nil
	case !y.matter.braces:
		return y.addLine(key, text), nil
	case len(fields) == 0:
		return y.outer.replace(y.holder, func(byte) string { return "{" + y.inBraces(key, text) + "}" })
	default:
		end := fields[len(fields)-1].span.End
		return []doc.Splice{{Span: doc.Span{Start: end, End: end}, New: ", " + y.inBraces(key, text)}}, nil
	}
}

// leadsOn fails for a new dotted key below a key with a value that is not a map, since
// writing the map would write that key twice.
func (y *matterEditor) leadsOn(key string) error {
	first, rest, ok := strings.Cut(key, ".")
	if !ok || rest == "" {
		return nil
	}
	if _, ok := y.matter.field(first); !ok {
		return nil
	}
	return kb.Errorf(kb.Invalid, "the key %q has a value that is not a map, so it cannot hold %q", first, rest).
		WithHint("Remove the key first, or set another one.")
}

// held returns the first of dotted keys, and the value with the other keys as a map in
// braces.
func (y *matterEditor) held(key, text string) (first, value string) {
	first, rest, ok := strings.Cut(key, ".")
	if !ok || first == "" || rest == "" {
		return key, text
	}
	return first, "{" + y.inBraces(y.held(rest, text)) + "}"
}

// inBraces writes a key with its value for a map in braces.
func (y *matterEditor) inBraces(key, text string) string {
	if y.matter.lang == inTOML {
		return y.name(key) + " = " + text
	}
	return y.name(key) + ": " + text
}

// remove removes a key. A nested YAML map without remaining keys is written as an empty one.
func (y *matterEditor) remove(key string) ([]doc.Splice, error) {
	if f := y.matter.fields; y.outer != nil && y.matter.lang == inYAML && len(f) == 1 && f[0].key == key {
		return y.outer.replace(y.holder, func(byte) string { return "{}" })
	}
	return y.keys().Remove(key), nil
}

// tomlPath writes a dotted key.
func tomlPath(key string) string {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		parts[i] = tomlName(p)
	}
	return strings.Join(parts, ".")
}

// tomlName writes a key of TOML.
func tomlName(key string) string {
	if key != "" && strings.Trim(key, bareKey) == "" {
		return key
	}
	return jsonText(key)
}

// isSiteMap reports whether a key is in a map of Hugo or Zola.
func isSiteMap(key string) bool {
	first, rest, ok := strings.Cut(key, ".")
	return ok && rest != "" && siteMaps[first]
}
