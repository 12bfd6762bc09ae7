package canvas

import (
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Type is the type of every page of the format.
const Type = "canvas"

// Codec implements doc.Codec for JSON Canvas.
type Codec struct{}

var _ doc.Codec = Codec{}

// Format returns doc.Canvas.
func (Codec) Format() doc.Format { return doc.Canvas }

// In returns the codec: a canvas has the same form in every syntax.
func (c Codec) In(kb.Syntax) doc.Codec { return c }

// Extensions returns ".canvas".
func (Codec) Extensions() []string { return []string{".canvas"} }

// Parse reads source as the page at path. Text that is not a JSON object is
// opaque. An empty file is an empty canvas.
func (Codec) Parse(path string, source []byte) *doc.Document {
	text, enc := doc.Decode(source)
	d := &doc.Document{Format: doc.Canvas, Path: path, Source: source, Text: text, Encoding: enc, EOL: doc.DetectEOL(text)}
	b, err := read(text)
	if err != nil && enc != doc.Opaque {
		d.Text, d.Encoding = nil, doc.Opaque
		d.Warnings = append(d.Warnings, doc.Warning{Code: "not-canvas", Text: "Not a valid JSON canvas.", Line: 1})
	}
	all := doc.Span{End: len(d.Text)}
	d.Nodes = []doc.Node{{Heading: -1, Span: all, Truth: all, Timeline: doc.Span{Start: all.End, End: all.End}, Title: doc.TitleFromPath(path), Type: Type}}
	d.Nodes[0].Links = b.links(d.Text)
	d.Marks = b.marks(d.Text)
	return d
}

// Apply changes the targets of links; all other edits are refused.
func (c Codec) Apply(d *doc.Document, node string, edits ...doc.Edit) ([]byte, error) {
	written := make([]doc.Edit, len(edits))
	for i, e := range edits {
		if r, ok := e.(doc.Retarget); ok {
			e = inJSON(d, r)
		}
		written[i] = e
	}
	return doc.Perform(c, d, node, written...)
}

// Plan returns the splices for one edit; see doc.Planner.
func (Codec) Plan(d *doc.Document, node int, e doc.Edit) ([]doc.Splice, error) {
	if _, ok := e.(doc.Retarget); !ok {
		return nil, kb.Errorf(kb.Invalid, "%s is a canvas, which cairn does not edit", d.Path).
			WithHint("Draw it in a program such as Obsidian, or write it whole.")
	}
	splices, _, err := doc.PlanText(d, node, e)
	return splices, err
}

// inJSON converts link targets to the form of a canvas: file nodes have a plain path,
// Markdown links a path with slashes and percent signs.
func inJSON(d *doc.Document, r doc.Retarget) doc.Retarget {
	files := map[doc.Span]bool{}
	for _, l := range d.Nodes[0].Links {
		files[l.NameAt] = l.Kind == doc.MarkLink
	}
	out := doc.Retarget{Links: make([]doc.RetargetOne, len(r.Links))}
	for i, l := range r.Links {
		if files[l.At] {
			if plain, err := url.PathUnescape(l.Raw); err == nil {
				l.Raw = plain
			}
			l.Raw = strings.TrimPrefix(l.Raw, "/")
		}
		l.Raw = quoted(l.Raw)
		out.Links[i] = l
	}
	return out
}

// New returns a canvas with the body as its JSON, split into lines if it is one line. It
// fails with kb.Invalid if the body is not a canvas or metadata is given.
func (Codec) New(p doc.NewPage) ([]byte, error) {
	if p.ID != "" || p.Title != "" || p.Type != "" && p.Type != Type || p.Status != "" || p.Created != "" || p.Summary != "" || len(p.Tags)+len(p.Metadata) > 0 {
		return nil, kb.Errorf(kb.Invalid, "a canvas has no metadata, and is called as its file is")
	}
	if err := Check([]byte(p.Body)); err != nil {
		return nil, err
	}
	return indented([]byte(p.Body)), nil
}
