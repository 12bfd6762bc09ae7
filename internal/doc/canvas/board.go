package canvas

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// value is a string of the JSON.
type value struct {
	text string
	at   doc.Span // between the quotation marks
}

// item holds the string members of a node or an edge.
type item map[string]value

// board is the content of a canvas.
type board struct{ nodes, edges []item }

var errNoCanvas = errors.New("no JSON canvas")

// read reads the JSON of a canvas. A blank text is an empty canvas.
func read(text []byte) (board, error) {
	var b board
	if doc.Blank(text) {
		return b, nil
	}
	if !json.Valid(text) {
		return b, errNoCanvas
	}
	r := reader{text: text, in: json.NewDecoder(bytes.NewReader(text))}
	r.in.UseNumber()
	if t, err := r.in.Token(); err != nil || t != json.Delim('{') {
		return b, errNoCanvas
	}
	err := r.members(func(key string) error {
		switch key {
		case "nodes":
			return r.items(&b.nodes)
		case "edges":
			return r.items(&b.edges)
		}
		return r.skip()
	})
	if err != nil {
		return board{}, errNoCanvas
	}
	return b, nil
}

// reader reads tokens of JSON that is valid.
type reader struct {
	text []byte
	in   *json.Decoder
}

// members calls do for each member of an object, after its opening brace was read. do reads
// the value.
func (r *reader) members(do func(key string) error) error {
	for r.in.More() {
		key, err := r.in.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := do(name); err != nil {
			return err
		}
	}
	_, err := r.in.Token()
	return err
}

// items reads an array of objects. Other elements are ignored.
func (r *reader) items(out *[]item) error {
	if t, err := r.in.Token(); err != nil || t != json.Delim('[') {
		return cmp.Or(err, r.rest(t))
	}
	for r.in.More() {
		t, err := r.in.Token()
		if err != nil {
			return err
		}
		if t != json.Delim('{') {
			if err := r.rest(t); err != nil {
				return err
			}
			continue
		}
		x := item{}
		err = r.members(func(key string) error {
			from := r.in.InputOffset()
			t, err := r.in.Token()
			if err != nil {
				return err
			}
			text, ok := t.(string)
			if !ok {
				return r.rest(t)
			}
			start := int(from) + bytes.IndexByte(r.text[from:], '"') + 1
			x[key] = value{text, doc.Span{Start: start, End: int(r.in.InputOffset()) - 1}}
			return nil
		})
		if err != nil {
			return err
		}
		*out = append(*out, x)
	}
	_, err := r.in.Token()
	return err
}

// skip reads a value.
func (r *reader) skip() error {
	t, err := r.in.Token()
	if err != nil {
		return err
	}
	return r.rest(t)
}

// rest reads the rest of a value that starts with t.
func (r *reader) rest(t json.Token) error {
	depth := 0
	for {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return nil
		}
		var err error
		if t, err = r.in.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
}

// shown returns the texts of a canvas by position, and which of them are addresses.
func (b board) shown() (texts []value, addresses map[int]bool) {
	addresses = map[int]bool{}
	for _, n := range b.nodes {
		switch n["type"].text {
		case "text":
			texts = append(texts, n["text"])
		case "group":
			texts = append(texts, n["label"])
		case "link":
			texts = append(texts, n["url"])
			addresses[n["url"].at.Start] = true
		}
	}
	for _, e := range b.edges {
		texts = append(texts, e["label"])
	}
	texts = slices.DeleteFunc(texts, func(v value) bool { return v.at.Len() == 0 })
	slices.SortFunc(texts, func(a, b value) int { return cmp.Compare(a.at.Start, b.at.Start) })
	return texts, addresses
}

// marks returns marks for everything that is not text of the canvas.
func (b board) marks(text []byte) []doc.Mark {
	var out []doc.Mark
	at := 0
	between := func(to int) {
		if to > at {
			out = append(out, doc.Mark{Span: doc.Span{Start: at, End: to}, Kind: doc.Between})
		}
	}
	texts, addresses := b.shown()
	for _, v := range texts {
		between(v.at.Start)
		if addresses[v.at.Start] {
			out = append(out, doc.Mark{Span: v.at, Kind: doc.Address})
		} else {
			out = append(out, escapes(text, v.at)...)
		}
		at = v.at.End
	}
	between(len(text))
	return out
}

// escapes marks the escapes in a JSON string.
func escapes(text []byte, in doc.Span) []doc.Mark {
	var out []doc.Mark
	for i := in.Start; i < in.End; {
		if text[i] != '\\' {
			i++
			continue
		}
		end := i + 2
		if text[i+1] == 'u' {
			end = i + 6
			if _, low := doc.Unescape(text[i:min(i+12, in.End)]); low == 12 {
				end = i + 12 // a surrogate pair
			}
		}
		out = append(out, doc.Mark{Span: doc.Span{Start: i, End: end}, Kind: doc.Escape})
		i = end
	}
	return out
}

// links returns the links to files shown on a canvas, to the targets of its labelled edges,
// and those in its texts.
func (b board) links(text []byte) []doc.Link {
	var out []doc.Link
	files := map[string]doc.Target{} // by node id
	for _, n := range b.nodes {
		switch n["type"].text {
		case "file":
			if t, ok := fileTarget(text, n); ok {
				files[n["id"].text] = t
				out = append(out, doc.Link{Target: t, Type: kb.PlainLink})
			}
		case "text":
			out = append(out, wikilinks(text, n["text"].at)...)
		}
	}
	for _, e := range b.edges {
		t, ok := files[e["toNode"].text]
		kind, typed := doc.RelationType(e["label"].text)
		if ok && typed {
			out = append(out, doc.Link{Target: t, Type: kind})
		}
	}
	slices.SortStableFunc(out, func(a, b doc.Link) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out
}

// fileTarget is the target of a file node, relative to the root of the space.
func fileTarget(text []byte, n item) (doc.Target, bool) {
	file := n["file"]
	if !doc.IsPage(file.text) || strings.HasPrefix(file.text, "/") {
		return doc.Target{}, false
	}
	heading, _ := strings.CutPrefix(n["subpath"].text, "#")
	return doc.Target{
		Kind: doc.MarkLink, Raw: string(text[file.at.Start:file.at.End]), Name: "/" + file.text, Heading: heading,
		Span: file.at, NameAt: file.at,
	}, true
}

// wikilinks returns the links in a text. A link with an escape is left out, since its bytes
// differ from its name.
func wikilinks(text []byte, in doc.Span) []doc.Link {
	raw := string(text[in.Start:in.End])
	var out []doc.Link
	for at := 0; ; {
		open := strings.Index(raw[at:], "[[")
		if open < 0 {
			return out
		}
		open += at
		end := strings.Index(raw[open:], "]]")
		if end < 0 {
			return out
		}
		end += open
		inner := raw[open+2 : end]
		if t := doc.WikiTarget(inner, in.Start+open+2); t.Name != "" && !strings.ContainsAny(inner, `[]\`) {
			t.Span = doc.Span{Start: in.Start + open, End: in.Start + end + 2}
			out = append(out, doc.Link{Target: t, Type: kb.PlainLink})
		}
		at = end + 2
	}
}
