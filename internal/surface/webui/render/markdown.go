package render

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/cairn-kb/cairn/internal/doc"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// markdownPage is one document while it is rendered.
type markdownPage struct {
	*Source
	d     *doc.Document
	text  []byte // of the document, without metadata and comments; offsets are those of d
	out   *Result
	links map[int]doc.Target // by the offset of their brackets
	paths map[string][]doc.Target
	tags  map[int]doc.InlineTag
	facts []fact // in order of position
	seen  map[int]bool
	of    *outline // of the whole, when a part of it is shown; else nil
	here  doc.Span // the part
}

// fact is a line that the index takes for an observation, a relation or a task.
type fact struct {
	doc.Span
	observation *doc.Observation
	relation    *doc.Relation
}

// markdown renders a Markdown document. The result is to be sanitized: HTML in it is
// passed on.
func (s *Source) markdown(d *doc.Document, out *Result) string {
	p := &markdownPage{Source: s, d: d, out: out, text: bytes.Clone(d.Text), seen: map[int]bool{}}
	blank(p.text, d.Nodes[0].Head)
	for _, m := range d.Marks {
		if m.Kind == doc.Unseen && bytes.HasPrefix(d.Text[m.Start:m.End], []byte("%%")) {
			blank(p.text, m.Span)
		}
	}
	s.ids = map[string]int{}
	pc := parser.NewContext()
	if s.whole != nil {
		o := p.outline()
		if o.tooDeep {
			return s.asWritten(d.Text)
		}
		p.cut(o)
		for _, r := range o.references {
			pc.AddReference(r)
		}
	} else {
		s.newlines(d.Text)
		if tooDeep(p.text) {
			return s.asWritten(d.Text)
		}
		p.connect(func(int) bool { return true })
	}
	md := p.parser(transformer{p})
	root := md.Parser().Parse(reader{text.NewReader(p.text), s}, parser.WithContext(pc))
	var b bytes.Buffer
	count := root.ChildCount()
	blocks := 0
	for c := root.FirstChild(); c != nil; c = c.NextSibling() {
		s.alive()
		if count > 2*chunkBlocks && blocks%chunkBlocks == 0 {
			if blocks > 0 {
				b.WriteString("</section>\n")
			}
			b.WriteString(`<section class="chunk">`)
		}
		blocks++
		if err := md.Renderer().Render(&b, p.text, c); err != nil {
			return s.asWritten(d.Text)
		}
	}
	if count > 2*chunkBlocks && blocks > 0 {
		b.WriteString("</section>\n")
	}
	return b.String()
}

// connect takes over what the index knows of the text at some offsets.
func (p *markdownPage) connect(shown func(at int) bool) {
	p.links, p.paths, p.tags, p.facts = map[int]doc.Target{}, map[string][]doc.Target{}, map[int]doc.InlineTag{}, nil
	n := &p.d.Nodes[0]
	link := func(t doc.Target) {
		p.links[t.Span.Start] = t
		if t.Kind == doc.MarkLink {
			p.paths[t.Raw] = append(p.paths[t.Raw], t)
		}
	}
	for _, l := range n.Links {
		if shown(l.Span.Start) {
			link(l.Target)
		}
	}
	for i := range n.Relations {
		if r := &n.Relations[i]; shown(r.Target.Span.Start) {
			link(r.Target)
			p.facts = append(p.facts, fact{Span: r.Span, relation: r})
		}
	}
	for i := range n.Observations {
		if o := &n.Observations[i]; shown(o.Span.Start) {
			p.facts = append(p.facts, fact{Span: o.Span, observation: o})
		}
	}
	sort.Slice(p.facts, func(i, j int) bool { return p.facts[i].Start < p.facts[j].Start })
	for _, t := range n.InlineTags {
		if shown(t.Span.Start) {
			p.tags[t.Span.Start] = t
		}
	}
}

