package bases

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Type is the type of every page of the format.
const Type = "base"

// maxYAML is the maximum size of YAML that is parsed, in bytes. A base has some dozens of
// lines.
const maxYAML = 1 << 20

// Codec implements doc.Codec for Obsidian Bases.
type Codec struct{}

var _ doc.Codec = Codec{}

// Format returns doc.Base.
func (Codec) Format() doc.Format { return doc.Base }

// In returns the codec: a base has the same form in every syntax.
func (c Codec) In(kb.Syntax) doc.Codec { return c }

// Extensions returns ".base".
func (Codec) Extensions() []string { return []string{".base"} }

// Parse reads source as the page at path. Text that is not a YAML map is
// opaque. An empty file is an empty base.
func (Codec) Parse(path string, source []byte) *doc.Document {
	text, enc := doc.Decode(source)
	d := &doc.Document{Format: doc.Base, Path: path, Source: source, Text: text, Encoding: enc, EOL: doc.DetectEOL(text)}
	if err := check(text); err != nil && enc != doc.Opaque {
		d.Text, d.Encoding = nil, doc.Opaque
		d.Warnings = append(d.Warnings, doc.Warning{Code: "not-base", Text: "Not a valid base: " + err.Error() + ".", Line: 1})
	}
	end := doc.Span{Start: len(d.Text), End: len(d.Text)}
	d.Nodes = []doc.Node{{Heading: -1, Span: doc.Span{End: end.End}, Truth: end, Timeline: end, Title: doc.TitleFromPath(path), Type: Type}}
	return d
}

// Apply refuses every edit: a base can only be written as a whole.
func (c Codec) Apply(d *doc.Document, node string, edits ...doc.Edit) ([]byte, error) {
	return doc.Perform(c, d, node, edits...)
}

// Plan refuses an edit; see doc.Planner.
func (Codec) Plan(d *doc.Document, _ int, _ doc.Edit) ([]doc.Splice, error) {
	return nil, kb.Errorf(kb.Invalid, "%s is a base, which cairn does not edit", d.Path).
		WithHint("Change it in Obsidian, or write it whole.")
}

// New returns a base with the body as its YAML. It fails with kb.Invalid if the body is not
// a YAML map or metadata is given.
func (Codec) New(p doc.NewPage) ([]byte, error) {
	if p.ID != "" || p.Title != "" || p.Type != "" && p.Type != Type || p.Status != "" || p.Created != "" || p.Summary != "" || len(p.Tags)+len(p.Metadata) > 0 {
		return nil, kb.Errorf(kb.Invalid, "a base has no metadata, and is called as its file is")
	}
	text := []byte(p.Body)
	if err := check(text); err != nil {
		return nil, kb.Errorf(kb.Invalid, "invalid base: not a YAML map: %w", err).WithHint("Nothing was written.")
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text, nil
}

// check returns an error if a text is not a YAML map. It constructs no values and expands no
// aliases.
func check(text []byte) (err error) {
	if doc.Blank(text) {
		return nil
	}
	if len(text) > maxYAML {
		return fmt.Errorf("it has more than %d bytes", maxYAML)
	}
	defer func() { // the parser is third-party code, and its input may be hostile
		if r := recover(); r != nil {
			err = fmt.Errorf("its YAML cannot be read: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	switch err := dec.Decode(&root); {
	case errors.Is(err, io.EOF): // comments
		return nil
	case err != nil:
		return fmt.Errorf("its YAML cannot be read: %w", err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return errors.New("it has more than one YAML document")
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return errors.New("not a map")
	}
	return nil
}
