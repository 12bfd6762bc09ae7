package org

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// A reader walks over the text once and adds the facts to every node.
type reader struct {
	*tree
	nodes  []doc.Node
	blocks bool // "((UUID))" links to a heading
	node   int  // node of the current line

	area, heading int // the next ones

	run doc.Span // lines of ordinary text with unread links

	places map[string]bool // names of places in the file, see placeKey

	entry      int // index of the open timeline entry in its node; -1 if there is none
	entryDepth int // indentation of its list item; -1 if it is a heading
	inTimeline bool
}

func (r *reader) read() {
	for pos := 0; pos < len(r.text); {
		switch {
		case r.area < len(r.areas) && r.areas[r.area].span.Start == pos:
			pos = r.readArea(r.areas[r.area])
			r.area++
		case r.heading < len(r.headings) && r.headings[r.heading].line.Start == pos:
			pos = r.readHeadline(r.heading)
			r.heading++
		default:
			pos = r.readLine(pos)
		}
	}
	r.flush()
	r.closeEntry(len(r.text))
}

// unseen marks text that is invisible to readers.
func (r *reader) unseen(s doc.Span) {
	r.marks = append(r.marks, doc.Mark{Span: s, Kind: doc.Unseen})
}

// flush reads the links of the run.
func (r *reader) flush() {
	if r.run.Len() > 0 {
		r.links(r.run)
	}
	r.run = doc.Span{}
}

// links adds the links in a span, except those that are relations.
func (r *reader) links(s doc.Span) {
	run := r.text[s.Start:s.End]
	if bytes.IndexByte(run, ':') < 0 && !bytes.Contains(run, []byte("[[")) && !bytes.Contains(run, []byte("<<")) &&
		(!r.blocks || !bytes.Contains(run, []byte("(("))) {
		return
	}
	n := &r.nodes[r.node]
	var relation doc.Span
	if k := len(n.Relations); k > 0 {
		relation = n.Relations[k-1].Target.Span
	}
	found := scan(string(run), s.Start, r.blocks)
	for _, name := range found.places {
		r.places[placeKey(name)] = true
	}
	r.marks = append(r.marks, found.marks...)
	for _, l := range found.links {
		switch {
		case l.Kind != "" && l.Span != relation:
			n.Links = append(n.Links, l)
		case l.Kind == "" && l.NameAt.Len() > 0 && l.Name != "" && !strings.ContainsAny(l.Name[:1], "/~"):
			l.Kind = doc.OrgFile
			r.files = append(r.files, l.Target)
		}
	}
}

func (r *reader) readArea(a area) int {
	r.flush()
	if a.kind == headArea || !r.belongsToEntry(a.span.Start) {
		r.closeEntry(a.span.Start)
	}
	if a.kind == headArea || a.name == "comment" || a.name == "logbook" || a.name == "properties" {
		r.unseen(a.span)
	}
	switch a.kind {
	case quotedArea, drawerArea:
		r.linksAroundComments(a.body)
	case headArea:
		for _, p := range r.properties(r.heading - 1) {
			if a.span.Contains(p.line) && p.key != "roam_refs" { // a subject of the page, not a link
				r.links(p.value)
			}
		}
	}
	n := &r.nodes[r.node]
	if a.name == "quote" && n.Summary == "" && n.Truth.Contains(a.span) {
		n.Summary = firstParagraph(r.text[a.body.Start:a.body.End])
	}
	return a.span.End
}

// linksAroundComments reads the links of the lines in a span that are not
// comments.
func (r *reader) linksAroundComments(in doc.Span) {
	start := in.Start
	for pos := in.Start; pos < in.End; {
		end, next := lineEnd(r.text, pos)
		if next = min(next, in.End); isComment(trimLeft(r.text[pos:min(end, in.End)])) {
			r.links(doc.Span{Start: start, End: pos})
			r.unseen(doc.Span{Start: pos, End: min(end, in.End)})
			start = next
		}
		pos = next
	}
	r.links(doc.Span{Start: start, End: in.End})
}

// firstParagraph returns the first paragraph of a text as plain text, without comments.
func firstParagraph(text []byte) string {
	var lines []byte
	for pos := 0; pos < len(text); {
		end, next := lineEnd(text, pos)
		switch line := text[pos:end]; {
		case isBlank(line) && len(lines) > 0:
			return plainText(lines)
		case !isBlank(line) && !isComment(trimLeft(line)):
			lines = append(lines, text[pos:next]...)
		}
		pos = next
	}
	return plainText(lines)
}

