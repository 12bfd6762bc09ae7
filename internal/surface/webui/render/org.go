package render

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"path"
	"slices"
	"strings"

	goorg "github.com/niklasfasching/go-org/org"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// errInclude refuses to read the file that a document names.
var errInclude = errors.New("other files are not included")

// org renders an Org document. The result is to be sanitized: go-org passes on HTML.
func (s *Source) org(d *doc.Document, out *Result) (result string) {
	defer func() {
		r := recover()
		if _, isLate := r.(late); isLate {
			panic(r)
		}
		if r != nil {
			result = s.asWritten(d.Text) // of a document that go-org cannot read
		}
	}()
	s.ids = map[string]int{}
	if s.whole == nil {
		s.newlines(d.Text)
		if tooInvolved(d.Text) {
			return s.asWritten(d.Text)
		}
		return s.orgText(d, out, orgPart{Span: doc.Span{End: len(d.Text)}})
	}
	o := s.orgOutline(d)
	if o.tooDeep {
		return s.asWritten(d.Text)
	}
	part := s.orgPart(d)
	part.notes, part.numbers = o.notesOf(string(d.Text[part.Start:part.End])), o.numbers
	return s.orgText(d, out, part)
}

// orgPart is a part of an Org text.
type orgPart struct {
	doc.Span
	settings string         // lines before it that say how to read it
	notes    string         // definitions of footnotes in other parts
	numbers  map[string]int // of footnotes; nil for a document without parts or footnotes
}

// orgText renders a part of an Org document, or all of it.
func (s *Source) orgText(d *doc.Document, out *Result, part orgPart) string {
	shown := string(d.Text[part.Start:part.End])
	w := &orgWriter{HTMLWriter: goorg.NewHTMLWriter(), Source: s, lines: strings.Split(shown, "\n"), first: s.lineAt(part.Start)}
	s.ids = map[string]int{}
	for _, h := range headings(d) {
		if id := s.newID(h.Text); part.Contains(h.Line) {
			w.ahead = append(w.ahead, orgHeading{h.Level, id, string(d.Text[h.Line.Start:h.Line.End]), s.lineAt(h.Line.Start)})
		}
	}
	todo := ""
	todo, w.done = todoWords(d.Text)
	w.ExtendingWriter = w
	w.HighlightCodeBlock = func(source, lang string, inline bool, _ map[string]string) string {
		source = dollars(source)
		if inline {
			return "<code>" + html.EscapeString(source) + "</code>"
		}
		return s.code(source, lang)
	}
	if part.numbers != nil {
		w.notes = &orgNotes{numbers: part.numbers}
	}
	text, err := s.orgReader(d, out, part.Span).Parse(strings.NewReader(hideDollars(todo+part.settings+shown+part.notes)), "page.org").Write(w)
	if err != nil {
		return s.asWritten(d.Text)
	}
	text = dollars(text)
	if w.nearest != "" {
		text = strings.Replace(text, w.nearest, w.here, 1)
	}
	return text
}

// orgReader reads a part of an Org document, with its links as the index has them.
func (s *Source) orgReader(d *doc.Document, out *Result, part doc.Span) *goorg.Configuration {
	targets, others := map[string][]doc.Target{}, map[string]doc.Target{} // others are those of footnotes in other parts
	add := func(t doc.Target) {
		if part.Contains(t.Span) {
			targets[t.Raw] = append(targets[t.Raw], t)
		} else {
			others[t.Raw] = t
		}
	}
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			add(l.Target)
		}
		for _, r := range d.Nodes[i].Relations {
			add(r.Target)
		}
	}
	conf := goorg.New()
	conf.Log = log.New(io.Discard, "", 0)
	conf.ReadFile = func(string) ([]byte, error) { return nil, errInclude }
	conf.DefaultSettings["OPTIONS"] = "toc:nil <:t e:t f:t pri:t todo:t tags:t title:nil ealb:nil"
	conf.ResolveLink = func(protocol string, description []goorg.Node, link string) goorg.Node {
		s.alive()
		link = dollars(link)
		raw := strings.TrimPrefix(strings.TrimPrefix(link, protocol+":"), "//")
		raw, _, _ = strings.Cut(raw, "::")
		for _, name := range []string{link, raw, strings.TrimPrefix(raw, "./")} {
			list := targets[name]
			t, known := others[name]
			if len(list) > 0 {
				t, known = list[0], true
			}
			if !known {
				continue
			}
			if len(list) > 1 {
				targets[name] = list[1:]
			}
			shown := s.link(d, t, out)
			if len(description) > 0 && s.Resolve != nil {
				shown = relabel(shown, goorg.NewHTMLWriter().WriteNodesAsString(description...))
			}
			return own(shown)
		}
		words := ""
		if len(description) > 0 {
			words = goorg.NewHTMLWriter().WriteNodesAsString(description...)
		}
		name, isLocal := strings.CutPrefix(link, "file:")
		isLocal = isLocal || strings.HasPrefix(link, "./") || strings.HasPrefix(link, "../")
		name, _, _ = strings.Cut(name, "::")
		isPicture := pictures[strings.ToLower(path.Ext(name))] && words == ""
		switch {
		case isLocal && isFile(name) && s.FileAt != nil && words != "":
			return own(relabel(`<a class="file" href="`+html.EscapeString(s.FileAt(relative(name)))+`"></a>`, words))
		case isLocal && isFile(name):
			return own(s.file(relative(name), path.Base(name)))
		case isPicture && (protocol == "http" || protocol == "https"):
			return own(s.picture(link, path.Base(name)))
		case protocol == "http" || protocol == "https" || protocol == "mailto":
			return own(relabel(`<a class="outside" href="`+html.EscapeString(link)+`"></a>`, cmp.Or(words, html.EscapeString(link))))
		}
		if len(description) > 0 {
			return own(words)
		}
		return goorg.Text{Content: link}
	}
	return conf
}

