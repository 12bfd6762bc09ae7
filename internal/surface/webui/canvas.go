package webui

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// canvasCard is a card of a board in JSON Canvas.
type canvasCard struct {
	ID, Type, Text, File, URL, Label string
	X, Y, Width, Height              float64
}

const (
	// maxCards bounds the cards that are drawn.
	maxCards = 2000
	// farthest bounds where a card is drawn, and its size.
	farthest = 1e5
)

// canvas draws a board: its cards with the beginning of their text, and the edges between
// them; nil for invalid JSON Canvas.
func (v *view) canvas(p data) node {
	var board struct {
		Nodes []canvasCard
		Edges []struct{ FromNode, ToNode, Label string }
	}
	text := []byte(p.str("text"))
	if !v.credentials() {
		text = secrets.Hide(text)
	}
	if json.Unmarshal(text, &board) != nil || len(board.Nodes) == 0 || len(board.Nodes) > maxCards {
		return nil
	}
	at := map[string]canvasCard{}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range board.Nodes {
		c := &board.Nodes[i]
		c.X, c.Y = min(max(c.X, -farthest), farthest), min(max(c.Y, -farthest), farthest)
		c.Width, c.Height = min(max(c.Width, 0), farthest), min(max(c.Height, 0), farthest)
		at[c.ID] = *c
		left, top, right, bottom = min(left, c.X), min(top, c.Y), max(right, c.X+c.Width), max(bottom, c.Y+c.Height)
	}
	const margin = 24
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="canvas" viewBox="%.0f %.0f %.0f %.0f" role="group" aria-label="Board with %d cards">`, left-margin, top-margin, right-left+2*margin, bottom-top+2*margin, len(board.Nodes))
	for _, kind := range []bool{true, false} { // groups are behind
		for _, c := range board.Nodes {
			if group := c.Type == "group"; group == kind && group {
				fmt.Fprintf(&b, `<g class="group"><rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" rx="12"/><text x="%.0f" y="%.0f">%s</text></g>`, c.X, c.Y, c.Width, c.Height, c.X+8, c.Y-6, escapedLine(c.Label))
			}
		}
		if kind {
			for _, e := range board.Edges {
				from, ok := at[e.FromNode]
				to, too := at[e.ToNode]
				if ok && too {
					x1, y1, x2, y2 := from.X+from.Width/2, from.Y+from.Height/2, to.X+to.Width/2, to.Y+to.Height/2
					fmt.Fprintf(&b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f"/>`, x1, y1, x2, y2)
					if e.Label != "" {
						fmt.Fprintf(&b, `<text class="label" x="%.0f" y="%.0f" text-anchor="middle">%s</text>`, (x1+x2)/2, (y1+y2)/2-4, escapedLine(e.Label))
					}
				}
			}
			continue
		}
		for _, c := range board.Nodes {
			if c.Type != "group" {
				v.card(&b, c, space(p.str("ref")))
			}
		}
	}
	b.WriteString("</svg>")
	return el("div.scroll", attr{"tabindex", "0"}, attr{"role", "region"}, attr{"aria-label", "Board"}, trusted(b.String()))
}

// card draws a card; one of a page leads there.
func (v *view) card(b *strings.Builder, c canvasCard, in string) {
	text, end := c.Text, ""
	switch {
	case c.File != "":
		text = strings.TrimSuffix(path.Base(c.File), ".md")
		if ext := path.Ext(c.File); ext == ".md" || ext == ".org" || ext == ".canvas" {
			fmt.Fprintf(b, `<a href="%s">`, html.EscapeString(v.pageAt(in+":"+c.File)))
			end = "</a>"
		}
	case c.URL != "":
		text = c.URL
	}
	fmt.Fprintf(b, `<g class="%s"><rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" rx="8"/>`, plainWord(c.Type), c.X, c.Y, c.Width, c.Height)
	wide, room := max(8, int((c.Width-24)/8)), max(1, int((c.Height-16)/20))
	for i, line := range wrapped(text, wide, room) {
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f">%s</text>`, c.X+12, c.Y+24+float64(i)*20, escapedLine(line))
	}
	b.WriteString("</g>" + end)
}

func escapedLine(s string) string { return html.EscapeString(safetext.Line(s)) }

// wrapped are the first lines of a text, each of a width in characters.
func wrapped(text string, wide, most int) (out []string) {
	for paragraph := range strings.Lines(strings.TrimSpace(text)) {
		var line strings.Builder
		size := 0
		for word := range strings.FieldsSeq(paragraph) {
			n := utf8.RuneCountInString(word)
			if size > 0 && size+1+n > wide {
				if out = append(out, line.String()); len(out) > most {
					break
				}
				line.Reset()
				size = 0
			}
			if size > 0 {
				line.WriteByte(' ')
				size++
			}
			if n > wide {
				word, n = string([]rune(word)[:wide-1])+"…", wide
			}
			line.WriteString(word)
			size += n
		}
		if out = append(out, line.String()); len(out) > most {
			out = out[:most]
			out[most-1] += " …"
			return out
		}
	}
	return out
}
