package markup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Options controls how the references of a document become Markdown. A nil function keeps
// them.
type Options struct {
	// XHTML means that elements without content are closed by "/>".
	XHTML bool
	// Link renders a link with its Markdown text.
	Link func(href, text string) string
	// Image renders an image.
	Image func(src, alt string) string
	// Element renders an element that is specific to a program; if it returns false, the
	// converter renders it.
	Element func(name string, attributes map[string]string) (string, bool)
}

// Document is a converted document.
type Document struct {
	Title string // the title element, or else the first heading of level 1
	Text  string
	Meta  map[string]string // meta elements by lower-case name
}

// Read converts a document. Elements that are nested too deeply are kb.Invalid.
func Read(source string, o Options) (Document, error) {
	if o.XHTML {
		source = closed(source)
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return Document{}, kb.Errorf(kb.Invalid, "the HTML cannot be read: %w", err)
	}
	c := converter{o: o, out: Document{Meta: map[string]string{}}}
	c.out.Text = join(c.blocks(root))
	c.out.Title = kb.InLine(c.out.Title)
	return c.out, nil
}

var empty = lazyregexp.New(`<([a-zA-Z][a-zA-Z0-9:-]*)((?:\s[^<>]*)?)/>`)

// closed adds end tags to self-closing elements, which HTML needs for most elements.
func closed(source string) string {
	return empty().ReplaceAllStringFunc(source, func(tag string) string {
		m := empty().FindStringSubmatch(tag)
		switch strings.ToLower(m[1]) {
		case "br", "hr", "img", "input", "col", "meta", "link", "area", "base", "embed", "source", "track", "wbr":
			return tag
		}
		return "<" + m[1] + m[2] + "></" + m[1] + ">"
	})
}

// converter converts one document.
type converter struct {
	o      Options
	out    Document
	within []string // the emphasis marks around the text being rendered
}

// block is a piece of Markdown between empty lines. Consecutive tight blocks have none
// between them.
type block struct {
	text  string
	tight bool
}

// join puts blocks together.
func join(blocks []block) string {
	var b strings.Builder
	for i, x := range blocks {
		switch {
		case i == 0:
		case x.tight && blocks[i-1].tight:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(x.text)
	}
	return b.String()
}

func attributes(n *html.Node) map[string]string {
	out := make(map[string]string, len(n.Attr))
	for _, a := range n.Attr {
		out[strings.ToLower(a.Key)] = a.Val
	}
	return out
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// blocks converts the content of an element.
func (c *converter) blocks(n *html.Node) (out []block) {
	var line strings.Builder
	flush := func() {
		if text := trimLines(line.String()); text != "" {
			out = append(out, block{text: Guarded(text), tight: strings.HasPrefix(text, "- [")})
		}
		line.Reset()
	}
	for x := n.FirstChild; x != nil; x = x.NextSibling {
		if x.Type != html.ElementNode || !isBlock(x) {
			line.WriteString(c.inline(x))
		} else if text, ok := c.own(x); ok {
			line.WriteString(text)
		} else {
			flush()
			out = append(out, c.block(x)...)
		}
	}
	flush()
	return out
}

// isBlock reports whether an element begins a new line.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd,
		atom.Pre, atom.Blockquote, atom.Table, atom.Hr, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside,
		atom.Figure, atom.Figcaption, atom.Details, atom.Summary, atom.Html, atom.Head, atom.Body, atom.Title, atom.Meta, atom.Script, atom.Style,
		atom.Noscript, atom.Template, atom.Form, atom.Fieldset, atom.Address, atom.Center, atom.Svg, atom.Iframe, atom.Textarea, atom.Select:
		return true
	case atom.Span, atom.A, atom.Font: // some programs put blocks into them
		for x := n.FirstChild; x != nil; x = x.NextSibling {
			if x.Type == html.ElementNode && n.DataAtom != atom.A && isBlock(x) {
				return true
			}
		}
	}
	return n.Data == "en-note"
}

func one(text string) []block {
	if text == "" {
		return nil
	}
	return []block{{text: text}}
}