// hiddenDollar is in the place of a dollar that begins no formula. go-org would take any two
// dollars of a paragraph for a formula.
const hiddenDollar = "\ufdd0"

func hideDollars(text string) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '$')
		if next < 0 {
			break
		}
		at += next
		if strings.HasPrefix(text[at:], "$$") {
			at += len("$$")
			paragraph, _, _ := strings.Cut(text[at:], "\n\n")
			if end := strings.Index(paragraph, "$$"); end >= 0 {
				at += end + len("$$")
			}
			continue
		}
		if end := doc.Formula(text, at); end > 0 {
			at = end
			continue
		}
		b.WriteString(text[from:at] + hiddenDollar)
		at++
		from = at
	}
	return b.String() + text[from:]
}

// dollars puts back the dollars of hideDollars.
func dollars(text string) string { return strings.ReplaceAll(text, hiddenDollar, "$") }

// own is HTML of the renderer in a line. Documents cannot write the second parameter.
func own(text string) goorg.Node {
	return goorg.InlineBlock{Name: "export", Parameters: []string{"html", "own"}, Children: []goorg.Node{goorg.Text{Content: text, IsRaw: true}}}
}

// relabel puts another text into a link.
func relabel(link, shown string) string {
	open, end := strings.IndexByte(link, '>'), strings.LastIndex(link, "</")
	if open < 0 || end < open {
		return link
	}
	return link[:open+1] + shown + link[end:]
}

// orgWriter writes headings with the ids that links lead to.
type orgWriter struct {
	*goorg.HTMLWriter
	*Source
	lines         []string        // of the text
	first         int             // number of the first of them
	next          int             // index of the line after that of the last block
	nearest, here string          // attributes of the block that the reader asked for
	notes         *orgNotes       // nil for the numbers that go-org gives
	ahead         []orgHeading    // of the outline, which are not written yet
	done          map[string]bool // keywords of finished tasks
}

// orgHeading is a heading of the outline.
type orgHeading struct {
	level   int
	id      string
	written string
	line    int
}

// headline returns the attributes of the next headline, with the id of the outline. Its title
// says which one it is, unless it has links or other elements.
func (w *orgWriter) headline(h goorg.Headline, title string) string {
	isPlain := true
	for _, n := range h.Title {
		_, isText := n.(goorg.Text)
		isPlain = isPlain && isText
	}
	for i, o := range w.ahead[:min(maxAhead, len(w.ahead))] {
		if o.level != h.Lvl || isPlain && !strings.Contains(o.written, title) {
			continue
		}
		w.ahead, w.next = w.ahead[i+1:], o.line-w.first+1
		return w.placed(o.id, o.line)
	}
	return w.placed(w.newID(title), 0)
}

// maxAhead is how many lines the next block is looked for.
const maxAhead = 1000

// attributes are those of a block whose text begins with some words, which go-org does not
// tell the line of.
func (w *orgWriter) attributes(words string) string {
	words, _, _ = strings.Cut(strings.TrimSpace(dollars(words)), "\n")
	line := 0
	for i := w.next; words != "" && i < min(len(w.lines), w.next+maxAhead); i++ {
		if at := strings.Index(w.lines[i], words); at >= 0 && !strings.HasPrefix(w.lines[i], "*") && strings.Trim(w.lines[i][:at], " \t-+*0123456789.)[]X|") == "" {
			line, w.next = w.first+i, i+1
			break
		}
	}
	return w.placed("", line)
}

// placed are the attributes of a block in a line, 0 when that is not known. An id of "" is
// that of the line.
func (w *orgWriter) placed(id string, line int) string {
	given := ""
	if id != "" {
		given = ` id="` + html.EscapeString(id) + `"`
	}
	if line == 0 {
		return given
	}
	number := fmt.Sprintf(` data-line="%d"`, line)
	if id == "" {
		given = fmt.Sprintf(` id="L%d"`, line)
	}
	if w.Here > 0 && line <= w.Here {
		w.nearest, w.here = given+number, ` id="here"`+number
	}
	return given + number
}

