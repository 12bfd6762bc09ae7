package render

import (
	"bytes"
	"slices"
	"sort"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/cairn-kb/cairn/internal/doc"
)

// outline is where parts of a text may begin, and what they need of one another.
type outline struct {
	tooDeep bool // it is shown as it is written

	// Of Markdown.
	starts     []int          // of blocks and items of lists, in ascending order
	ids        map[int]string // of headings, by their places
	lists      []list
	references []parser.Reference
	links      map[int]east.FootnoteLink // to footnotes, by their places
	footnotes  []doc.Span                // lines with their definitions

	// Of Org.
	numbers map[string]int    // of footnotes, by their keys
	notes   map[string]string // their definitions as they are written, by their names
}

// list is one that may be divided.
type list struct {
	items []int // where they begin
	tight bool
	start int // number of the first item
}

// place is where a block begins, -1 when it is not known.
func place(n ast.Node) int {
	if at := n.Pos(); at >= 0 {
		return at
	}
	return start(n)
}

// lineStart is where the line at an offset begins.
func lineStart(text []byte, at int) int {
	return bytes.LastIndexByte(text[:max(0, at)], '\n') + 1
}

// outline finds the outline of a document, unless that was done before.
func (p *markdownPage) outline() *outline {
	w := p.whole
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outline != nil {
		return w.outline
	}
	if tooDeep(p.text) {
		w.outline = &outline{tooDeep: true}
		return w.outline
	}
	scanned := *p
	scanned.out = &Result{}
	scanned.connect(func(int) bool { return true })
	o := &outline{ids: map[int]string{}, links: map[int]east.FootnoteLink{}}
	pc := parser.NewContext()
	md := scanned.parser(scan{&scanned, o})
	root := md.Parser().Parse(reader{text.NewReader(p.text), p.Source}, parser.WithContext(pc))
	o.references = pc.References()
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*east.FootnoteLink); ok && entering {
			o.links[l.Pos()] = *l
		}
		return ast.WalkContinue, nil
	})
	p.ids = map[string]int{}
	w.outline = o
	return o
}

// scan is the transformer that fills an outline.
type scan struct {
	*markdownPage
	*outline
}

func (s scan) Transform(root *ast.Document, _ text.Reader, _ parser.Context) {
	var inner, own []int // lines of footnotes
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			s.outline.ids[place(n)] = s.newID(s.plainText(n))
		case *east.Footnote:
			if at := place(n); lineStart(s.text, at) == at {
				own = append(own, at)
			} else {
				inner = append(inner, at)
			}
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	for c := root.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *east.FootnoteList:
		case *ast.List:
			l := list{tight: c.IsTight, start: c.Start}
			for item := c.FirstChild(); item != nil; item = item.NextSibling() {
				l.items = append(l.items, lineStart(s.text, place(item)))
			}
			s.starts, s.lists = append(s.starts, l.items...), append(s.lists, l)
		default:
			s.starts = append(s.starts, lineStart(s.text, place(c)))
		}
	}
	slices.Sort(s.starts)
	s.starts = slices.Compact(s.starts)
	// A footnote within a block is defined where all of the block is.
	ends := slices.Concat(s.starts, own, []int{0, len(s.text)})
	slices.Sort(ends)
	for _, at := range slices.Concat(own, inner) {
		i := sort.SearchInts(ends, at+1)
		s.footnotes = append(s.footnotes, doc.Span{Start: ends[i-1], End: ends[i]})
	}
}

// cut leaves only the part of the text that is shown, with the footnotes of others, which are
// where they were.
func (p *markdownPage) cut(o *outline) {
	p.of, p.here = o, p.part(p.text, o.starts)
	all := append(o.footnotes[:len(o.footnotes):len(o.footnotes)], p.here)
	left := bytes.Repeat([]byte{' '}, len(p.text))
	for _, at := range p.newline {
		left[at] = '\n'
	}
	slices.SortFunc(all, func(a, b doc.Span) int { return a.Start - b.Start })
	end := 0
	for _, s := range all {
		// An empty heading ends the block before, to which the next may belong otherwise.
		for at := end; at < s.Start; at = at + 1 + bytes.IndexByte(left[at:], '\n') {
			if left[at] != '\n' {
				left[at] = '#'
				break
			}
		}
		copy(left[s.Start:s.End], p.text[s.Start:s.End])
		end = max(end, s.End)
	}
	p.text = left[:end] // a block that is not ended would go on
	p.connect(func(at int) bool {
		return slices.ContainsFunc(all, func(s doc.Span) bool { return at >= s.Start && at < s.End })
	})
}

