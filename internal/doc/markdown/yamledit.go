package markdown

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// matterEditor plans changes of the frontmatter as splices of values and lines; the YAML is
// never rewritten. doc.Perform reads the result back, so that unforeseen structure (anchors,
// odd indentation) makes the edit fail instead of damaging the page.
type matterEditor struct {
	d      *doc.Document
	matter matter

	// For a nested map:
	outer  *matterEditor
	holder field // field with the map as its value
}

// editable fails if a block at the place of the frontmatter cannot take keys.
func (y *matterEditor) editable() error {
	if y.matter.flow || y.matter.broken() {
		return kb.Errorf(kb.Invalid, "the frontmatter is not a block of %s keys", y.matter.lang).
			WithHint("mend the block at the top, or leave a blank line above it to make it text")
	}
	return nil
}

// broken reports whether the frontmatter block is not a map.
func (m *matter) broken() bool { return m.head.Len() > 0 && !m.usable }

// unedited is the result of a metadata edit with a broken frontmatter: it
// succeeds only if nothing has to change.
func (y *matterEditor) unedited(n *doc.Node, e doc.Edit) error {
	switch e := e.(type) {
	case doc.RemoveProperty:
		if _, ok := n.Property(e.Key); !ok {
			return nil
		}
	case doc.AddTag:
		if doc.HasTag(n.Tags, doc.NormalizeTag(e.Tag)) {
			return nil
		}
	}
	return y.editable()
}

func (y *matterEditor) setScalar(key, value string, typed bool) ([]doc.Splice, error) {
	if y.matter.fielded {
		return y.setField(key, value)
	}
	f, ok := y.matter.field(key)
	style := byte(0)
	if ok {
		if err := y.placed(f); err != nil {
			return nil, err
		}
		style = y.style(f)
	}
	text, err := y.scalar(key, f, style, value, typed)
	if err != nil {
		return nil, err
	}
	if !ok {
		return y.add(key, text)
	}
	return y.replace(f, func(byte) string { return text })
}

// setWritten sets a key to a value given as one line of YAML or JSON.
func (y *matterEditor) setWritten(key, value string) ([]doc.Splice, error) {
	value, err := y.translated(key, value)
	if err != nil {
		return nil, err
	}
	if y.matter.fielded {
		return y.setField(key, value)
	}
	f, ok := y.matter.field(key)
	if !ok {
		return y.add(key, value)
	}
	return y.replace(f, func(byte) string { return value })
}

func (y *matterEditor) setList(key string, values []string) ([]doc.Splice, error) {
	if y.matter.fielded {
		return y.setField(key, fieldText(key, values))
	}
	f, ok := y.matter.field(key)
	switch {
	case !ok && (len(values) == 0 || y.matter.lang != inYAML || y.outer != nil || isSiteMap(key)):
		return y.add(key, y.list(key, values))
	case !ok:
		return y.add(key, y.blockItems(key, "  ", values))
	}
	if items := y.block(f); len(items) > 0 && len(values) > 0 {
		span := doc.Span{Start: items[0].line.Start, End: items[len(items)-1].line.End}
		text := y.blockItems(key, items[0].indent, values)
		return []doc.Splice{{Span: span, New: strings.TrimPrefix(text, y.d.EOL) + y.d.EOL}}, nil
	}
	return y.replace(f, func(byte) string { return y.list(key, values) })
}

// keys returns the keys of the frontmatter for editing.
func (y *matterEditor) keys() doc.Keys {
	k := doc.Keys{Text: y.d.Text, EOL: y.d.EOL, Gap: " "}
	for i, f := range y.matter.fields {
		key := doc.Key{Name: f.key, Span: f.span}
		if y.matter.lang == inJSON || y.matter.braces {
			key.Span = y.matter.member(i)
		}
		k.All = append(k.All, key)
	}
	return k
}

