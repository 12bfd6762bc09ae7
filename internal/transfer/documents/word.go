package documents

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-kb/cairn/internal/transfer/markup"
)

// word reads word/document.xml of a DOCX file.
type word struct {
	dec   *xml.Decoder
	links map[string]string
	depth int
	open  int // open elements

	notes map[string]string // footnotes and endnotes by kind and id
	below []string          // keys of those that the text refers to; they follow the text
	named map[string]string // their labels

	images, footnotes, comments int // left out
}

// maxDepth bounds nested tables, and maxOpen nested elements.
const (
	maxDepth = 32
	maxOpen  = 1000
)

// token reads the next token.
func (w *word) token() (xml.Token, error) {
	t, err := w.dec.Token()
	switch t.(type) {
	case xml.StartElement:
		if w.open++; w.open > maxOpen {
			return nil, errors.New("its elements are nested too deeply")
		}
	case xml.EndElement:
		w.open--
	}
	return t, err
}

// skip reads up to the end of the most recently opened element.
func (w *word) skip() error {
	for in := w.open; w.open >= in; {
		if _, err := w.token(); err != nil {
			return err
		}
	}
	return nil
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// blocks reads paragraphs and tables up to the end of an element, each followed by an empty
// line.
func (w *word) blocks(until string) (out []string, err error) {
	if w.depth++; w.depth > maxDepth {
		return nil, errors.New("its tables are nested too deeply")
	}
	defer func() { w.depth-- }()
	for {
		token, err := w.token()
		if err == io.EOF && until == "" {
			return out, nil
		} else if err != nil {
			return out, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == until {
				return out, nil
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "p":
				text, item, err := w.paragraph()
				if err != nil {
					return out, err
				}
				if n := len(out); item && text != "" && n > 0 && strings.HasPrefix(strings.TrimLeft(out[n-1], " "), "- ") {
					out[n-1] = strings.TrimSuffix(out[n-1], "\n") // list items have no empty lines between them
				}
				if text != "" {
					out = append(out, text+"\n\n")
				}
			case "tbl":
				table, err := w.table()
				if err != nil {
					return out, err
				}
				if table != "" {
					out = append(out, table+"\n\n")
				}
			case "sectPr", "txbxContent":
				if err := w.skip(); err != nil {
					return out, err
				}
			}
		}
	}
}

// note renders a reference to a footnote; one that the file lacks is counted.
func (w *word) note(key string) string {
	text := w.notes[key]
	if text == "" {
		w.footnotes++
		return ""
	}
	if w.named[key] == "" {
		if w.named == nil {
			w.named = map[string]string{}
		}
		w.named[key] = fmt.Sprintf("[^%d]", len(w.named)+1)
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if i > 0 && line != "" {
				lines[i] = "    " + line // indented, as a part of the note
			}
		}
		w.below = append(w.below, w.named[key]+": "+strings.Join(lines, "\n")+"\n\n")
	}
	return w.named[key]
}

// table reads a table.
func (w *word) table() (string, error) {
	var rows [][]string
	for {
		token, err := w.token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "tbl" {
				return markup.Table(rows), nil
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "tr":
				rows = append(rows, nil)
			case "tc":
				cell, err := w.blocks("tc")
				if err != nil {
					return "", err
				}
				if len(rows) == 0 {
					rows = append(rows, nil)
				}
				rows[len(rows)-1] = append(rows[len(rows)-1], strings.TrimSpace(strings.Join(cell, "")))
			}
		}
	}
}

// paragraph reads a paragraph as Markdown; item reports whether it is a list item.
func (w *word) paragraph() (text string, item bool, err error) {
	var (
		b           strings.Builder
		style       string
		level       int
		bold, slant bool
		open        []string // links
		run         strings.Builder
	)
	flush := func() {
		piece := run.String()
		run.Reset()
		inner := strings.TrimSpace(piece)
		if inner != "" && !strings.Contains(inner, "\n") {
			mark := map[[2]bool]string{{true, false}: "**", {false, true}: "*", {true, true}: "***"}[[2]bool{bold, slant}]
			piece = strings.Replace(piece, inner, mark+inner+mark, 1)
		}
		b.WriteString(piece)
		bold, slant = false, false
	}
	for {
		token, err := w.token()
		if err != nil {
			return "", false, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "pStyle":
				style = strings.ToLower(attr(t, "val"))
			case "numPr":
				item = true
			case "ilvl":
				if v := attr(t, "val"); len(v) == 1 && v[0] >= '0' && v[0] <= '9' {
					level = int(v[0] - '0')
				}
			case "b":
				bold = attr(t, "val") != "0" && attr(t, "val") != "false"
			case "i":
				slant = attr(t, "val") != "0" && attr(t, "val") != "false"
			case "tab":
				run.WriteString(" ")
			case "br", "cr":
				run.WriteString("\n")
			case "checked":
				if v := attr(t, "val"); v != "" {
					run.WriteString(map[bool]string{true: "[x] ", false: "[ ] "}[v != "0" && v != "false"])
				}
			case "hyperlink":
				open = append(open, w.links[attr(t, "id")])
				if open[len(open)-1] != "" {
					b.WriteString("[")
				}
			case "footnoteReference", "endnoteReference":
				run.WriteString(w.note(strings.TrimSuffix(t.Name.Local, "Reference") + attr(t, "id")))
			case "commentReference":
				w.comments++
			case "drawing", "pict":
				w.images++
				if err := w.skip(); err != nil {
					return "", false, err
				}
			case "del", "instrText", "rPrChange", "pPrChange": // removed text and field codes
				if err := w.skip(); err != nil {
					return "", false, err
				}
			case "t":
				var s string
				if err := w.dec.DecodeElement(&s, &t); err != nil {
					return "", false, err
				}
				w.open--
				run.WriteString(strings.NewReplacer("*", `\*`, "[", `\[`, "`", "\\`", "☐", "[ ]", "☒", "[x]", "☑", "[x]").Replace(s))
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "r":
				flush()
			case "pPr": // formatting of the paragraph mark
				bold, slant = false, false
			case "hyperlink":
				if n := len(open); n > 0 {
					if open[n-1] != "" {
						b.WriteString("](" + markup.Address(open[n-1]) + ")")
					}
					open = open[:n-1]
				}
			case "p":
				flush()
				text = strings.TrimSpace(strings.ReplaceAll(b.String(), "****", ""))
				switch {
				case text == "":
				case style == "title":
					text = "# " + strings.Trim(text, "*")
				case strings.HasPrefix(style, "heading") && len(style) == 8 && style[7] >= '1' && style[7] <= '6':
					text = strings.Repeat("#", int(style[7]-'0')) + " " + strings.Trim(text, "*")
				case item || strings.HasPrefix(style, "list"):
					item = true
					text = strings.Repeat("  ", level) + "- " + strings.ReplaceAll(text, "\n", " ")
				default:
					text = markup.Guarded(text)
				}
				return text, item, nil
			}
		}
	}
}
