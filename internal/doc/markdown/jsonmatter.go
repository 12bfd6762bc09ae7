package markdown

import (
	"bytes"
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/doc"
)

// readJSON finds and parses frontmatter in JSON, as in Hugo: an object at the start of the
// file, with nothing else on its last line. Other text that starts with a brace is not
// frontmatter.
func (m *matter) readJSON(d *doc.Document) {
	text := d.Text
	fields, end, err := jsonFields(text[:min(len(text), maxYAML)], 0)
	if err != nil || !doc.Blank(text[end:doc.LineEnd(text, end)]) {
		if doc.Blank(text[1:doc.LineEnd(text, 0)]) && m.closedObject(text) {
			m.lang = inJSON
			warn(d, "frontmatter-not-json", "The frontmatter is not an object in JSON that can be read; it was read as text.", 0)
		}
		return
	}
	m.lang, m.usable, m.fields = inJSON, true, fields
	m.inner = doc.Span{Start: 1, End: end - 1}
	m.head.End = doc.LineEnd(text, end)
}

// jsonFields returns the members of the object at a position, and its end.
func jsonFields(text []byte, start int) (fields []field, end int, err error) {
	dec := json.NewDecoder(bytes.NewReader(text[start:]))
	dec.UseNumber()
	_, err = dec.Token()
	for err == nil && dec.More() {
		f := field{}
		f.key, f.span.Start, err = jsonName(dec, text, start)
		if err != nil {
			break
		}
		var raw json.RawMessage
		if err = dec.Decode(&raw); err != nil {
			break
		}
		end := start + int(dec.InputOffset())
		at := doc.Span{Start: end - len(raw), End: end}
		value := json.NewDecoder(bytes.NewReader(raw))
		value.UseNumber()
		var data any
		if err = value.Decode(&data); err != nil {
			break
		}
		read := dataField(f.key, data)
		read.span, read.at = doc.Span{Start: f.span.Start, End: end}, at
		if read.kind == opaque {
			read.values, read.data = []string{string(raw)}, data
		}
		read.place()
		fields = append(fields, read)
	}
	if err == nil {
		_, err = dec.Token()
	}
	return fields, start + int(dec.InputOffset()), err
}

// closedObject reports whether a line "}" closes the brace on the first line, and the brace
// is followed by a name in quotation marks. That line is the end of the frontmatter.
func (m *matter) closedObject(text []byte) bool {
	if rest := bytes.TrimLeft(text[1:], " \t\r\n"); len(rest) == 0 || rest[0] != '"' {
		return false
	}
	for at := doc.LineEnd(text, 0); at < len(text); at = doc.LineEnd(text, at) {
		if end := doc.LineEnd(text, at); string(bytes.TrimSpace(text[at:end])) == "}" {
			m.head.End, m.inner = end, doc.Span{Start: 1, End: at}
			return true
		}
	}
	return false
}

// jsonName returns the name of the next member of an object from start, and its position.
func jsonName(dec *json.Decoder, text []byte, start int) (name string, at int, err error) {
	at = start + int(dec.InputOffset())
	for at < len(text) && text[at] != '"' { // a comma and blanks
		at++
	}
	token, err := dec.Token()
	name, _ = token.(string)
	return name, at, err
}
