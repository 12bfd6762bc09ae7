package canvas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// quoted escapes a text for a JSON string.
func quoted(text string) string {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	if err := j.Encode(text); err != nil { // strings always encode
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// indented returns a canvas with each member on its own line, if it has lines
// already.
func indented(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n')
	}
	if bytes.Count(text, []byte("\n")) > 1 {
		return text
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "\t"); err != nil {
		return text
	}
	return out.Bytes()
}

// The members that JSON Canvas 1.0 knows.
type (
	node struct {
		ID, Type            string
		X, Y, Width, Height *float64
		Text, File, URL     *string
		Subpath             string
	}
	edge struct {
		ID, FromNode, ToNode             string
		FromSide, ToSide, FromEnd, ToEnd string
	}
)

// Check returns kb.Invalid when a text is not JSON Canvas 1.0. Unknown members
// are ignored.
func Check(text []byte) error {
	var b struct {
		Nodes []node
		Edges []edge
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return wrong("has invalid JSON: %w", err)
	}
	ids := map[string]bool{}
	for i, n := range b.Nodes {
		if err := n.check(); err != nil {
			return wrong("node %d %w", i+1, err)
		}
		if ids[n.ID] {
			return wrong("has two nodes with the id %q", n.ID)
		}
		ids[n.ID] = true
	}
	for i, e := range b.Edges {
		if err := e.check(ids); err != nil {
			return wrong("edge %d %w", i+1, err)
		}
	}
	return nil
}

func wrong(format string, args ...any) error {
	return kb.Errorf(kb.Invalid, "the canvas "+format, args...).WithHint("Nothing was written. The format is JSON Canvas 1.0: jsoncanvas.org")
}

func (n node) check() error {
	needs := map[string]*string{"text": n.Text, "file": n.File, "link": n.URL}
	needed, known := needs[n.Type]
	switch {
	case n.ID == "":
		return fmt.Errorf("has no id")
	case !known && n.Type != "group":
		return fmt.Errorf("is of the type %q: there are text, file, link and group", n.Type)
	case known && needed == nil:
		return fmt.Errorf("has no %s", map[string]string{"text": "text", "file": "file", "link": "url"}[n.Type])
	case n.X == nil || n.Y == nil || n.Width == nil || n.Height == nil:
		return fmt.Errorf("needs x, y, width and height")
	case n.Subpath != "" && !strings.HasPrefix(n.Subpath, "#"):
		return fmt.Errorf("has a subpath that does not begin with #")
	}
	return nil
}

func (e edge) check(nodes map[string]bool) error {
	side := func(s string) bool { return s == "" || slices.Contains([]string{"top", "right", "bottom", "left"}, s) }
	end := func(s string) bool { return s == "" || s == "none" || s == "arrow" }
	switch {
	case e.ID == "":
		return fmt.Errorf("has no id")
	case !nodes[e.FromNode] || !nodes[e.ToNode]:
		return fmt.Errorf("leads from or to a node that is not there")
	case !side(e.FromSide) || !side(e.ToSide):
		return fmt.Errorf("has a side other than top, right, bottom and left")
	case !end(e.FromEnd) || !end(e.ToEnd):
		return fmt.Errorf("has an end that is neither none nor arrow")
	}
	return nil
}