// add adds a new key with its value after the others. A page without frontmatter gets one in
// YAML.
func (y *matterEditor) add(key, text string) ([]doc.Splice, error) {
	if err := y.editable(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(key) == "" || strings.ContainsAny(key, "\r\n") {
		return nil, kb.Errorf(kb.Usage, "a metadata key is one line of text")
	}
	if y.outer != nil {
		return y.addNested(key, text)
	}
	if isSiteMap(key) {
		if err := y.leadsOn(key); err != nil {
			return nil, err
		}
	}
	switch {
	case isSiteMap(key) && y.matter.lang == inTOML:
		return []doc.Splice{y.keys().Insert(y.matter.insert, tomlPath(key)+" = "+text)}, nil
	case isSiteMap(key) && y.matter.lang == inYAML:
		first, rest, _ := strings.Cut(key, ".")
		rest, text = y.held(rest, text)
		key, text = first, y.d.EOL+"  "+y.inBraces(rest, text)
	case isSiteMap(key):
		key, text = y.held(key, text)
	}
	if y.matter.lang != inYAML {
		return y.addLiteral(key, text), nil
	}
	return y.addLine(key, text), nil
}

// addLine adds a new YAML key on its own line after the others.
func (y *matterEditor) addLine(key, text string) []doc.Splice {
	eol := y.d.EOL
	line := y.name(key) + ":"
	if !strings.HasPrefix(text, eol) {
		line += " "
	}
	line += text
	if y.outer == nil && y.matter.head.Len() == 0 {
		head := "---" + eol + line + eol + "---" + eol
		if len(y.d.Text) > 0 && !doc.Blank(y.d.Text[:doc.LineEnd(y.d.Text, 0)]) {
			head += eol
		}
		return []doc.Splice{{New: head}}
	}
	if len(y.matter.fields) > 0 {
		first := y.matter.fields[0].span
		indent := y.d.Text[first.Start:first.End]
		line = string(indent[:len(indent)-len(strings.TrimLeft(string(indent), " "))]) + line
	}
	return []doc.Splice{y.keys().Insert(y.matter.inner.End, line)}
}

// replace replaces f's value. write gets the quotation mark of the old value, 0 if it has
// none.
func (y *matterEditor) replace(f field, write func(style byte) string) ([]doc.Splice, error) {
	if err := y.placed(f); err != nil {
		return nil, err
	}
	value := write(y.style(f))
	if f.at.Len() > 0 {
		return []doc.Splice{{Span: f.at, New: value}}, nil
	}
	return y.keys().Set([]doc.Key{{Value: y.value(f)}}, value), nil
}

// placed fails if the value of a field cannot be replaced.
func (y *matterEditor) placed(f field) error {
	if err := y.editable(); err != nil {
		return err
	}
	if f.colon == 0 && f.at.Len() == 0 {
		return kb.Errorf(kb.Invalid, "the key %q is written in a way that cannot be edited", f.key)
	}
	return nil
}

// style returns the quotation mark of a field's value, 0 when it has none.
func (y *matterEditor) style(f field) byte {
	if text := y.d.Slice(y.value(f)); text != "" && (text[0] == '"' || text[0] == '\'') {
		return text[0]
	}
	return 0
}

// value returns the span of a field's value: one token if it is the rest of the key's line
// and no lines follow, else everything up to the end of the field.
func (y *matterEditor) value(f field) doc.Span {
	if y.matter.lang != inYAML || f.at.Len() > 0 {
		return f.at
	}
	text := y.d.Text
	lineEnd := f.colon + len(trimEOL(text[f.colon:doc.LineEnd(text, f.colon)]))
	all := doc.Span{Start: f.colon, End: f.span.Start + len(trimEOL(text[f.span.Start:f.span.End]))}
	for all.Start < lineEnd && (text[all.Start] == ' ' || text[all.Start] == '\t') {
		all.Start++
	}
	oneLine := all.End <= lineEnd
	if all.Start == lineEnd { // the value starts on the next line
		if oneLine {
			return doc.Span{Start: all.Start, End: all.Start}
		}
		return doc.Span{Start: f.colon, End: all.End}
	}
	rest := text[all.Start:lineEnd]
	switch rest[0] {
	case '#': // a comment; the value, if any, starts on the next line
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
	case '|', '>':
		return doc.Span{Start: all.Start, End: blockScalarEnd(text, lineEnd, all.End)}
	case '&', '!', '*':
		return all
	}
	return doc.Span{Start: all.Start, End: all.Start + plainEnd(text[all.Start:all.End])}
}

// blockScalarEnd returns the end of a block scalar with a header up to a line's end: before
// the comments that are indented less than its text, without its last line end.
func blockScalarEnd(text []byte, header, limit int) int {
	end, indent := header, 0
	for at := doc.LineEnd(text, header); at < limit; at = doc.LineEnd(text, at) {
		line := trimEOL(text[at:min(doc.LineEnd(text, at), limit)])
		if doc.Blank(line) {
			continue
		}
		if indent == 0 {
			indent = indentOf(line)
		}
		if indentOf(line) < indent && line[indentOf(line)] == '#' {
			return end
		}
		end = at + len(line)
	}
	return end
}

// plainEnd returns the length of a plain scalar, without a comment after it.
func plainEnd(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		if rest[i] == '#' && strings.IndexByte(" \t\r\n", rest[i-1]) >= 0 {
			rest = rest[:i]
			break
		}
	}
	return len(strings.TrimRight(string(rest), " \t\r\n"))
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
		case '#':
			if i > 0 && strings.IndexByte(" \t\r\n", s[i-1]) >= 0 { // a comment
				i = doc.LineEnd(s, i) - 1
			}
		case '"', '\'':
			// In a plain scalar a quotation mark is an ordinary character.
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
func (y *matterEditor) addTag(n *doc.Node, raw string) ([]doc.Splice, error) {
	tag := doc.NormalizeTag(raw)
	if tag == "" {
		return nil, kb.Errorf(kb.Usage, "the tag is empty")
	}
	if doc.HasTag(n.Tags, tag) {
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
		return y.replace(f, func(byte) string { return y.list(f.key, []string{tag}) })
	case opaque:
		return nil, kb.Errorf(kb.Invalid, "the tags are nested %s and cannot be edited", y.matter.lang)
	case scalar:
		return y.rewriteTags(f, append(doc.Tags(tagsOf(f)), tag))
	}
	if items := y.block(f); len(items) > 0 {
		last := items[len(items)-1]
		at := doc.Span{Start: last.line.End, End: last.line.End}
		return []doc.Splice{{Span: at, New: last.indent + "- " + y.item(f.key, tag, false) + y.d.EOL}}, nil
	}
	v := y.value(f)
	if !strings.HasPrefix(y.d.Slice(v), "[") {
		return nil, kb.Errorf(kb.Invalid, "the tags are written in a way that cannot be edited")
	}
	items := y.flow(v)
	if len(items) == 0 {
		return []doc.Splice{{Span: v, New: y.list("tags", []string{tag})}}, nil
	}
	end := items[len(items)-1].End
	return []doc.Splice{{Span: doc.Span{Start: end, End: end}, New: y.separator(items) + y.item("tags", tag, true)}}, nil
}

// tagField returns the field that holds the tags.
func (y *matterEditor) tagField() (field, bool) {
	if len(y.matter.taxonomy) > 0 {
		return y.matter.taxonomy[0], true
	}
	for _, key := range []string{"tags", "tag"} {
		if f, ok := y.matter.field(key); ok {
			return f.flat(), true
		}
		for _, f := range y.matter.fields {
			if strings.EqualFold(f.key, key) {
				return f.flat(), true
			}
		}
	}
	return field{}, false
}

// rewriteTags writes tags that are one string: with the same separator, or as a list if
// there was only one tag.
func (y *matterEditor) rewriteTags(f field, tags []string) ([]doc.Splice, error) {
	old := f.values[0]
	return y.replace(f, func(style byte) string {
		switch {
		case strings.Contains(old, ","):
			return y.text(strings.Join(tags, ", "), style, false)
		case len(strings.Fields(old)) > 1 && !slices.ContainsFunc(tags, func(t string) bool { return strings.ContainsAny(t, " ,") }):
			return y.text(strings.Join(tags, " "), style, false)
		}
		return y.list("tags", tags)
	})
}

// removeTag removes a tag from every key that has it.
func (y *matterEditor) removeTag(n *doc.Node, raw string) ([]doc.Splice, error) {
	tag := doc.NormalizeTag(raw)
	for _, t := range n.InlineTags {
		if strings.EqualFold(t.Name, tag) {
			line := doc.LineAt(y.d.Text, t.Span.Start)
			return nil, kb.Errorf(kb.Refused, "the tag #%s is in the text of the page, in line %d", t.Name, line).
				WithReason(kb.TagInText).WithFact("tag", t.Name).WithFact("line", line).With("line", line)
		}
	}
	if err := doc.NamedTag(y.d.Path, tag); err != nil {
		return nil, err
	}
	if !slices.Contains(n.Tags, tag) {
		return nil, kb.Errorf(kb.NotFound, "the page has no tag %q in its metadata", tag)
	}
	if y.matter.broken() {
		return nil, y.editable()
	}
	var splices []doc.Splice
	for _, f := range slices.Concat(y.matter.fields, y.matter.taxonomy) {
		f = f.flat()
		if f.key != zolaTags && !strings.EqualFold(f.key, "tags") && !strings.EqualFold(f.key, "tag") || !slices.Contains(doc.Tags(tagsOf(f)), tag) {
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

func (y *matterEditor) dropTag(f field, tag string) ([]doc.Splice, error) {
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
			if doc.NormalizeTag(y.itemText(item.text)) == tag {
				splices = append(splices, doc.Splice{Span: item.line})
			}
		}
		return splices, nil
	}
	items := y.flow(y.value(f))
	gone := make([]bool, len(items))
	for i, item := range items {
		gone[i] = doc.NormalizeTag(y.itemText(y.d.Slice(item))) == tag
	}
	return y.cut(items, gone), nil
}

// renameTag renames a tag in every key that has it, and in the text.
func (y *matterEditor) renameTag(n *doc.Node, e doc.RenameTag) ([]doc.Splice, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	for _, tag := range doc.DenoteKeywords(y.d.Path) {
		if e.Renamed(tag) != tag {
			return nil, doc.NamedTag(y.d.Path, tag)
		}
	}
	var splices []doc.Splice
	for _, t := range n.InlineTags {
		if name := e.Renamed(t.Name); name != t.Name {
			written := y.d.Slice(t.Span)
			i := strings.LastIndex(written, t.Name)
			if i < 0 {
				return nil, kb.Errorf(kb.Invalid, "the tag %s is written in a way that cannot be edited", t.Name)
			}
			splices = append(splices, doc.Splice{Span: doc.Span{Start: t.Span.Start + i, End: t.Span.Start + i + len(t.Name)}, New: name})
		}
	}
	for _, f := range slices.Concat(y.matter.fields, y.matter.taxonomy) {
		f = f.flat()
		if f.key != zolaTags && !strings.EqualFold(f.key, "tags") && !strings.EqualFold(f.key, "tag") {
			continue
		}
		old := doc.Tags(tagsOf(f))
		renamed := make([]string, len(old))
		for i, tag := range old {
			renamed[i] = e.Renamed(tag)
		}
		if slices.Equal(old, renamed) {
			continue
		}
		if y.matter.broken() {
			return nil, y.editable()
		}
		found, err := y.renameIn(f, e, doc.Tags(renamed))
		if err != nil {
			return nil, err
		}
		splices = append(splices, found...)
	}
	return splices, nil
}

// renameIn renames a tag in a field; tags are its tags afterwards.
func (y *matterEditor) renameIn(f field, e doc.RenameTag, tags []string) ([]doc.Splice, error) {
	switch {
	case y.matter.fielded:
		return y.setList(f.key, tags)
	case f.kind == scalar && len(tags) == 1 && !strings.ContainsAny(tags[0], " ,"):
		return y.replace(f, func(style byte) string { return y.text(tags[0], style, false) })
	case f.kind == scalar:
		return y.rewriteTags(f, tags)
	}
	blocks := y.block(f)
	items := make([]doc.Span, len(blocks)) // the values
	for i, item := range blocks {
		items[i] = y.blockValue(item)
	}
	if len(blocks) == 0 {
		items = y.flow(y.value(f))
	}
	old, seen := make([]string, len(items)), map[string]bool{}
	for i, at := range items {
		old[i] = doc.NormalizeTag(y.itemText(y.d.Slice(at)))
		seen[old[i]] = seen[old[i]] || e.Renamed(old[i]) == old[i]
	}
	var splices []doc.Splice
	double := make([]bool, len(items))
	for i, at := range items {
		name := e.Renamed(old[i])
		switch {
		case name == old[i]:
			continue
		case !seen[name]:
			splices = append(splices, doc.Splice{Span: at, New: y.tagItem(name, y.d.Slice(at), len(blocks) == 0)})
		case len(blocks) > 0:
			splices = append(splices, doc.Splice{Span: blocks[i].line})
		}
		double[i] = seen[name]
		seen[name] = true
	}
	if len(blocks) == 0 {
		splices = append(splices, y.cut(items, double)...)
	}
	return splices, nil
}

// blockValue returns the span of the value of an item of a block list.
func (y *matterEditor) blockValue(item blockItem) doc.Span {
	text, at := y.d.Text, item.line.Start+len(item.indent)+1
	end := item.line.Start + len(trimEOL(text[item.line.Start:item.line.End]))
	for at < end && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	switch {
	case at == end:
	case text[at] == '"' || text[at] == '\'':
		if n := quotedEnd(text[at:end]); n > 0 {
			end = at + n
		}
	case strings.IndexByte("#|>&!*", text[at]) < 0:
		end = at + plainEnd(text[at:end])
	}
	return doc.Span{Start: at, End: end}
}

// tagItem writes a tag in a list like the old one: with its quotation marks and its sign.
func (y *matterEditor) tagItem(tag, written string, inList bool) string {
	if strings.HasPrefix(y.itemText(written), "#") {
		tag = "#" + tag
	}
	style := byte(0)
	switch {
	case written != "" && (written[0] == '"' || written[0] == '\''):
		style = written[0]
	case y.matter.lang == inYAML && lookOf(tag) != words:
		style = '"'
	}
	return y.text(tag, style, inList)
}

// cut removes items of a list in brackets, each with the comma after it or, at the end, the
// comma before it.
func (y *matterEditor) cut(items []doc.Span, gone []bool) (splices []doc.Splice) {
	last := len(items) - 1
	for last >= 0 && gone[last] {
		last--
	}
	for i, at := range items {
		if !gone[i] {
			continue
		}
		switch {
		case i < last:
			at.End = items[i+1].Start
		case i > 0 && !strings.Contains(y.d.Slice(doc.Span{Start: items[i-1].End, End: at.Start}), "#"):
			at.Start = items[i-1].End
		case i > 0: // the comment stays
			comma := items[i-1].End + strings.IndexByte(y.d.Slice(doc.Span{Start: items[i-1].End, End: at.Start}), ',')
			splices = append(splices, doc.Splice{Span: doc.Span{Start: comma, End: comma + 1}})
		}
		splices = append(splices, doc.Splice{Span: at})
	}
	return splices
}
