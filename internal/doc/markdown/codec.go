package markdown

import (
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Codec implements doc.Codec for Markdown.
type Codec struct {
	syntax doc.Syntax
}

var _ doc.Codec = Codec{}

// Format returns doc.Markdown.
func (Codec) Format() doc.Format { return doc.Markdown }

// In returns the codec for Markdown of a syntax.
func (Codec) In(s kb.Syntax) doc.Codec { return Codec{syntax: doc.SyntaxOf(s)} }

// Extensions returns the extensions of Markdown files, and that of text notes of Denote.
func (Codec) Extensions() []string { return []string{".md", ".markdown", ".txt"} }

// Parse reads source as the page at path.
func (c Codec) Parse(path string, source []byte) *doc.Document {
	text, enc := doc.Decode(source)
	d := &doc.Document{
		Format: doc.Markdown, Path: path, Source: source, Text: text,
		Encoding: enc, EOL: doc.DetectEOL(text),
		Nodes: []doc.Node{{Heading: -1, Span: doc.Span{End: len(text)}}},
	}
	switch enc {
	case doc.Opaque:
		d.Warnings = append(d.Warnings, doc.Warning{Code: "not-text", Text: "The file is not text in a known encoding.", Line: 1})
	case doc.Latin1:
		d.Warnings = append(d.Warnings, doc.Warning{Code: "encoding-latin-1", Text: "The file is not UTF-8 and was read as Latin-1.", Line: 1})
	}
	n := &d.Nodes[0]
	m := readMatter(d, c.syntax)
	if m.usable {
		n.Head = m.head
	}
	s := newScanner(d, c.syntax)
	if m.fielded {
		s.headFields(&m)
	} else {
		m.links(d.Text, n, c.syntax)
	}
	s.scan(n.Head.End, m.head.End)
	if kb.IsTextNote(path) {
		denoteTextLinks(d, n)
	}
	m.describe(n)
	if !m.fielded || len(m.fields) == 0 {
		pageProperties(d, n)
	}
	if c.syntax.Turns {
		onlyTurns(d)
	}
	for _, t := range n.InlineTags {
		n.Tags = append(n.Tags, t.Name)
	}
	n.Tags = doc.Tags(append(n.Tags, doc.DenoteKeywords(path)...))
	if _, uuid := kb.ParseID(n.ID); n.ID != "" && !uuid {
		n.Refs = append(n.Refs, "id:"+n.ID)
		if c.syntax.IDs {
			n.ID = string(kb.NamedID(n.ID))
		}
	}
	n.Refs = append(n.Refs, citeRefs(&m)...)
	if ref, ok := doc.DenoteRef(path, n); ok {
		n.Refs = append(n.Refs, ref)
	}
	if n.Title == "" {
		n.Title = c.syntax.PageName(path)
		if h, ok := ownHeading(d, n); ok && !c.syntax.Named {
			n.Title = h
			n.Aliases = doc.Names(append(n.Aliases, h))
		}
	}
	return d
}

// Apply performs the edits in order; see doc.Codec.
func (c Codec) Apply(d *doc.Document, node string, edits ...doc.Edit) ([]byte, error) {
	return doc.Perform(c, d, node, edits...)
}