// parser returns the parser and renderer of the text, with a transformer of its blocks.
func (p *markdownPage) parser(transformer parser.ASTTransformer) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify, extension.TaskList, extension.DefinitionList,
			extension.NewFootnote(extension.WithFootnoteIDPrefix("fn-"))),
		goldmark.WithParserOptions(
			parser.WithBlockParsers(util.Prioritized(mathBlockParser{p}, 650)),
			parser.WithParagraphTransformers(util.Prioritized(tableGuard{}, 150)),
			parser.WithInlineParsers(util.Prioritized(&guard{s: p.Source}, 10), util.Prioritized(wikiParser{p}, 150), util.Prioritized(tagParser{p}, 160), util.Prioritized(mathParser{p}, 170), util.Prioritized(highlightParser{}, 500)),
			parser.WithASTTransformers(util.Prioritized(transformer, 900), util.Prioritized(renumber{p}, 1000))),
		goldmark.WithRendererOptions(ghtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{p}, 100))))
}

func blank(text []byte, s doc.Span) {
	for i := s.Start; i < s.End && i < len(text); i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = ' '
		}
	}
}

// inline is a piece of HTML of ours within a line.
type inline struct {
	ast.BaseInline
	html string
}

var inlineKind = ast.NewNodeKind("CairnInline")

func (*inline) Kind() ast.NodeKind           { return inlineKind }
func (n *inline) Dump(source []byte, lv int) { ast.DumpHelper(n, source, lv, nil, nil) }

// block is a piece of HTML of ours around other blocks.
type block struct {
	ast.BaseBlock
	before, after string
}

var blockKind = ast.NewNodeKind("CairnBlock")

func (*block) Kind() ast.NodeKind           { return blockKind }
func (n *block) Dump(source []byte, lv int) { ast.DumpHelper(n, source, lv, nil, nil) }

// pageLink is a link of the index, or a page that is shown within another. It is looked up
// when it is rendered: most links of a large document are not in the part that is shown.
type pageLink struct {
	ast.BaseInline
	target doc.Target
}

var pageLinkKind = ast.NewNodeKind("CairnLink")

func (*pageLink) Kind() ast.NodeKind           { return pageLinkKind }
func (n *pageLink) Dump(source []byte, lv int) { ast.DumpHelper(n, source, lv, nil, nil) }

// wikiParser makes links of what the index takes for wikilinks.
type wikiParser struct{ *markdownPage }

func (wikiParser) Trigger() []byte { return []byte{'[', '!', '(', '{'} }

func (p wikiParser) Parse(_ ast.Node, r text.Reader, _ parser.Context) ast.Node {
	line, seg := r.PeekLine()
	t, ok := p.links[seg.Start]
	if t.Kind != doc.SiteLink && !bytes.HasPrefix(line, []byte("[[")) && !bytes.HasPrefix(line, []byte("![[")) && !bytes.HasPrefix(line, []byte("((")) || seg.Padding > 0 {
		return nil
	}
	if !ok && line[0] == '!' {
		return p.attachment(line, r)
	}
	if !ok || t.Kind == doc.MarkLink || t.Span.Len() > len(line) {
		return nil
	}
	r.Advance(t.Span.Len())
	return &pageLink{target: t}
}

// attachment shows a file that is embedded; the index has no links of those.
func (p wikiParser) attachment(line []byte, r text.Reader) ast.Node {
	end := bytes.Index(line, []byte("]]"))
	if end < 0 {
		return nil
	}
	name, shown, _ := strings.Cut(string(line[len("![["):end]), "|")
	name, _, _ = strings.Cut(name, "#")
	if name = strings.TrimSpace(name); !isFile(name) || strings.ContainsAny(name, "[]<>") {
		return nil
	}
	if strings.Trim(shown, "0123456789x") == "" { // the size of a picture
		shown = path.Base(name)
	}
	r.Advance(end + len("]]"))
	return &inline{html: p.file(name, shown)}
}

// tagParser makes links of tags.
type tagParser struct{ *markdownPage }

func (tagParser) Trigger() []byte { return []byte{'#'} }

func (p tagParser) Parse(_ ast.Node, r text.Reader, _ parser.Context) ast.Node {
	line, seg := r.PeekLine()
	t, ok := p.tags[seg.Start]
	if !ok || seg.Padding > 0 || t.Span.Len() > len(line) {
		return nil
	}
	r.Advance(t.Span.Len())
	if p.TagAt == nil {
		return &inline{html: html.EscapeString("#" + t.Name)}
	}
	return &inline{html: `<a class="tag" href="` + html.EscapeString(p.TagAt(t.Name)) + `">#` + html.EscapeString(t.Name) + `</a>`}
}

