package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	goorg "github.com/niklasfasching/go-org/org"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// orgOutline finds what the parts of an Org document need of the whole, unless that was done
// before.
func (s *Source) orgOutline(d *doc.Document) *outline {
	w := s.whole
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outline != nil {
		return w.outline
	}
	o := &outline{tooDeep: tooInvolved(d.Text)}
	if !o.tooDeep && bytes.Contains(d.Text, []byte("[fn:")) {
		o.numbers, o.notes = map[string]int{}, orgNotesIn(string(d.Text))
		whole := *s
		whole.Resolve, whole.ids = nil, map[string]int{}
		counting := &orgWriter{HTMLWriter: goorg.NewHTMLWriter(), Source: &whole, notes: &orgNotes{numbers: o.numbers, counts: true}}
		counting.ExtendingWriter = counting
		counting.HighlightCodeBlock = func(string, string, bool, map[string]string) string { return "" }
		conf := whole.orgReader(d, &Result{}, doc.Span{End: len(d.Text)})
		_, err := conf.Parse(strings.NewReader(hideDollars(string(d.Text))), "page.org").Write(counting)
		s.alive()
		o.tooDeep = err != nil
	}
	w.outline = o
	return o
}

var (
	orgNoteLink = lazyregexp.New(`\[fn:([\w-]+)`)
	orgNoteText = lazyregexp.New(`^\[fn:([\w-]+)\](?:\s|$)`)
)

// orgNotesIn are the definitions of footnotes by their names, as they are written.
func orgNotesIn(text string) map[string]string {
	out := map[string]string{}
	name, blank, raw := "", 0, ""
	start, end := 0, 0 // of the definition, up to this line
	for line := range strings.Lines(text) {
		end += len(line)
		if m := orgBlock().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			switch of := strings.ToUpper(m[2]); {
			case raw == "" && strings.EqualFold(m[1], "begin") && (of == "SRC" || of == "EXAMPLE" || of == "EXPORT"):
				raw = of
			case raw == of && strings.EqualFold(m[1], "end"):
				raw = ""
			}
		}
		m := orgNoteText().FindStringSubmatch(line)
		blank++
		switch {
		case raw != "":
		case m != nil:
			name, start = m[1], end-len(line) // the last one counts
		case strings.HasPrefix(line, "*") || blank > 2:
			name = ""
		}
		if strings.TrimSpace(line) != "" {
			blank = 0
		}
		if name != "" {
			out[name] = text[start:end]
		}
	}
	return out
}

// notesOf are the definitions of footnotes to which a part refers, and of those to which they
// refer, without those that are in it.
func (o *outline) notesOf(part string) string {
	if o.numbers == nil {
		return ""
	}
	var b strings.Builder
	done := map[string]bool{}
	for name := range orgNotesIn(part) {
		done[name] = true
	}
	for texts := []string{part}; len(texts) > 0; texts = texts[1:] {
		for _, m := range orgNoteLink().FindAllStringSubmatch(texts[0], -1) {
			if name := m[1]; !done[name] && o.notes[name] != "" {
				done[name] = true
				texts = append(texts, o.notes[name])
				b.WriteString("\n\n\n" + o.notes[name])
			}
		}
	}
	return b.String()
}

// orgNotes are the footnotes of a part, with the numbers of the whole.
type orgNotes struct {
	numbers map[string]int
	counts  bool // numbers are found, and not given
	shown   []orgNote
	texts   map[string][]goorg.Node // by name
}

type orgNote struct {
	number     int
	name       string
	definition *goorg.FootnoteDefinition // of one that is defined where it is
}

// WriteFootnoteLink implements goorg.Writer.
func (w *orgWriter) WriteFootnoteLink(l goorg.FootnoteLink) {
	n := w.notes
	if n == nil {
		w.HTMLWriter.WriteFootnoteLink(l)
		return
	}
	key := l.Name
	if key == "" && l.Definition != nil {
		key = "\x00" + goorg.String(l.Definition.Children...)
	}
	if n.counts && n.numbers[key] == 0 {
		n.numbers[key] = len(n.numbers) + 1
	}
	id := n.numbers[key]
	if !slices.ContainsFunc(n.shown, func(x orgNote) bool { return x.number == id }) {
		n.shown = append(n.shown, orgNote{id, l.Name, l.Definition})
	}
	w.WriteString(fmt.Sprintf(`<sup class="footnote-reference"><a id="footnote-reference-%d" href="#footnote-%d">%d</a></sup>`, id, id, id))
}

// WriteFootnoteDefinition implements goorg.Writer.
func (w *orgWriter) WriteFootnoteDefinition(f goorg.FootnoteDefinition) {
	n := w.notes
	if n == nil {
		w.HTMLWriter.WriteFootnoteDefinition(f)
		return
	}
	if n.texts == nil {
		n.texts = map[string][]goorg.Node{}
	}
	n.texts[f.Name] = f.Children
}

// After implements goorg.Writer.
func (w *orgWriter) After(d *goorg.Document) {
	n := w.notes
	if n == nil {
		w.HTMLWriter.After(d)
		return
	}
	type written struct {
		number int
		text   string
	}
	var all []written
	for i := 0; i < len(n.shown); i++ { // a definition may refer to others
		x := n.shown[i]
		text, defined := n.texts[x.name]
		if x.definition != nil {
			text, defined = x.definition.Children, true
		}
		if defined {
			all = append(all, written{x.number, w.WriteNodesAsString(text...)})
		}
	}
	if len(n.shown) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b written) int { return cmp.Compare(a.number, b.number) })
	w.WriteString(`<div class="footnotes">` + "\n" + `<hr class="footnotes-separatator"/>` + "\n" + `<div class="footnote-definitions">` + "\n")
	for _, x := range all {
		w.WriteString(fmt.Sprintf(`<div class="footnote-definition">`+"\n"+`<sup id="footnote-%d"><a href="#footnote-reference-%d">%d</a></sup>`+"\n"+`<div class="footnote-body">`+"\n%s</div>\n</div>\n", x.number, x.number, x.number, x.text))
	}
	w.WriteString("</div>\n</div>\n")
}