// WriteParagraph implements goorg.Writer.
func (w *orgWriter) WriteParagraph(p goorg.Paragraph) {
	if len(p.Children) == 0 {
		return
	}
	words := ""
	if t, ok := p.Children[0].(goorg.Text); ok {
		words = t.Content
	}
	w.WriteString("<p" + w.attributes(words) + ">")
	goorg.WriteNodes(w, p.Children...)
	w.WriteString("</p>\n")
}

// todoWords returns a setting with the keywords of tasks in a text, as go-org reads them, and
// those of finished tasks.
func todoWords(text []byte) (setting string, done map[string]bool) {
	done = map[string]bool{"DONE": true, "CANCELLED": true}
	var all []string
	for _, m := range orgTodo().FindAllSubmatch(text, -1) {
		words := strings.Fields(strings.ReplaceAll(string(m[1]), "|", " | "))
		ends := slices.Index(words, "|")
		if ends < 0 {
			ends = len(words) - 2 // the last one is
		}
		for i, word := range words {
			word, _, _ = strings.Cut(word, "(")
			if i > ends {
				done[word] = true
			}
			if word != "|" {
				all = append(all, word)
			}
		}
	}
	if len(all) == 0 {
		return "", done
	}
	return "#+TODO: " + strings.Join(all, " ") + "\n", done
}

var orgTodo = lazyregexp.New(`(?mi)^#\+(?:todo|seq_todo|typ_todo):(.*)$`)

// WriteHeadline implements goorg.Writer.
func (w *orgWriter) WriteHeadline(h goorg.Headline) {
	level := min(6, h.Lvl+1)
	b := &w.HTMLWriter.Builder
	title := strings.TrimSpace(dollars(goorg.String(h.Title...)))
	b.WriteString("<h" + string(rune('0'+level)) + w.headline(h, title) + ">")
	if h.Status != "" {
		class := "todo"
		if w.done[h.Status] {
			class = "todo done"
		}
		b.WriteString(`<span class="` + class + `">` + html.EscapeString(h.Status) + "</span> ")
	}
	if h.Priority != "" {
		b.WriteString(`<span class="priority">[` + html.EscapeString(h.Priority) + "]</span> ")
	}
	goorg.WriteNodes(w, h.Title...)
	for _, t := range h.Tags {
		if w.TagAt != nil {
			b.WriteString(` <a class="tag" href="` + html.EscapeString(w.TagAt(t)) + `">#` + html.EscapeString(t) + "</a>")
		}
	}
	b.WriteString("</h" + string(rune('0'+level)) + ">\n")
	b.WriteString(w.WriteNodesAsString(h.Children...))
}

// WriteInlineBlock implements goorg.Writer.
func (w *orgWriter) WriteInlineBlock(b goorg.InlineBlock) {
	if b.Name != "export" || len(b.Parameters) == 2 {
		w.HTMLWriter.WriteInlineBlock(b)
		return
	}
	w.fromDocument(func() { w.HTMLWriter.WriteInlineBlock(b) })
}

// WriteBlock implements goorg.Writer.
func (w *orgWriter) WriteBlock(b goorg.Block) {
	if b.Name != "EXPORT" {
		w.HTMLWriter.WriteBlock(b)
		return
	}
	w.fromDocument(func() { w.HTMLWriter.WriteBlock(b) })
}

// WriteKeyword implements goorg.Writer.
func (w *orgWriter) WriteKeyword(k goorg.Keyword) {
	w.fromDocument(func() { w.HTMLWriter.WriteKeyword(k) })
}

// fromDocument passes on HTML that the document brings.
func (w *orgWriter) fromDocument(write func()) {
	before := w.Builder
	w.Builder = strings.Builder{}
	write()
	text := w.Builder.String()
	w.Builder = before
	w.Builder.WriteString(w.raw(text))
}

// WriteNodeWithMeta implements goorg.Writer. Classes and ids are the renderer's, so a
// document sets no attributes.
func (w *orgWriter) WriteNodeWithMeta(n goorg.NodeWithMeta) {
	n.Meta.HTMLAttributes = nil
	w.HTMLWriter.WriteNodeWithMeta(n)
}

// WriteLatexFragment implements goorg.Writer.
func (w *orgWriter) WriteLatexFragment(l goorg.LatexFragment) {
	tex := goorg.String(l.Content...)
	switch l.OpeningPair {
	case "$", `\(`:
		w.WriteString(math(tex, false))
	case "$$", `\[`:
		w.WriteString(math(tex, true))
	default: // an environment
		w.WriteString(math(l.OpeningPair+tex+l.ClosingPair, true))
	}
}

// WriteLatexBlock implements goorg.Writer.
func (w *orgWriter) WriteLatexBlock(b goorg.LatexBlock) {
	tex := goorg.String(b.Content...)
	w.WriteString("<p" + w.attributes(tex) + ">" + math(tex, true) + "</p>\n")
}
