package markdown

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// yamlEditor plans changes of the frontmatter as splices of values and lines;
// the YAML is never rewritten. doc.Perform reads the result back, so that
// unforeseen structure (anchors, odd indentation) makes the edit fail instead
// of damaging the page.
type yamlEditor struct {
	d      *doc.Document
	matter matter
}

// editable fails when there is a block in the frontmatter's place that cannot
// take keys.
func (y *yamlEditor) editable() error {
	if y.matter.flow || y.matter.broken() {
		return kb.Errorf(kb.Invalid, "the frontmatter is not a block of YAML keys").
			WithHint("mend the block between the --- lines at the top, or leave a blank line above it to make it text")
	}
	return nil
}

// broken reports whether there is a frontmatter block that is not a map.
func (m *matter) broken() bool { return m.head.Len() > 0 && !m.usable }

// unedited is the result of a metadata edit with a broken frontmatter: it
// succeeds only if nothing has to change.
func (y *yamlEditor) unedited(n *doc.Node, e doc.Edit) error {
	switch e := e.(type) {
	case doc.RemoveProperty:
		if _, ok := n.Property(e.Key); !ok {
			return nil
		}
	case doc.AddTag:
		if slices.Contains(n.Tags, doc.NormalizeTag(e.Tag)) {
			return nil
		}
	}
	return y.editable()
}

func (y *yamlEditor) setScalar(key, value string) ([]doc.Splice, error) {
	if y.matter.fielded {
		return y.setField(key, value)
	}
	f, ok := y.matter.field(key)
	if !ok {
		return y.add(key, " "+quote(value, 0, false))
	}
	return y.replace(f, func(style byte) string { return quote(value, style, false) })
}

// setWritten sets a key to a value in YAML, on one line.
func (y *yamlEditor) setWritten(key, value string) ([]doc.Splice, error) {
	n, err := parseYAML([]byte(value))
	if err != nil || n == nil || strings.ContainsAny(value, "\r\n") {
		return nil, kb.Errorf(kb.Invalid, "the value of %q is not written as one line of YAML", key)
	}
	if y.matter.fielded {
		return y.setField(key, value)
	}
	f, ok := y.matter.field(key)
	if !ok {
		return y.add(key, " "+value)
	}
	return y.replace(f, func(byte) string { return value })
}

func (y *yamlEditor) setList(key string, values []string) ([]doc.Splice, error) {
	if y.matter.fielded {
		return y.setField(key, fieldText(key, values))
	}
	if len(values) == 0 {
		if _, ok := y.matter.field(key); !ok {
			return y.add(key, " []")
		}
	}
	f, ok := y.matter.field(key)
	if !ok {
		return y.add(key, blockItems(y.d.EOL, "  ", values))
	}
	if items := y.block(f); len(items) > 0 && len(values) > 0 {
		span := doc.Span{Start: items[0].line.Start, End: items[len(items)-1].line.End}
		text := blockItems(y.d.EOL, items[0].indent, values)
		return []doc.Splice{{Span: span, New: strings.TrimPrefix(text, y.d.EOL) + y.d.EOL}}, nil
	}
	return y.replace(f, func(byte) string { return flowList(values) })
}

// keys returns the keys without their values.
func (y *yamlEditor) keys() doc.Keys {
	k := doc.Keys{Text: y.d.Text, EOL: y.d.EOL, Gap: " "}
	for _, f := range y.matter.fields {
		k.All = append(k.All, doc.Key{Name: f.key, Span: f.span})
	}
	return k
}

// add puts a new key after the others; text is its value with the leading
// blank. A page without frontmatter gets one.
func (y *yamlEditor) add(key, text string) ([]doc.Splice, error) {
	if err := y.editable(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(key) == "" || strings.ContainsAny(key, "\r\n") {
		return nil, kb.Errorf(kb.Usage, "a metadata key is one line of text")
	}
	eol := y.d.EOL
	line := quote(key, 0, true) + ":" + text
	if y.matter.head.Len() == 0 {
		head := "---" + eol + line + eol + "---" + eol
		if len(y.d.Text) > 0 && !doc.Blank(y.d.Text[:doc.LineEnd(y.d.Text, 0)]) {
			head += eol
		}
		return []doc.Splice{{New: head}}, nil
	}
	if len(y.matter.fields) > 0 {
		first := y.matter.fields[0].span
		indent := y.d.Text[first.Start:first.End]
		line = string(indent[:len(indent)-len(strings.TrimLeft(string(indent), " "))]) + line
	}
	return []doc.Splice{y.keys().Insert(y.matter.inner.End, line)}, nil
}

// replace replaces f's value. write gets the quotation mark of the old one, 0
// when it has none.
func (y *yamlEditor) replace(f field, write func(style byte) string) ([]doc.Splice, error) {
	if err := y.editable(); err != nil {
		return nil, err
	}
	if f.colon == 0 {
		return nil, kb.Errorf(kb.Invalid, "the key %q is written in a way that cannot be edited", f.key)
	}
	v := y.value(f)
	text := y.d.Slice(v)
	style := byte(0)
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		style = text[0]
	}
	return y.keys().Set([]doc.Key{{Value: v}}, write(style)), nil
}