func (r *reader) readHeadline(i int) int {
	r.flush()
	h := r.headings[i]
	node := r.owner[i]
	if node != r.node || r.entry < 0 || r.entryDepth >= 0 || h.line.Start >= r.nodes[r.node].Entries[r.entry].Span.End {
		r.closeEntry(h.line.Start)
	}
	r.node = node
	r.inTimeline = r.timeline[node] >= 0 && r.underTimeline(i)
	n := &r.nodes[node]
	if h.todo != "" {
		n.Tasks = append(n.Tasks, r.headlineTask(h))
	}
	if r.inTimeline && h.parent == r.timeline[node] {
		if e, ok := readEntry(h.text); ok {
			e.Span = doc.Span{Start: h.line.Start, End: h.end}
			r.openEntry(e, -1)
		}
	}
	r.links(h.title)
	return h.line.End
}

// underTimeline reports whether heading i is in the subtree of its node's
// timeline.
func (r *reader) underTimeline(i int) bool {
	line := r.headings[r.timeline[r.owner[i]]]
	return r.headings[i].line.Start >= line.line.Start && r.headings[i].end <= line.end
}

func (r *reader) readLine(pos int) int {
	end, next := lineEnd(r.text, pos)
	line := r.text[pos:end]
	switch {
	case isBlank(line):
		r.flush()
		return next
	case !r.belongsToEntry(pos):
		r.closeEntry(pos)
	}
	if isSilent(trimLeft(line)) {
		r.flush()
		if k, ok := readKeywordLine(r.text, pos, end); ok && k.key == "name" {
			r.places[placeKey(string(r.text[k.value.Start:k.value.End]))] = true
		}
		if isComment(line) {
			r.unseen(doc.Span{Start: pos, End: end})
		}
		return next
	}
	if item, ok := readItem(line); ok {
		r.flush()
		r.readItem(item, pos, next)
	}
	if r.run.Len() == 0 {
		r.run.Start = pos
	}
	r.run.End = next
	return next
}

// readItem adds the facts of a list item.
func (r *reader) readItem(it item, pos, next int) {
	n := &r.nodes[r.node]
	span := doc.Span{Start: pos, End: next}
	if it.checked != 0 {
		n.Tasks = append(n.Tasks, itemTask(it, span))
		return
	}
	if r.inTimeline && r.entry < 0 {
		if e, ok := readEntry(it.text); ok {
			e.Span = span
			r.openEntry(e, it.depth)
			return
		}
	}
	if o, ok := readObservation(it.text); ok {
		o.Span = span
		n.Observations = append(n.Observations, o)
	} else if rel, ok := readRelation(it.text, pos+it.at); ok {
		rel.Span = span
		n.Relations = append(n.Relations, rel)
	}
}

func (r *reader) openEntry(e doc.Entry, depth int) {
	n := &r.nodes[r.node]
	r.entry, r.entryDepth = len(n.Entries), depth
	n.Entries = append(n.Entries, e)
}

// belongsToEntry reports whether the line at pos continues the open entry: it
// is indented more than the entry's list item.
func (r *reader) belongsToEntry(pos int) bool {
	return r.entry >= 0 && (r.entryDepth < 0 || indentation(r.text[pos:]) > r.entryDepth)
}

// closeEntry ends the open entry at pos, without the blank lines before it, and reads its
// detail.
func (r *reader) closeEntry(pos int) {
	if r.entry < 0 {
		return
	}
	e := &r.nodes[r.node].Entries[r.entry]
	r.entry = -1
	first := doc.LineEnd(r.text, e.Span.Start)
	end := max(pos, first)
	for end > first && isSpace(r.text[end-1]) {
		end--
	}
	if end > first {
		e.Detail = dedent(string(r.text[first:end]))
		end = doc.LineEnd(r.text, end)
	}
	e.Span.End = min(end, pos)
}

// dedent removes the common indentation of all lines.
func dedent(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " \t")); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(least, 0), len(l)):]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// indentation counts the blanks before the text; a tab extends to the next multiple of
// eight, as in Emacs.
func indentation(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// isSilent reports whether a line, given without indentation, is a comment, a keyword, or
// fixed-width text, which contain no links and no facts.
func isSilent(s []byte) bool {
	switch {
	case s[0] == '#':
		_, ok := readKeywordLine(s, 0, len(s))
		return ok || isComment(s)
	case s[0] == ':':
		return len(s) == 1 || s[1] == ' ' || s[1] == '\t'
	}
	return false
}