// block converts a block element, see isBlock.
func (c *converter) block(n *html.Node) []block {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Textarea, atom.Select:
		return nil
	case atom.Title:
		c.out.Title = plain(n)
		return nil
	case atom.Meta:
		if name := attribute(n, "name") + attribute(n, "property"); name != "" {
			c.out.Meta[strings.ToLower(name)] = attribute(n, "content")
		}
		return nil
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		text := inLine(c.inlines(n))
		if text == "" {
			return nil
		}
		if n.DataAtom == atom.H1 && c.out.Title == "" {
			c.out.Title = plain(n)
		}
		return one(strings.Repeat("#", int(n.Data[1]-'0')) + " " + text)
	case atom.Hr:
		return one("***")
	case atom.Pre:
		language := ""
		if code := n.FirstChild; code != nil && code.DataAtom == atom.Code {
			language, _, _ = strings.Cut(strings.TrimPrefix(attribute(code, "class"), "language-"), " ")
		}
		if strings.ContainsFunc(language, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			language = ""
		}
		if text := strings.Trim(verbatim(n), "\n"); text != "" {
			return one(strings.TrimRight(doc.Fenced(language, text), "\n"))
		}
		return nil
	case atom.Div:
		if codeBlock().MatchString(attribute(n, "style")) {
			var lines []string
			for x := n.FirstChild; x != nil; x = x.NextSibling {
				if text := strings.TrimRight(verbatim(x), "\n"); text != "" || x.DataAtom == atom.Div {
					lines = append(lines, text)
				}
			}
			if text := strings.ReplaceAll(strings.Trim(strings.Join(lines, "\n"), "\n"), "\u00a0", " "); text != "" {
				return one(strings.TrimRight(doc.Fenced("", text), "\n"))
			}
			return nil
		}
	case atom.Blockquote:
		return one(prefixed(join(c.blocks(n)), "> ", "> "))
	case atom.Ul, atom.Ol:
		return c.list(n)
	case atom.Li:
		return one(c.item(n, "- "))
	case atom.Dt:
		if text := inLine(c.inlines(n)); text != "" {
			return one("**" + text + "**")
		}
		return nil
	case atom.Table:
		return c.table(n)
	}
	return c.blocks(n)
}

// codeBlock is the style of Evernote's code blocks, which have an element for each line.
var codeBlock = lazyregexp.New(`--?en-codeblock:\s*true`)

// own renders an element that is specific to a program.
func (c *converter) own(n *html.Node) (string, bool) {
	if c.o.Element == nil {
		return "", false
	}
	return c.o.Element(n.Data, attributes(n))
}

// list converts a list; there are no empty lines between its items.
func (c *converter) list(n *html.Node) []block {
	var items []string
	number := 1
	if _, err := fmt.Sscanf(attribute(n, "start"), "%d", &number); err != nil || number < 0 {
		number = 1
	}
	todo := strings.Contains(attribute(n, "style"), "--en-todo:true")
	for x := n.FirstChild; x != nil; x = x.NextSibling {
		switch {
		case x.Type != html.ElementNode:
		case x.DataAtom == atom.Li:
			mark := "- "
			if n.DataAtom == atom.Ol {
				mark = fmt.Sprintf("%d. ", number)
				number++
			}
			if todo {
				mark += strings.TrimPrefix(Box(strings.Contains(attribute(x, "style"), "--en-checked:true")), "- ")
			}
			if text := c.item(x, mark); text != "" {
				items = append(items, text)
			}
		default: // a list directly in a list
			if text := join(c.block(x)); text != "" {
				items = append(items, prefixed(text, "  ", "  "))
			}
		}
	}
	return one(strings.Join(items, "\n"))
}

// item converts an item of a list.
func (c *converter) item(n *html.Node, mark string) string {
	blocks := c.blocks(n)
	for i := range blocks {
		blocks[i].tight = true
	}
	text := join(blocks)
	text = strings.TrimPrefix(text, "- ") // the item has a check box
	if text == "" {
		return ""
	}
	indent := "  "
	if mark[0] != '-' {
		indent = strings.Repeat(" ", strings.Index(mark, " ")+1)
	}
	return prefixed(text, mark, indent)
}

// prefixed puts first before the first line, and rest before the others.
func prefixed(text, first, rest string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
			b.WriteString(first + line)
		case line == "":
			b.WriteString("\n" + strings.TrimRight(rest, " "))
		default:
			b.WriteString("\n" + rest + line)
		}
	}
	return b.String()
}