// math is a formula as it is written. A script shows it as it is meant.
func math(tex string, display bool) string {
	class := "math"
	if display {
		class = "math display"
	}
	return `<code class="` + class + `">` + html.EscapeString(tex) + `</code>`
}

// mathParser finds the formulas in a paragraph. The index has no links in them.
type mathParser struct{ *markdownPage }

func (mathParser) Trigger() []byte { return []byte{'$'} }

func (p mathParser) Parse(_ ast.Node, r text.Reader, _ parser.Context) ast.Node {
	line, seg := r.PeekLine()
	if bytes.HasPrefix(line, []byte("$$")) {
		return display(r)
	}
	end := doc.Formula(p.text[:seg.Stop], seg.Start)
	if end == 0 || seg.Padding > 0 {
		return nil
	}
	r.Advance(end - seg.Start)
	return &inline{html: math(string(p.text[seg.Start+1:end-1]), false)}
}

// display reads a formula in "$$", which may go on in the next lines of its paragraph.
func display(r text.Reader) ast.Node {
	number, pos := r.Position()
	r.Advance(len("$$"))
	var tex strings.Builder
	for {
		line, _ := r.PeekLine()
		if line == nil {
			r.SetPosition(number, pos)
			return nil
		}
		if end := bytes.Index(line, []byte("$$")); end >= 0 {
			tex.Write(line[:end])
			r.Advance(end + len("$$"))
			break
		}
		tex.Write(line)
		r.AdvanceLine()
	}
	if tex.Len() == 0 {
		r.SetPosition(number, pos)
		return nil
	}
	return &inline{html: math(strings.TrimSpace(tex.String()), true)}
}

// mathBlock is a formula of several lines, between $$ at the beginning of one and $$ at the
// end of another.
type mathBlock struct {
	ast.BaseBlock
	end int // of its last line
}

var mathBlockKind = ast.NewNodeKind("CairnMath")

func (*mathBlock) IsRaw() bool                  { return true }
func (*mathBlock) Kind() ast.NodeKind           { return mathBlockKind }
func (n *mathBlock) Dump(source []byte, lv int) { ast.DumpHelper(n, source, lv, nil, nil) }

// mathBlockParser finds such formulas.
type mathBlockParser struct{ *markdownPage }

func (mathBlockParser) Trigger() []byte             { return []byte{'$'} }
func (mathBlockParser) CanInterruptParagraph() bool { return true }
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

func (p mathBlockParser) Open(_ ast.Node, r text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, seg := r.PeekLine()
	first, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("$$"))
	if !ok {
		return nil, parser.NoChildren
	}
	from := seg.Stop - len(first)
	end := doc.FormulaBlock(p.text, from-len("$$"))
	if end == 0 {
		return nil, parser.NoChildren
	}
	n := &mathBlock{end: end}
	n.Lines().Append(seg.WithStart(from))
	r.AdvanceToEOL()
	return n, parser.NoChildren
}

