package doc

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Part returns the span of a part of a node: the section with a name, including its heading,
// or the block for "^id".
func (d *Document) Part(n *Node, name string) (Span, error) {
	if id, ok := blockID(name); ok {
		return d.Block(n, id)
	}
	i, err := n.Section(name)
	if err != nil {
		return Span{}, err
	}
	return n.Headings[i].Section, nil
}

func blockID(name string) (id string, ok bool) {
	return strings.CutPrefix(strings.TrimSpace(name), "^")
}

// sectionBody returns the text under the heading, including subsections; for a block, the
// whole block.
func (d *Document) sectionBody(n *Node, name string) (Span, error) {
	if _, ok := blockID(name); ok {
		return d.Part(n, name)
	}
	i, err := n.Section(name)
	if err != nil {
		return Span{}, err
	}
	h := n.Headings[i]
	return Span{h.Line.End, h.Section.End}, nil
}

// Within restricts an edit to a part of a page, "" for the whole: the part becomes the
// section of the edit, which must not have one. It is kb.Usage for edits of the page as a
// whole, and for edits of a section if neither names one.
func Within(part string, e Edit) (Edit, error) {
	if part == "" {
		return e, hasSection(e)
	}
	var err error
	switch e := e.(type) {
	case Append:
		err = setSection(&e.Section, part)
		return e, err
	case Prepend:
		err = setSection(&e.Section, part)
		return e, err
	case ReplaceSection:
		err = setSection(&e.Section, part)
		return e, err
	case InsertBefore:
		err = setSection(&e.Section, part)
		return e, err
	case InsertAfter:
		err = setSection(&e.Section, part)
		return e, err
	case Replace:
		err = setSection(&e.Section, part)
		return e, err
	}
	return nil, kb.Errorf(kb.Usage, "this changes a page as a whole, and the ref names a part of it: %s", part).
		WithHint("Name the page without #%s.", part)
}

// hasSection returns an error for a section edit without a section.
func hasSection(e Edit) error {
	section := "-"
	switch e := e.(type) {
	case ReplaceSection:
		section = e.Section
	case InsertBefore:
		section = e.Section
	case InsertAfter:
		section = e.Section
	}
	if section == "" {
		return kb.Errorf(kb.Usage, "no section is named")
	}
	return nil
}

func setSection(section *string, part string) error {
	if *section != "" {
		return NamedTwice(part, *section)
	}
	*section = part
	return nil
}

// NamedTwice returns an error for a section in addition to a ref that names a part of its
// page.
func NamedTwice(part, section string) error {
	return kb.Errorf(kb.Usage, "the section is named twice: %s in the ref, and %s", part, section)
}

// Instead returns the text with a part of it replaced. The new text gets a line end if other
// text follows.
func (d *Document) Instead(part Span, now []byte) []byte {
	if part.End < len(d.Text) && len(now) > 0 && now[len(now)-1] != '\n' {
		now = append(slices.Clip(now), d.EOL...)
	}
	return slices.Concat(d.Text[:part.Start], now, d.Text[part.End:])
}

// planReplaceSection replaces the text under a heading, or a block.
func planReplaceSection(d *Document, n *Node, e ReplaceSection) ([]Splice, error) {
	region, err := d.sectionBody(n, e.Section)
	if err != nil {
		return nil, err
	}
	id, ok := blockID(e.Section)
	if !ok {
		e.Text = d.underHeading(n, region, e.Text)
		if e.KeepSubsections {
			region.End = n.firstHeading(region)
		}
		return []Splice{d.PutInstead(region, e.Text)}, nil
	}
	if strings.TrimSpace(e.Text) == "" {
		return nil, kb.Errorf(kb.Usage, "no text to replace ^%s with", id)
	}
	text := atPlaceOf(d.Slice(region), e.Text)
	if line := idField(d.Slice(region), id); line != "" {
		return []Splice{d.PutInstead(region, withIDField(text, line))}, nil
	}
	last := LineStart(d.Text, d.lastContent(region)-1)
	if own := strings.TrimSpace(d.Slice(Span{last, region.End})); strings.HasPrefix(own, "^") && !strings.Contains(own, " ") && last > region.Start {
		return []Splice{d.PutInstead(Span{region.Start, last}, text)}, nil // the id is on a separate line
	}
	own := ownID(d.Slice(region), id)
	for _, h := range n.Headings {
		if h.Line.Start == region.Start {
			return []Splice{d.PutInstead(region, asHeading(text, h.Level, d.Format, own))}, nil
		}
	}
	return []Splice{d.PutInstead(region, withBlockID(text, own))}, nil
}

// underHeading returns text for the region below a heading, without that heading if the text
// starts with it.
func (d *Document) underHeading(n *Node, region Span, text string) string {
	for _, h := range n.Headings {
		if title, rest, ok := cutHeading(text, d.Format); h.Line.End == region.Start && ok && (FoldName(title) == FoldName(h.Text) || slices.Contains(h.Written, title)) {
			return rest
		}
	}
	return text
}

