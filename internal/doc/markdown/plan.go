package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// writer writes the lines that cairn adds to Markdown pages.
var writer = doc.Writer{
	Heading: func(text string) string { return "## " + text },
	Link: func(target string) string {
		if strings.HasPrefix(target, "[[") {
			return target
		}
		return "[[" + target + "]]"
	},
}

// markdownLink writes a link to a page as [name](path.md). An id, which is no path, stays a
// wikilink.
func markdownLink(target string) string {
	if _, id := kb.ParseID(target); id || strings.HasPrefix(target, "[[") {
		return writer.Link(target)
	}
	path, anchor, _ := strings.Cut(target, "#")
	path = strings.TrimSpace(path)
	text := path[strings.LastIndexByte(path, '/')+1:]
	if path != "" && !doc.IsPage(path) {
		path += ".md"
	}
	path = (&url.URL{Path: path}).EscapedPath()
	if anchor != "" {
		path += "#" + (&url.URL{Path: anchor}).EscapedPath()
	}
	return "[" + text + "](" + path + ")"
}

// Plan returns the splices for one edit; see doc.Planner.
func (c Codec) Plan(d *doc.Document, node int, e doc.Edit) ([]doc.Splice, error) {
	if splices, done, err := doc.PlanText(d, node, e); done {
		if _, replaces := e.(doc.Replace); replaces && err == nil && kb.IsTextNote(d.Path) {
			for _, s := range splices {
				if s.Start < d.Nodes[node].Head.End {
					return nil, errDenoteText()
				}
			}
		}
		return splices, err
	}
	w := writer
	if c.syntax.MarkLinks {
		w.Link = markdownLink
	}
	if splices, done, err := doc.PlanFact(d, node, e, w); done {
		return splices, err
	}
	n := &d.Nodes[node]
	if e, ok := e.(doc.AddEntry); ok {
		return planEntry(d, n, e)
	}
	if kb.IsTextNote(d.Path) {
		return nil, errDenoteText()
	}
	m := readMatter(&doc.Document{Text: d.Text}, c.syntax)
	y := matterEditor{d: d, matter: m}
	if _, untag := e.(doc.RemoveTag); m.broken() && !untag {
		return nil, y.unedited(n, e)
	}
	switch e := e.(type) {
	case doc.SetProperty:
		in, key, err := y.within(e.Key)
		switch {
		case err != nil:
			return nil, err
		case e.Written:
			return in.setWritten(key, e.Value)
		}
		return in.setScalar(key, e.Value, e.Typed)
	case doc.SetList:
		in, key, err := y.within(e.Key)
		if err != nil {
			return nil, err
		}
		return in.setList(key, e.Values)
	case doc.RemoveProperty:
		in, key, err := y.within(e.Key)
		if err != nil {
			return nil, err
		}
		return in.remove(key)
	case doc.AddTag:
		return y.addTag(n, e.Tag)
	case doc.RemoveTag:
		return y.removeTag(n, e.Tag)
	case doc.RenameTag:
		return y.renameTag(n, e)
	case doc.SetTitle:
		return planTitle(&y, n, e.Title)
	}
	return nil, kb.Errorf(kb.Internal, "unknown edit %T", e)
}

// planTitle sets the title in the frontmatter, and in the first level-1 heading if that has
// the same text.
func planTitle(y *matterEditor, n *doc.Node, title string) ([]doc.Splice, error) {
	title = strings.TrimSpace(title)
	if title == "" {
		return nil, kb.Errorf(kb.Usage, "the title is empty")
	}
	if err := doc.OneLine("a title", title); err != nil {
		return nil, err
	}
	key := "title"
	if _, ok := y.matter.field(key); !ok {
		for _, f := range y.matter.fields {
			if strings.EqualFold(f.key, key) {
				key = f.key
			}
		}
	}
	splices, err := y.setScalar(key, title, false)
	if err != nil {
		return nil, err
	}
	for _, h := range n.Headings {
		if h.Level == 1 {
			if h.InTruth && h.Text == n.Title {
				splices = append(splices, doc.Splice{Span: headingText(y.d, h), New: title})
			}
			break
		}
	}
	return splices, nil
}