func (mathBlockParser) Continue(n ast.Node, r text.Reader, _ parser.Context) parser.State {
	line, seg := r.PeekLine()
	last := seg.Stop >= n.(*mathBlock).end
	if last {
		seg = seg.WithStop(seg.Start + max(0, bytes.LastIndex(line, []byte("$$"))))
	}
	n.Lines().Append(seg)
	r.AdvanceToEOL()
	if last {
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

func (mathBlockParser) Close(ast.Node, text.Reader, parser.Context) {}

// highlightParser makes ==text== stand out.
type highlightParser struct{}

func (highlightParser) Trigger() []byte { return []byte{'='} }

func (highlightParser) Parse(_ ast.Node, r text.Reader, pc parser.Context) ast.Node {
	before := r.PrecendingCharacter()
	line, segment := r.PeekLine()
	node := parser.ScanDelimiter(line, before, 2, highlightDelimiter{})
	if node == nil || node.OriginalLength != 2 || before == '=' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	r.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

type highlightDelimiter struct{}

func (highlightDelimiter) IsDelimiter(b byte) bool { return b == '=' }
func (highlightDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}
func (highlightDelimiter) OnMatch(int) ast.Node { return &highlight{} }

type highlight struct{ ast.BaseInline }

var highlightKind = ast.NewNodeKind("CairnHighlight")

func (*highlight) Kind() ast.NodeKind           { return highlightKind }
func (n *highlight) Dump(source []byte, lv int) { ast.DumpHelper(n, source, lv, nil, nil) }

// transformer gives blocks their lines and ids, and makes of some what readers of notes expect.
type transformer struct{ *markdownPage }

var (
	callout = lazyregexp.New(`^\s*\[!([A-Za-z]+)\][+-]?[ \t]*(.*)$`)
	blockID = lazyregexp.New(`[ \t]\^([A-Za-z0-9-]+)[ \t]*$`)
)

func (p transformer) Transform(root *ast.Document, _ text.Reader, _ parser.Context) {
	if p.of != nil {
		p.fit(root)
	}
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			h.SetAttributeString("id", []byte(p.idOf(h)))
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	var all []ast.Node
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			all = append(all, n)
		}
		return ast.WalkContinue, nil
	})
	var nearest ast.Node
	for _, n := range all {
		at := start(n)
		if n.Type() == ast.TypeBlock && at >= 0 && !slices.Contains(withoutLine, n.Kind()) {
			line := p.lineAt(at)
			if p.Here > 0 && line <= p.Here {
				nearest = n
			}
			if _, ok := n.AttributeString("id"); !ok && !p.seen[line] && p.prefix == "" {
				p.seen[line] = true
				n.SetAttributeString("id", []byte(fmt.Sprintf("L%d", line)))
			}
			n.SetAttributeString("data-line", []byte(fmt.Sprint(line)))
		}
		switch n := n.(type) {
		case *ast.Paragraph:
			p.blockID(n, n)
			p.ownBlock(n)
		case *ast.TextBlock:
			p.blockID(n, n.Parent())
		case *ast.ListItem:
			p.item(n, at)
		case *ast.Blockquote:
			p.callout(n)
		}
	}
	if nearest != nil {
		nearest.SetAttributeString("id", []byte("here"))
	}
}

// idOf is the id of a heading.
func (p *markdownPage) idOf(h *ast.Heading) string {
	if p.of != nil {
		if id, known := p.of.ids[place(h)]; known {
			return id
		}
	}
	return p.newID(p.plainText(h))
}

// withoutLine are blocks that have no place of their own.
var withoutLine = []ast.NodeKind{ast.KindDocument, ast.KindTextBlock, ast.KindList, east.KindTableCell, east.KindTableHeader, east.KindFootnoteList}

// start is the offset at which a block begins, -1 when it is not known.
func start(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() == ast.TypeInline {
			if t, ok := c.(*ast.Text); ok {
				return t.Segment.Start
			}
			continue
		}
		if at := start(c); at >= 0 {
			return at
		}
	}
	return -1
}

// plainText is the text in a node.
func (p *markdownPage) plainText(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(p.text))
		case *ast.String:
			b.Write(c.Value)
		case *inline:
			b.WriteString(html.UnescapeString(tagPattern().ReplaceAllString(c.html, "")))
		case *pageLink:
			b.WriteString(linkText(c.target))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var tagPattern = lazyregexp.New(`<[^>]*>`)

// blockID takes the id at the end of a block, and gives it to an element.
func (p transformer) blockID(n, element ast.Node) {
	last, ok := n.LastChild().(*ast.Text)
	if !ok || element == nil {
		return
	}
	m := blockID().FindSubmatchIndex(last.Segment.Value(p.text))
	if m == nil {
		return
	}
	id := p.text[last.Segment.Start+m[2] : last.Segment.Start+m[3]]
	element.SetAttributeString("id", []byte(p.prefix+"b-"+slug(string(id))))
	last.Segment = last.Segment.WithStop(last.Segment.Start + m[0])
}

// ownBlock makes an embed that is alone in its paragraph a block.
func (p transformer) ownBlock(n *ast.Paragraph) {
	e, ok := n.FirstChild().(*pageLink)
	if !ok || e.target.Kind != doc.Embed || e.NextSibling() != nil || n.Parent() == nil {
		return
	}
	b := &block{before: p.embed(e.target)}
	n.Parent().ReplaceChild(n.Parent(), n, b)
}

