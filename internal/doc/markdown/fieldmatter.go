package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// readFields reads the fields "key:: value" at the start of an outline page, which replace a
// frontmatter: lines without a bullet, up to the first other line.
func (m *matter) readFields(text []byte) {
	m.fielded = true
	for at := 0; at < len(text); {
		end := doc.LineEnd(text, at)
		line := string(text[at:end])
		key, value, ok := doc.CutField(line)
		if !ok || key.Start > 0 {
			break
		}
		f := field{
			key: line[:key.End], span: doc.Span{Start: at, End: end},
			colon: at + strings.Index(line, "::") + len("::"),
		}
		if text := line[value.Start:value.End]; text != "" {
			f.kind, f.values = scalar, []string{text}
			if names, ok := namesIn(text); ok || namesPage(f.key) {
				f.kind, f.values = list, names
			}
		}
		m.fields = append(m.fields, f)
		at = end
		m.head.End, m.inner.End = end, end
	}
	m.usable = len(m.fields) > 0
}

// namesPage reports whether the value of a field is a list of names and tags.
func namesPage(key string) bool {
	switch strings.ToLower(key) {
	case "alias", "aliases", "tags", "tag":
		return true
	}
	return false
}

// namesIn splits a value at commas; ok is true if it consists of links and tags only.
func namesIn(value string) (names []string, ok bool) {
	ok = true
	for _, part := range strings.Split(value, ",") {
		part = strings.TrimSpace(part)
		ok = ok && (strings.HasPrefix(part, "#") || strings.HasPrefix(part, "[[") && strings.HasSuffix(part, "]]"))
	}
	return doc.Names(fieldList(value)), ok
}

// fieldText writes a list as the value of a field.
func fieldText(key string, values []string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = v
		if !namesPage(key) || strings.ContainsAny(v, ", ") && strings.HasPrefix(strings.ToLower(key), "tag") {
			parts[i] = "[[" + v + "]]"
		}
	}
	return strings.Join(parts, ", ")
}

// setField sets a field of an outline page to the given text after the colons.
// A new one is added after the others.
func (y *matterEditor) setField(key, text string) ([]doc.Splice, error) {
	if err := doc.OneLine("a field", key+text); err != nil {
		return nil, err
	}
	if strings.TrimSpace(key) == "" {
		return nil, kb.Errorf(kb.Usage, "a metadata key is one line of text")
	}
	for _, f := range y.matter.fields {
		if f.key == key {
			end := f.span.Start + len(trimEOL(y.d.Text[f.span.Start:f.span.End]))
			return y.keys().Set([]doc.Key{{Value: doc.Span{Start: f.colon, End: end}}}, text), nil
		}
	}
	at := y.matter.head.End
	line := y.keys().Insert(at, key+":: "+text)
	if at == 0 && len(y.d.Text) > 0 && !doc.Blank(y.d.Text[:doc.LineEnd(y.d.Text, 0)]) {
		line.New += y.d.EOL
	}
	return []doc.Splice{line}, nil
}

// headFields adds the links in the fields of a page. Words in its tags may be links to
// pages, like tags in the text.
func (s *scanner) headFields(m *matter) {
	for _, f := range m.fields {
		end := f.span.Start + len(trimEOL(s.text[f.span.Start:f.span.End]))
		key := strings.ToLower(f.key)
		switch key {
		case "id":
			if id, ok := kb.ParseID(string(s.text[f.colon:end])); ok {
				s.n.Refs = append(s.n.Refs, "^"+string(id))
			}
			continue
		case "title", "alias", "aliases":
			continue
		}
		before := len(s.n.Links)
		s.links.scan(s.n, f.colon, end)
		if key == "tags" || key == "tag" {
			for i := range s.n.Links[before:] {
				s.n.Links[before+i].Kind = doc.Mention
			}
			s.bareTags(f.colon, end)
			slices.SortStableFunc(s.n.Links[before:], func(a, b doc.Link) int { return a.Span.Start - b.Span.Start })
		}
	}
}

// maxBareTags is the maximum size of a list of tags with words that are read as links.
const maxBareTags = 64 << 10

// bareTags adds a link for each word without brackets in a list of tags. Commas within
// brackets, quotation marks and code do not separate words.
func (s *scanner) bareTags(at, end int) {
	if end-at > maxBareTags {
		return
	}
	depth, ticks, quotes := 0, 0, 0
	for item := range bytes.SplitSeq(s.text[at:end], []byte(",")) {
		name := bytes.TrimSpace(item)
		apart := depth == 0 && ticks%2 == 0 && quotes%2 == 0 && !bytes.ContainsAny(name, doc.TagMarks)
		if start := at + bytes.Index(item, name); apart && len(name) > 0 && len(name) < maxWiki {
			s.mention(doc.Span{Start: start, End: start + len(name)}, string(name))
		}
		for _, c := range name {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			case '`':
				ticks++
			case '"':
				quotes++
			}
		}
		at += len(item) + 1
	}
}

// newFielded renders the fields of a new outline page.
func newFielded(p doc.NewPage, eol string) (string, error) {
	var head strings.Builder
	add := func(key, value string) error {
		if value == "" {
			return nil
		}
		head.WriteString(key + ":: " + value + eol)
		return doc.OneLine("the "+key, value)
	}
	for _, f := range []struct{ key, value string }{
		{"id", p.ID}, {"title", strings.TrimSpace(p.Title)}, {"type", p.Type}, {"status", p.Status},
		{"created", p.Created}, {"summary", strings.TrimSpace(p.Summary)}, {"tags", fieldText("tags", doc.Tags(p.Tags))},
	} {
		if err := add(f.key, f.value); err != nil {
			return "", err
		}
	}
	for _, f := range p.Metadata {
		text := strings.Join(f.Values, "")
		if f.List {
			text = fieldText(f.Key, f.Values)
		}
		if err := add(f.Key, text); err != nil {
			return "", err
		}
	}
	return head.String(), nil
}