// headingText returns the span of a heading's text within its lines.
func headingText(d *doc.Document, h doc.Heading) doc.Span {
	line := d.Slice(h.Line)
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	if rest := line[start:]; rest[0] == '#' && h.Level == runLength([]byte(rest)) && strings.Count(strings.TrimSpace(line), "\n") == 0 {
		start += h.Level
		start += len(line[start:]) - len(strings.TrimLeft(line[start:], " \t"))
		end := start + len(atxContent(trimEOL([]byte(line[start:]))))
		return doc.Span{Start: h.Line.Start + start, End: h.Line.Start + end}
	}
	// The last line is the underline.
	end := strings.LastIndexByte(strings.TrimRight(line, "\r\n"), '\n')
	text := strings.TrimRight(line[:end], " \t\r\n")
	return doc.Span{Start: h.Line.Start + start, End: h.Line.Start + len(text)}
}

// planEntry adds a timeline entry, and the timeline's line if there is none.
func planEntry(d *doc.Document, n *doc.Node, e doc.AddEntry) ([]doc.Splice, error) {
	e, err := doc.CheckEntry(n, e)
	if err != nil {
		return nil, err
	}
	if n.Truth.End == n.Span.End {
		text := "## Timeline\n\n" + entryItem("- ", e)
		if !endsInRule(d.Text[n.Truth.Start:n.Truth.End]) {
			text = "---\n\n" + text
		}
		s := d.PutEnd(n.Truth, text)
		if s.Start == 0 {
			// On the first line it would open a frontmatter.
			s.New = d.EOL + s.New
		}
		return []doc.Splice{s}, nil
	}
	if len(n.Entries) == 0 {
		region := n.Timeline
		for _, h := range n.Headings {
			if !h.InTruth && strings.EqualFold(h.Text, "timeline") {
				region = doc.Span{Start: h.Line.End, End: h.Section.End}
				break
			}
		}
		return []doc.Splice{d.PutStart(region, entryItem("- ", e))}, nil
	}
	i := doc.EntryPlace(n, e.Date)
	if i == len(n.Entries) {
		last := n.Entries[i-1]
		return []doc.Splice{d.PutEnd(last.Span, entryLike(d, last, e))}, nil
	}
	next := n.Entries[i]
	return []doc.Splice{d.PutStart(next.Span, entryLike(d, next, e))}, nil
}

// endsInRule reports whether a text ends in a rule that can be the timeline's line: after a
// blank line, or at the start.
func endsInRule(text []byte) bool {
	lines := bytes.Split(bytes.TrimRight(text, " \t\r\n"), []byte("\n"))
	n := len(lines)
	return isLine(bytes.TrimRight(lines[n-1], "\r")) && (n == 1 || doc.Blank(lines[n-2]))
}

// entryLike writes an entry in the form of an existing one: a heading, or a
// list item with the same marker and indentation.
func entryLike(d *doc.Document, like doc.Entry, e doc.AddEntry) string {
	line := d.Slice(doc.Span{Start: like.Span.Start, End: doc.LineEnd(d.Text, like.Span.Start)})
	rest := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(rest)]
	switch rest[0] {
	case '#':
		heading := strings.Repeat("#", runLength([]byte(rest))) + " " + strings.ReplaceAll(doc.FormatEntry(e.Date, e.Source, e.Text), "**", "")
		if e.Detail == "" {
			return heading
		}
		return heading + "\n\n" + e.Detail
	case '*', '+':
		return entryItem(indent+rest[:1]+" ", e)
	}
	return entryItem(indent+"- ", e)
}

// entryItem writes an entry as a list item.
func entryItem(marker string, e doc.AddEntry) string {
	text := marker + doc.FormatEntry(e.Date, e.Source, e.Text)
	if e.Detail == "" {
		return text
	}
	indent := "\n" + strings.Repeat(" ", len(marker))
	for line := range strings.Lines(e.Detail) {
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			text += "\n"
		} else {
			text += indent + line
		}
	}
	return text
}