// item is a list item that may be a fact.
func (p transformer) item(n *ast.ListItem, at int) {
	first := n.FirstChild()
	if first == nil || at < 0 {
		return
	}
	if box, ok := first.FirstChild().(*east.TaskCheckBox); ok {
		class := "task"
		if box.IsChecked {
			class = "task done"
		}
		n.SetAttributeString("class", []byte(class))
		return
	}
	i := sort.Search(len(p.facts), func(i int) bool { return p.facts[i].End > at })
	if i == len(p.facts) || p.facts[i].Start > at {
		return
	}
	f := p.facts[i]
	if o := f.observation; o != nil {
		end := bytes.IndexByte(p.text[at:f.End], ']')
		if end < 0 || p.text[at] != '[' {
			return
		}
		cut(first, at+end+1)
		first.InsertBefore(first, first.FirstChild(), &inline{html: `<span class="category">` + html.EscapeString(o.Category) + `</span> `})
		n.SetAttributeString("class", []byte("observation"))
		return
	}
	r := f.relation
	class := "relation"
	if p.Ended[p.lineAt(at)] {
		class = "relation ended"
	}
	n.SetAttributeString("class", []byte(class))
	if link := r.Target.Span.Start; link > at {
		cut(first, link)
		first.InsertBefore(first, first.FirstChild(), &inline{html: `<span class="type">` + html.EscapeString(r.Type) + `</span> `})
	}
	if r.Dated {
		written := p.text[r.Target.Span.End:r.Span.End]
		if sign := bytes.IndexByte(written, '@'); sign >= 0 {
			from := r.Target.Span.End + sign
			to := from + 1
			for to < r.Span.End && p.text[to] != ' ' && p.text[to] != '\n' && p.text[to] != '\r' {
				to++
			}
			replace(first, from, to, &inline{html: `<span class="interval">` + html.EscapeString(interval(r.From, r.Until)) + `</span>`})
		}
	}
}

// replace puts a node in the place of a part of the text of a block.
func replace(b ast.Node, from, to int, with ast.Node) {
	placed := false
	for c := b.FirstChild(); c != nil; {
		next := c.NextSibling()
		t, ok := c.(*ast.Text)
		if !ok || t.Segment.Stop <= from || t.Segment.Start >= to {
			c = next
			continue
		}
		if !placed {
			b.InsertBefore(b, c, with)
			placed = true
		}
		if t.Segment.Start < from {
			b.InsertBefore(b, with, ast.NewTextSegment(t.Segment.WithStop(from)))
		}
		if t.Segment.Stop > to {
			t.Segment = t.Segment.WithStart(to)
		} else {
			if t.SoftLineBreak() {
				t.Segment = t.Segment.WithStart(t.Segment.Stop)
			} else {
				b.RemoveChild(b, c)
			}
		}
		c = next
	}
}

// interval is a time in words.
func interval(from, until string) string {
	switch {
	case from == "" && until == "":
		return "at a time nobody knows"
	case until == "":
		return "since " + from
	case from == "":
		return "until " + until
	}
	return from + " – " + until
}

// cut removes the text of a block before an offset.
func cut(b ast.Node, before int) {
	for c := b.FirstChild(); c != nil; {
		next := c.NextSibling()
		t, ok := c.(*ast.Text)
		switch {
		case !ok:
			return
		case t.Segment.Stop <= before:
			b.RemoveChild(b, c)
		case t.Segment.Start < before:
			t.Segment = t.Segment.WithStart(before)
			return
		default:
			return
		}
		c = next
	}
}