// maxCells limits the number of cells that one cell spans.
const maxCells = 100

// table converts a table.
func (c *converter) table(n *html.Node) []block {
	var (
		rows  [][]string
		other []block
		walk  func(*html.Node)
	)
	walk = func(n *html.Node) {
		for x := n.FirstChild; x != nil; x = x.NextSibling {
			switch x.DataAtom {
			case atom.Thead, atom.Tbody, atom.Tfoot:
				walk(x)
			case atom.Caption:
				other = append(other, c.blocks(x)...)
			case atom.Tr:
				var row []string
				for cell := x.FirstChild; cell != nil; cell = cell.NextSibling {
					if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
						continue
					}
					row = append(row, join(c.blocks(cell)))
					span := 1
					if _, err := fmt.Sscanf(attribute(cell, "colspan"), "%d", &span); err == nil {
						for i := 1; i < min(span, maxCells); i++ {
							row = append(row, "")
						}
					}
				}
				if len(row) > 0 {
					rows = append(rows, row)
				}
			}
		}
	}
	walk(n)
	return append(other, one(Table(rows))...)
}

// Table renders a table with Markdown in its cells. The first row is the header.
func Table(rows [][]string) string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	if width == 0 {
		return ""
	}
	var b strings.Builder
	inCell := strings.NewReplacer("\n\n", "<br>", "\n", "<br>", "|", `\|`)
	line := func(cells []string) {
		b.WriteString("|")
		for i := range width {
			cell := ""
			if i < len(cells) {
				cell = inCell.Replace(cells[i])
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	line(rows[0])
	b.WriteString(strings.Repeat("| --- ", width) + "|\n")
	for _, r := range rows[1:] {
		line(r)
	}
	return strings.TrimRight(b.String(), "\n")
}

// inlines converts the content of an element to one line of text.
func (c *converter) inlines(n *html.Node) string {
	var b strings.Builder
	for x := n.FirstChild; x != nil; x = x.NextSibling {
		if x.Type == html.ElementNode && isBlock(x) {
			b.WriteString(" ")
		}
		b.WriteString(c.inline(x))
	}
	return b.String()
}

// inline converts a text or an inline element.
func (c *converter) inline(n *html.Node) string {
	if n.Type == html.TextNode {
		return escape(n.Data)
	}
	if n.Type != html.ElementNode {
		return ""
	}
	if text, ok := c.own(n); ok {
		return text
	}
	switch n.DataAtom {
	case atom.Br:
		return "\n"
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg:
		return ""
	case atom.B, atom.Strong, atom.I, atom.Em, atom.Del, atom.S, atom.Strike, atom.Mark, atom.Span, atom.Font:
		return c.emphasised(n)
	case atom.Sup, atom.Sub: // x<sup>2</sup> is not x2, and Markdown has no mark for it
		text := c.inlines(n)
		if strings.TrimSpace(text) == "" || n.FirstChild != nil && n.FirstChild.DataAtom == atom.A { // a reference to a note
			return text
		}
		return "<" + n.Data + ">" + text + "</" + n.Data + ">"
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		text := strings.TrimSpace(strings.ReplaceAll(plain(n), "\n", " "))
		if text == "" {
			return ""
		}
		if strings.Contains(text, "`") {
			return "`` " + text + " ``"
		}
		return "`" + text + "`"
	case atom.Input:
		if strings.EqualFold(attribute(n, "type"), "checkbox") {
			return Box(slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }))
		}
		return ""
	case atom.Img:
		src, alt := attribute(n, "src"), inLine(attribute(n, "alt"))
		if c.o.Image != nil {
			return c.o.Image(src, alt)
		}
		return "![" + alt + "](" + Address(src) + ")"
	case atom.A:
		text, href := inLine(c.inlines(n)), strings.TrimSpace(attribute(n, "href"))
		switch {
		case href == "" || strings.HasPrefix(strings.ToLower(href), "javascript:"):
			return text
		case c.o.Link != nil:
			return c.o.Link(href, text)
		}
		return Link(href, text)
	}
	return c.inlines(n)
}