// fit makes the blocks of a part those that they are in the whole, and removes others: those
// that define a footnote.
func (p transformer) fit(root *ast.Document) {
	remove := func(from, n ast.Node) bool {
		at := lineStart(p.text, place(n))
		if at >= p.here.Start && at < p.here.End {
			return false
		}
		// The list of footnotes is where the first is defined, until it is moved to the end.
		_ = ast.Walk(n, func(in ast.Node, _ bool) (ast.WalkStatus, error) {
			if in.Kind() == east.KindFootnoteList {
				root.AppendChild(root, in)
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
		from.RemoveChild(from, n)
		return true
	}
	for c := root.FirstChild(); c != nil; {
		next := c.NextSibling()
		switch l, isList := c.(*ast.List); {
		case c.Kind() == east.KindFootnoteList:
		case isList:
			for item := l.FirstChild(); item != nil; {
				after := item.NextSibling()
				remove(l, item)
				item = after
			}
			if l.HasChildren() {
				p.fitList(l)
			} else {
				root.RemoveChild(root, l)
			}
		default:
			remove(root, c)
		}
		c = next
	}
}

// fitList gives a list that is divided the form and numbers of the whole.
func (p transformer) fitList(l *ast.List) {
	at := lineStart(p.text, place(l.FirstChild()))
	i := sort.Search(len(p.of.lists), func(i int) bool { return p.of.lists[i].items[0] > at }) - 1
	if i < 0 {
		return
	}
	of := p.of.lists[i]
	if n, found := slices.BinarySearch(of.items, at); found && l.IsOrdered() {
		l.Start = of.start + n
	}
	if !l.IsTight || of.tight {
		return
	}
	l.IsTight = false
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		for c := item.FirstChild(); c != nil; {
			next := c.NextSibling()
			if c.Kind() == ast.KindTextBlock {
				paragraph := ast.NewParagraph()
				paragraph.SetLines(c.Lines())
				for in := c.FirstChild(); in != nil; in = c.FirstChild() {
					paragraph.AppendChild(paragraph, in)
				}
				item.ReplaceChild(item, c, paragraph)
			}
			c = next
		}
	}
}

// renumber is the transformer that gives footnotes of a part the numbers of the whole, and
// leaves those to which the part refers. It comes after that of the footnotes.
type renumber struct{ *markdownPage }

func (p renumber) Transform(root *ast.Document, _ text.Reader, _ parser.Context) {
	if p.of == nil {
		return
	}
	byIndex := map[int]*east.Footnote{}
	var notes *east.FootnoteList
	for c := root.FirstChild(); c != nil; c = c.NextSibling() {
		if l, ok := c.(*east.FootnoteList); ok {
			notes = l
			for n := l.FirstChild(); n != nil; n = n.NextSibling() {
				byIndex[n.(*east.Footnote).Index] = n.(*east.Footnote)
			}
		}
	}
	if notes == nil {
		return
	}
	shown := map[*east.Footnote][]*east.FootnoteLink{}
	var from func(n ast.Node)
	from = func(n ast.Node) {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if n == ast.Node(notes) {
				return ast.WalkSkipChildren, nil
			}
			l, ok := n.(*east.FootnoteLink)
			if !ok || !entering {
				return ast.WalkContinue, nil
			}
			if to := byIndex[l.Index]; to != nil {
				first := shown[to] == nil
				shown[to] = append(shown[to], l)
				if first {
					from(to)
				}
			}
			return ast.WalkContinue, nil
		})
	}
	from(root)
	for n := notes.FirstChild(); n != nil; {
		next := n.NextSibling()
		if f := n.(*east.Footnote); shown[f] == nil {
			notes.RemoveChild(notes, f)
		} else {
			p.renumber(f, shown[f])
		}
		n = next
	}
	if !notes.HasChildren() {
		root.RemoveChild(root, notes)
		return
	}
	notes.SortChildren(func(a, b ast.Node) int { return a.(*east.Footnote).Index - b.(*east.Footnote).Index })
}

// renumber gives a footnote and the links to it the numbers of the whole. It leads back only
// to links in this part.
func (p renumber) renumber(f *east.Footnote, links []*east.FootnoteLink) {
	container := ast.Node(f)
	if last := f.LastChild(); last != nil && ast.IsParagraph(last) {
		container = last
	}
	for c := container.FirstChild(); c != nil; {
		next := c.NextSibling()
		if c.Kind() == east.KindFootnoteBacklink {
			container.RemoveChild(container, c)
		}
		c = next
	}
	for _, l := range links {
		if of, known := p.of.links[l.Pos()]; known {
			l.Index, l.RefCount, l.RefIndex = of.Index, of.RefCount, of.RefIndex
		}
		f.Index = l.Index
		back := east.NewFootnoteBacklink(l.Index)
		back.RefCount, back.RefIndex = l.RefCount, l.RefIndex
		container.AppendChild(container, back)
	}
}