// value returns the span of a field's value: one token, when it is all of the
// key's line and no more lines follow, else everything up to the end of the
// field.
func (y *yamlEditor) value(f field) doc.Span {
	text := y.d.Text
	lineEnd := f.colon + len(trimEOL(text[f.colon:doc.LineEnd(text, f.colon)]))
	all := doc.Span{Start: f.colon, End: f.span.Start + len(trimEOL(text[f.span.Start:f.span.End]))}
	for all.Start < lineEnd && (text[all.Start] == ' ' || text[all.Start] == '\t') {
		all.Start++
	}
	oneLine := all.End <= lineEnd
	if all.Start == lineEnd { // the value begins on the next line
		if oneLine {
			return doc.Span{Start: all.Start, End: all.Start}
		}
		return doc.Span{Start: f.colon, End: all.End}
	}
	rest := text[all.Start:lineEnd]
	switch rest[0] {
	case '#': // a comment; the value, if any, begins on the next line
		if oneLine {
			return doc.Span{Start: f.colon, End: f.colon}
		}
		return doc.Span{Start: f.colon, End: all.End}
	case '"', '\'':
		if n := quotedEnd(text[all.Start:all.End]); n > 0 {
			return doc.Span{Start: all.Start, End: all.Start + n}
		}
		return all
	case '[', '{':
		if n := flowEnd(text[all.Start:all.End]); n > 0 {
			return doc.Span{Start: all.Start, End: all.Start + n}
		}
		return all
	case '|', '>', '&', '!', '*':
		return all
	}
	if !oneLine {
		return all
	}
	return doc.Span{Start: all.Start, End: all.Start + plainEnd(rest)}
}

// plainEnd returns the length of a plain scalar, without a comment after it.
func plainEnd(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		if rest[i] == '#' && (rest[i-1] == ' ' || rest[i-1] == '\t') {
			rest = rest[:i]
			break
		}
	}
	return len(strings.TrimRight(string(rest), " \t"))
}