// callout makes a box of a quote that begins with [!kind].
func (p transformer) callout(n *ast.Blockquote) {
	para, ok := n.FirstChild().(*ast.Paragraph)
	if !ok || para.Lines().Len() == 0 {
		return
	}
	first := para.Lines().At(0)
	m := callout().FindSubmatch(bytes.TrimRight(first.Value(p.text), "\r\n"))
	if m == nil {
		return
	}
	kind, title := strings.ToLower(string(m[1])), strings.TrimSpace(string(m[2]))
	if title == "" {
		title = strings.ToUpper(kind[:1]) + kind[1:]
	}
	for c := para.FirstChild(); c != nil; {
		next := c.NextSibling()
		if at := inlineStart(c); at >= first.Stop {
			break
		}
		para.RemoveChild(para, c)
		c = next
	}
	if !slices.Contains(classes, kind) {
		kind = "note"
	}
	box := &block{before: fmt.Sprintf(`<div class="callout %s"><p class="callout-title">%s</p>`, kind, html.EscapeString(title)), after: "</div>\n"}
	parent := n.Parent()
	parent.InsertBefore(parent, n, box)
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		if c != para || para.FirstChild() != nil {
			box.AppendChild(box, c)
		}
		c = next
	}
	parent.RemoveChild(parent, n)
}

// inlineStart is the offset of an inline node, -1 when it is not known.
func inlineStart(n ast.Node) int {
	if t, ok := n.(*ast.Text); ok {
		return t.Segment.Start
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if at := inlineStart(c); at >= 0 {
			return at
		}
	}
	return -1
}

// embed is another page within this one.
func (p *markdownPage) embed(t doc.Target) string {
	if p.Resolve == nil || p.Embed == nil {
		return "<p>" + p.link(p.d, t, p.out) + "</p>\n"
	}
	to := p.Resolve(t, p.lineAt(t.Span.Start))
	link := p.link(p.d, t, p.out)
	if to.Ref == "" {
		return "<p>" + link + "</p>\n"
	}
	within := append(p.within[:len(p.within):len(p.within)], p.Ref)
	for _, ref := range within {
		if ref == to.Ref {
			return `<p class="embed-of">` + link + " (this page is shown already)</p>\n"
		}
	}
	alone := `<p class="embed-of">` + link + "</p>\n"
	if p.depth >= maxDepth || p.embeds.shown >= maxEmbeds {
		return alone
	}
	page, ok := p.embeds.read(to.Ref, p.Embed, p.hideEmbedded)
	if !ok {
		return alone
	}
	inner := *p.Source
	inner.Page, inner.Ref, inner.First, inner.Here, inner.Ended = page, to.Ref, 1, 0, nil
	inner.depth, inner.within = p.depth+1, within
	inner.Size, inner.At, inner.From, inner.whole, inner.Chosen = 0, "", 0, nil, nil
	inner.prefix = fmt.Sprintf("%se%d-", p.prefix, t.Span.Start)
	if t.Heading != "" || t.Block != "" {
		inner.Text = section(page, t)
		inner.First += bytes.Count(page.Text[:max(0, bytes.Index(page.Text, inner.Text))], []byte("\n"))
	}
	inner.Text = firstLines(inner.Text, maxEmbed)
	if p.embeds.bytes+len(inner.Text) > maxEmbedded {
		return alone
	}
	p.embeds.shown++
	p.embeds.bytes += len(inner.Text)
	var other Result
	d := parse(page.Path, inner.Text)
	var text string
	if d.Format == doc.Org {
		text = inner.org(d, &other)
	} else {
		text = inner.markdown(d, &other)
	}
	return `<div class="embed"><p class="embed-of">` + link + "</p>" + withoutIDs(p.sanitize(text)) + "</div>\n"
}

// firstLines are the lines of a text that fit into so many bytes, or the beginning of a
// longer line.
func firstLines(text []byte, size int) []byte {
	if len(text) <= size {
		return text
	}
	if end := bytes.LastIndexByte(text[:size], '\n'); end > 0 {
		return text[:end+1]
	}
	return bytes.ToValidUTF8(text[:size], nil)
}

// section is the part of a page under a heading, or the block with an id.
func section(page Page, t doc.Target) []byte {
	d := parse(page.Path, page.Text)
	if t.Block != "" {
		for _, para := range bytes.Split(d.Text, []byte("\n\n")) {
			if bytes.Contains(para, []byte("^"+t.Block)) {
				return para
			}
		}
	}
	for _, h := range d.Nodes[0].Headings {
		if strings.EqualFold(h.Text, t.Heading) {
			return d.Text[h.Section.Start:h.Section.End]
		}
	}
	return page.Text
}

// nodeRenderer writes the nodes that are ours, and those that goldmark writes otherwise.
type nodeRenderer struct{ *markdownPage }