// emphases are the marks for emphasis, with the elements that have them and with the styles by
// which editors write them.
var emphases = []struct {
	mark     string
	elements []atom.Atom
	style    func() *regexp.Regexp
}{
	{"**", []atom.Atom{atom.B, atom.Strong}, lazyregexp.New(`(?i)(^|[;\s])font-weight:\s*(bold|bolder|[6-9]00)\b`)},
	{"*", []atom.Atom{atom.I, atom.Em}, lazyregexp.New(`(?i)(^|[;\s])font-style:\s*(italic|oblique)\b`)},
	{"~~", []atom.Atom{atom.Del, atom.S, atom.Strike}, lazyregexp.New(`(?i)(^|[;\s])text-decoration(-line)?:[^;]*\bline-through\b`)},
	{"==", []atom.Atom{atom.Mark}, lazyregexp.New(`(?i)--?(en|evernote)-highlight:`)},
}

// emphasised renders the content of an element with its emphasis. Within the same emphasis it
// has no mark: two would be none.
func (c *converter) emphasised(n *html.Node) string {
	style := attribute(n, "style")
	if n.DataAtom == atom.B && strings.Contains(style, "font-weight:normal") { // around what is pasted from Google Docs
		return c.inlines(n)
	}
	var begun []string
	for _, e := range emphases {
		if !slices.Contains(c.within, e.mark) && (slices.Contains(e.elements, n.DataAtom) || e.style().MatchString(style)) {
			begun = append(begun, e.mark)
		}
	}
	c.within = append(c.within, begun...)
	text := c.inlines(n)
	c.within = c.within[:len(c.within)-len(begun)]
	for _, mark := range begun {
		text = around(text, mark)
	}
	return text
}

// Box begins the line of a check box.
func Box(done bool) string {
	if done {
		return "- [x] "
	}
	return "- [ ] "
}

// Link is a link with its Markdown text.
func Link(href, text string) string {
	if text == "" || text == href {
		return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", "\n", "").Replace(href) + ">"
	}
	return "[" + text + "](" + Address(href) + ")"
}

// Address is an address as Markdown has it in brackets.
func Address(href string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "", "\r", "", "\t", "").Replace(href)
}

// around puts marks around a text, but not around the space at its ends.
func around(text, mark string) string {
	inner := strings.TrimSpace(text)
	if inner == "" || strings.Contains(inner, "\n") {
		return text
	}
	at := strings.Index(text, inner)
	return text[:at] + mark + inner + mark + text[at+len(inner):]
}

var spaces = lazyregexp.New(`[ \t\r\n\f]+`)

// escape is text with white space collapsed, in which nothing is a mark.
func escape(text string) string {
	text = spaces().ReplaceAllString(strings.ReplaceAll(text, "\u00a0", " "), " ")
	if !strings.ContainsAny(text, "\\*`<[") {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		switch ch := text[i]; ch {
		case '*', '`', '[':
			b.WriteByte('\\')
		case '\\', '<':
			if i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '!' || unicode.IsLetter(rune(text[i+1])) && ch == '<' || ch == '\\' && unicode.IsPunct(rune(text[i+1]))) {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

var marks = lazyregexp.New(`(?m)^(#{1,6} |> |\+ |- |=+$|-+$|\d{1,9}[.)] )`)

// Guarded is a paragraph in which no line begins as a heading, a list or a quotation does. A
// check box is one.
func Guarded(text string) string {
	return marks().ReplaceAllStringFunc(text, func(m string) string {
		if m == "- " {
			return m // of a check box: escape leaves no other
		}
		if end := strings.TrimRight(m, " "); m[0] >= '0' && m[0] <= '9' {
			return end[:len(end)-1] + `\` + end[len(end)-1:] + m[len(end):]
		}
		return `\` + m
	})
}

// trimLines trims each line, and drops empty ones.
func trimLines(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if line = inLine(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// inLine is text in one line.
func inLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// plain is the text of an element.
func plain(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for x := n.FirstChild; x != nil; x = x.NextSibling {
		b.WriteString(plain(x))
	}
	return b.String()
}

// verbatim is the text of an element with its line breaks.
func verbatim(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for x := n.FirstChild; x != nil; x = x.NextSibling {
		switch {
		case x.DataAtom == atom.Br:
			b.WriteString("\n")
		case x.DataAtom == atom.Div || x.DataAtom == atom.P:
			b.WriteString(verbatim(x) + "\n")
		default:
			b.WriteString(verbatim(x))
		}
	}
	return b.String()
}