// flowEnd returns the length of the bracketed collection at the start of s, 0
// when it does not end there.
func flowEnd(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			// Within a plain scalar a quotation mark is an ordinary character.
			if prev := strings.TrimRight(string(s[max(0, i-8):i]), " \t\r\n"); prev != "" && strings.IndexByte("[{,:", prev[len(prev)-1]) < 0 {
				continue
			}
			n := quotedEnd(s[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}

// addTag adds a tag where the page keeps its tags.
func (y *yamlEditor) addTag(n *doc.Node, raw string) ([]doc.Splice, error) {
	tag := doc.NormalizeTag(raw)
	if tag == "" {
		return nil, kb.Errorf(kb.Usage, "the tag is empty")
	}
	if slices.Contains(n.Tags, tag) {
		return nil, nil
	}
	if err := doc.OneLine("a tag", tag); err != nil {
		return nil, err
	}
	f, ok := y.tagField()
	if !ok {
		return y.setList("tags", []string{tag})
	}
	if y.matter.fielded {
		return y.setList(f.key, append(doc.Tags(f.values), tag))
	}
	switch f.kind {
	case null:
		return y.replace(f, func(byte) string { return flowList([]string{tag}) })
	case opaque:
		return nil, kb.Errorf(kb.Invalid, "the tags are nested YAML and cannot be edited")
	case scalar:
		return y.rewriteTags(f, append(doc.Tags(tagsOf(f)), tag))
	}
	if items := y.block(f); len(items) > 0 {
		last := items[len(items)-1]
		at := doc.Span{Start: last.line.End, End: last.line.End}
		return []doc.Splice{{Span: at, New: last.indent + "- " + quote(tag, 0, false) + y.d.EOL}}, nil
	}
	v := y.value(f)
	if !strings.HasPrefix(y.d.Slice(v), "[") {
		return nil, kb.Errorf(kb.Invalid, "the tags are written in a way that cannot be edited")
	}
	items := y.flow(v)
	if len(items) == 0 {
		return []doc.Splice{{Span: v, New: flowList([]string{tag})}}, nil
	}
	end := items[len(items)-1].End
	return []doc.Splice{{Span: doc.Span{Start: end, End: end}, New: ", " + quote(tag, 0, true)}}, nil
}

// tagField returns the field that holds the tags.
func (y *yamlEditor) tagField() (field, bool) {
	for _, key := range []string{"tags", "tag"} {
		if f, ok := y.matter.field(key); ok {
			return f, true
		}
		for _, f := range y.matter.fields {
			if strings.EqualFold(f.key, key) {
				return f, true
			}
		}
	}
	return field{}, false
}

// rewriteTags writes tags that are one string: with the same separator, or as a
// list when there was only one.
func (y *yamlEditor) rewriteTags(f field, tags []string) ([]doc.Splice, error) {
	old := f.values[0]
	return y.replace(f, func(style byte) string {
		switch {
		case strings.Contains(old, ","):
			return quote(strings.Join(tags, ", "), style, false)
		case len(strings.Fields(old)) > 1 && !slices.ContainsFunc(tags, func(t string) bool { return strings.ContainsAny(t, " ,") }):
			return quote(strings.Join(tags, " "), style, false)
		}
		return flowList(tags)
	})
}

// removeTag removes a tag from every key that has it.
func (y *yamlEditor) removeTag(n *doc.Node, raw string) ([]doc.Splice, error) {
	tag := doc.NormalizeTag(raw)
	for _, t := range n.InlineTags {
		if strings.EqualFold(t.Name, tag) {
			line := doc.LineAt(y.d.Text, t.Span.Start)
			return nil, kb.Errorf(kb.Refused, "the tag #%s is in the text of the page, in line %d", t.Name, line).
				WithReason(kb.TagInText).WithFact("tag", t.Name).WithFact("line", line).With("line", line)
		}
	}
	if !slices.Contains(n.Tags, tag) {
		return nil, kb.Errorf(kb.NotFound, "the page has no tag %q in its metadata", tag)
	}
	if y.matter.broken() {
		return nil, y.editable()
	}
	var splices []doc.Splice
	for _, f := range y.matter.fields {
		if !strings.EqualFold(f.key, "tags") && !strings.EqualFold(f.key, "tag") || !slices.Contains(doc.Tags(tagsOf(f)), tag) {
			continue
		}
		found, err := y.dropTag(f, tag)
		if err != nil {
			return nil, err
		}
		splices = append(splices, found...)
	}
	return splices, nil
}

func (y *yamlEditor) dropTag(f field, tag string) ([]doc.Splice, error) {
	if y.matter.fielded {
		rest := slices.DeleteFunc(doc.Tags(f.values), func(t string) bool { return t == tag })
		if len(rest) == 0 {
			return y.keys().Remove(f.key), nil
		}
		return y.setList(f.key, rest)
	}
	if f.kind == scalar {
		rest := slices.DeleteFunc(doc.Tags(tagsOf(f)), func(t string) bool { return t == tag })
		return y.rewriteTags(f, rest)
	}
	var splices []doc.Splice
	if items := y.block(f); len(items) > 0 {
		for _, item := range items {
			if doc.NormalizeTag(itemValue(item.text)) == tag {
				splices = append(splices, doc.Splice{Span: item.line})
			}
		}
		return splices, nil
	}
	v := y.value(f)
	items := y.flow(v)
	keep := make([]string, 0, len(items))
	for i, item := range items {
		if doc.NormalizeTag(itemValue(y.d.Slice(item))) != tag {
			keep = append(keep, y.d.Slice(item))
			continue
		}
		switch { // the comma after it goes too, or for the last the one before
		case i+1 < len(items):
			item.End = items[i+1].Start
		case i > 0:
			item.Start = items[i-1].End
		}
		splices = append(splices, doc.Splice{Span: item})
	}
	if len(splices) > 1 { // neighbours may both go; write what stays
		return []doc.Splice{{Span: v, New: "[" + strings.Join(keep, ", ") + "]"}}, nil
	}
	return splices, nil
}