// firstHeading returns the start of the first heading in a region, its end if there is none.
func (n *Node) firstHeading(region Span) int {
	for _, h := range n.Headings {
		if h.Line.Start >= region.Start && h.Line.Start < region.End {
			return h.Line.Start
		}
	}
	return region.End
}

// cutHeading cuts the heading off the start of a text.
func cutHeading(text string, format Format) (title, rest string, ok bool) {
	mark := "#"
	if format == Org {
		mark = "*"
	}
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	if line, below, _ := strings.Cut(rest, "\n"); format == Markdown && isSetextUnderline(line) && beginsParagraph(first) {
		return strings.TrimSpace(first), below, true
	}
	title = strings.TrimLeft(first, mark)
	if title == first || !strings.HasPrefix(title, " ") {
		return "", text, false
	}
	title = strings.TrimSpace(title)
	if open := strings.TrimRight(title, mark); format == Markdown && open != title && strings.HasSuffix(open, " ") {
		title = strings.TrimSpace(open) // without the marks that close it
	}
	return title, rest, true
}

// beginsParagraph reports whether a line is text, and not the start of another block.
func beginsParagraph(line string) bool {
	text := strings.TrimLeft(line, " ")
	return len(line)-len(text) < 4 && strings.TrimSpace(text) != "" && !strings.ContainsAny(text[:1], "#>|\t") &&
		!strings.HasPrefix(text, "- ") && !strings.HasPrefix(text, "* ") && !strings.HasPrefix(text, "+ ")
}

// isSetextUnderline reports whether a line makes the text above it a heading.
func isSetextUnderline(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	indent := len(line) - len(strings.TrimLeft(line, " "))
	line = line[indent:]
	return indent < 4 && line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// Update returns the edit for a text without a given section: it replaces the section of n
// with the heading that the text starts with, or else appends the text.
func (d *Document) Update(n *Node, text string) (Edit, error) {
	title, rest, ok := cutHeading(text, d.Format)
	if !ok {
		return Append{Text: text}, nil
	}
	switch _, err := n.Section(title); {
	case err == nil:
		return ReplaceSection{Section: title, Text: rest}, nil
	case kb.CodeOf(err) == kb.NotFound:
		return Append{Text: text}, nil
	default:
		return nil, err
	}
}

// ownID returns the id of a block as written there.
func ownID(block, id string) string {
	fields := strings.Fields(block)
	for _, f := range slices.Backward(fields) {
		if strings.EqualFold(f, "^"+id) {
			return f
		}
	}
	return "^" + id
}

// asHeading converts the first line of a text to a heading with an id, at the given level
// unless it is a heading already.
func asHeading(text string, level int, format Format, id string) string {
	mark := "#"
	if format == Org {
		mark = "*"
	}
	first, rest, more := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, mark) {
		first = strings.Repeat(mark, level) + " " + first
	}
	first = withBlockID(first, id)
	if more {
		first += "\n" + rest
	}
	return first
}

// idField returns the line "id:: id" of a block, "" if its id has another form.
func idField(block, id string) string {
	for line := range strings.Lines(block) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "id::" && strings.EqualFold(words[1], id) {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// withIDField inserts the id line of a block after the first line of a text without one.
func withIDField(text, line string) string {
	if strings.Contains(text, strings.TrimSpace(line)) {
		return text
	}
	first, rest, more := strings.Cut(text, "\n")
	if more {
		rest = "\n" + rest
	}
	return first + "\n" + line + rest
}

// withBlockID adds the id of a block to the end of a text without it: on its last line, or
// on a separate line after a code fence or a table.
func withBlockID(text, id string) string {
	text = strings.TrimRight(text, " \t\r\n")
	fields := strings.Fields(text)
	if strings.EqualFold(fields[len(fields)-1], id) {
		return text
	}
	switch end := strings.TrimSpace(lastLine(text)); {
	case strings.HasPrefix(end, "```"), strings.HasPrefix(end, "~~~"), strings.HasSuffix(end, "|"):
		return text + "\n\n" + id
	}
	return text + " " + id
}

var itemMark = lazyregexp.New(`^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+(\[.\][ \t]+)?`)

// atPlaceOf gives a text the indentation of the block that it replaces, and its
// list marker when the text has none.
func atPlaceOf(block, text string) string {
	indent := block[:len(block)-len(strings.TrimLeft(block, " \t"))]
	text = trimBlankLines(text)
	m := itemMark().FindStringSubmatch(block)
	if strings.HasPrefix(text, indent) && indent != "" || m == nil && indent == "" {
		return text
	}
	first, hanging := indent, indent
	if m != nil && !startsItem(text) {
		first = m[0]
		hanging += strings.Repeat(" ", len(m[0])-len(m[1])-len(indent))
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) != "" {
			lines[i+1] = hanging + line
		}
	}
	return first + strings.Join(lines, "\n")
}