func (p nodeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(inlineKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(n.(*inline).html)
		}
		return ast.WalkContinue, nil
	})
	r.Register(blockKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(n.(*block).before)
		} else {
			_, _ = w.WriteString(n.(*block).after)
		}
		return ast.WalkContinue, nil
	})
	r.Register(pageLinkKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(p.link(p.d, n.(*pageLink).target, p.out))
		}
		return ast.WalkContinue, nil
	})
	r.Register(highlightKind, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<mark>")
		} else {
			_, _ = w.WriteString("</mark>")
		}
		return ast.WalkContinue, nil
	})
	r.Register(east.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			if n.(*east.TaskCheckBox).IsChecked {
				_, _ = w.WriteString(`<span class="box" role="img" aria-label="done">☑</span> `)
			} else {
				_, _ = w.WriteString(`<span class="box" role="img" aria-label="open">☐</span> `)
			}
		}
		return ast.WalkContinue, nil
	})
	lines := func(n ast.Node, source []byte) string {
		var b strings.Builder
		for i := 0; i < n.Lines().Len(); i++ {
			l := n.Lines().At(i)
			b.Write(l.Value(source))
		}
		return b.String()
	}
	r.Register(mathBlockKind, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<p>" + math(strings.TrimSpace(lines(n, source)), true) + "</p>\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f := n.(*ast.FencedCodeBlock)
			_, _ = w.WriteString(p.code(lines(n, source), string(f.Language(source))))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(p.code(lines(n, source), ""))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(p.raw(string(n.(*ast.RawHTML).Segments.Value(source))))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			b := n.(*ast.HTMLBlock)
			of := lines(n, source)
			if b.HasClosure() {
				of += string(b.ClosureLine.Value(source))
			}
			_, _ = w.WriteString(p.raw(of))
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindLink, p.anchor)
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			l := n.(*ast.AutoLink)
			at := string(l.URL(source))
			if l.AutoLinkType == ast.AutoLinkEmail {
				at = "mailto:" + at
			}
			_, _ = w.WriteString(`<a class="outside" href="` + html.EscapeString(at) + `">` + html.EscapeString(string(l.Label(source))) + `</a>`)
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		i := n.(*ast.Image)
		_, _ = w.WriteString(p.picture(string(i.Destination), p.plainText(n)))
		return ast.WalkSkipChildren, nil
	})
}

// anchor writes a link of Markdown: where the index says, to another server, or nowhere.
func (p nodeRenderer) anchor(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l := n.(*ast.Link)
	at := string(l.Destination)
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	path, fragment, _ := strings.Cut(at, "#")
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path
	}
	var t doc.Target
	known := false
	for _, name := range []string{at, path, plain} {
		if list := p.paths[name]; len(list) > 0 {
			t, known = list[0], true
			if len(list) > 1 {
				p.paths[name] = list[1:]
			}
			break
		}
	}
	u, err := url.Parse(at)
	switch {
	case known && path != "":
		t.Text = p.plainText(n)
		if p.Resolve != nil {
			link := p.link(p.d, t, p.out)
			if open := strings.IndexByte(link, '>'); strings.HasPrefix(link, "<a ") && open > 0 {
				_, _ = w.WriteString(link[:open+1])
				return ast.WalkContinue, nil
			}
		}
		_, _ = w.WriteString(`<a class="broken" title="no page has this name">`)
	case path == "" && p.depth > 0 && p.PageAt == nil: // a passage, which leads nowhere
		_, _ = w.WriteString("<a>")
	case path == "" && fragment != "":
		_, _ = w.WriteString(`<a href="` + html.EscapeString(p.headingAt(fragment)) + `">`)
	case err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto"):
		_, _ = w.WriteString(`<a class="outside" href="` + html.EscapeString(at) + `">`)
	case err == nil && u.Scheme == "" && u.Host == "" && p.FileAt != nil && isFile(u.Path):
		_, _ = w.WriteString(`<a class="file" href="` + html.EscapeString(p.FileAt(relative(u.Path))) + `">`)
	default:
		_, _ = w.WriteString(`<a class="broken">`)
	}
	return ast.WalkContinue, nil
}
