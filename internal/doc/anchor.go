package doc

import (
	"bytes"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// dendronRange is the end of an anchor of Dendron: "head,1", "head:#*", "head:#next".
var dendronRange = lazyregexp.New(`,[0-9]+$|,[0-9]+:#.*$|:#.*$`)

// dendronEnd is the same for the part of an anchor before its second "#".
var dendronEnd = lazyregexp.New(`,[0-9]+:?$|:$`)

// numbered is the number after an anchor that a page has several times: "the-end-1".
var numbered = lazyregexp.New(`-[0-9]+$`)

// HasPart reports whether a link to a heading or block of a node resolves, by the
// rules of any program that reads such links. In formats other than Markdown and
// Org it always does.
func (d *Document) HasPart(n *Node, heading, block string) bool {
	if d.Format != Markdown && d.Format != Org {
		return true
	}
	if block != "" {
		if _, err := d.Block(n, block); err == nil || d.hasAnchor(n, block) {
			return true
		}
		return d.Format == Org && d.hasHeading(n, block)
	}
	if d.Format == Org { // anchors of Org are searched in the whole text, ignoring case
		return d.hasHeading(n, heading) || d.hasAnchor(n, heading)
	}
	return d.hasAnchor(n, heading) || d.hasHeading(n, heading)
}

func (d *Document) hasHeading(n *Node, name string) bool {
	if len(n.sections(name)) > 0 {
		return true
	}
	if short := dendronRange().ReplaceAllString(name, ""); short != name || name == "*" {
		return short == "*" || name == "*" || d.hasHeading(n, short)
	}
	for _, part := range strings.Split(name, "#") { // for each of nested headings
		if part = strings.TrimSpace(part); part != "" && !n.isHeading(part) {
			return false
		}
	}
	return true
}

// isHeading reports whether a heading has a name in some spelling: without punctuation, as
// Obsidian writes it, or as an anchor with a number.
func (n *Node) isHeading(name string) bool {
	key, base := kb.NameKey(name), kb.NameKey(numbered().ReplaceAllString(name, ""))
	for _, h := range n.Headings {
		if have := kb.NameKey(h.Text); have != "" && (have == key || have == base) {
			return true
		}
	}
	return false
}

// hasAnchor reports whether the text names a place: an HTML anchor, an attribute {#name}, a
// custom id, a target <<name>> or a #+name of Org.
func (d *Document) hasAnchor(n *Node, name string) bool {
	text, lower := d.Text[n.Span.Start:n.Span.End], []byte(strings.ToLower(name))
	if d.Format == Org {
		return bytes.Contains(bytes.ToLower(text), lower) // Org searches the text, ignoring case
	}
	follows := func(at int, ends string) bool {
		rest, ok := bytes.CutPrefix(bytes.ToLower(bytes.TrimRight(text[at:LineEnd(text, at)], "\r\n")), lower)
		return ok && len(rest) > 0 && strings.IndexByte(ends, rest[0]) >= 0
	}
	for at := range places(text, '=') {
		before := text[max(0, at-len("name")):at]
		if !endsFold(before, "id") && !endsFold(before, "name") {
			continue
		}
		after := at + 1
		if follows(after, anchorEnds) || after < len(text) && (text[after] == '"' || text[after] == '\'') && follows(after+1, anchorEnds) {
			return true
		}
	}
	for at := range places(text, '#') {
		line := text[LineStart(text, at):at]
		if bytes.LastIndexByte(line, '{') > bytes.LastIndexByte(line, '}') && follows(at+1, blanks+"}") {
			return true
		}
	}
	return false
}

// The characters that end the name of an anchor in HTML.
const (
	blanks     = " \t\f\r"
	anchorEnds = blanks + `"'>`
)

// places yields the positions of a byte in a text.
func places(text []byte, c byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			next := bytes.IndexByte(text[at:], c)
			if at += next; next < 0 || !yield(at) {
				return
			}
		}
	}
}

// endsFold reports whether a text ends with a word, ignoring case.
func endsFold(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[len(text)-len(word):]), word)
}

// RenamedParts returns the new names of the headings and block ids (with "^") of a node by
// their old names: a single heading with an otherwise unchanged section, or a single id that
// is the only change. If more changed, it is unknown which name replaced which.
func RenamedParts(was *Document, old *Node, is *Document, now *Node) map[string]string {
	out := map[string]string{}
	if i, ok := oneChanged(headingTexts(old), headingTexts(now)); ok {
		a, b := old.Headings[i], now.Headings[i]
		if a.Level == b.Level && bytes.Equal(was.Text[a.Line.End:a.Section.End], is.Text[b.Line.End:b.Section.End]) {
			out[a.Text] = b.Text
		}
	}
	ids, newIDs := was.blockIDs(old), is.blockIDs(now)
	if i, ok := oneChanged(ids, newIDs); ok {
		before, after := was.Text[old.Span.Start:old.Span.End], is.Text[now.Span.Start:now.Span.End]
		if bytes.Equal(bytes.Replace(before, []byte("^"+ids[i]), []byte("^"+newIDs[i]), 1), after) {
			out["^"+ids[i]] = newIDs[i]
		}
	}
	return out
}

// oneChanged returns the index of the only name in which two lists differ, if neither list
// has it twice.
func oneChanged(a, b []string) (at int, ok bool) {
	if at = -1; len(a) != len(b) {
		return at, false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if at >= 0 {
			return at, false
		}
		at = i
	}
	if at < 0 || slices.Contains(b, a[at]) || slices.Contains(a, b[at]) {
		return at, false
	}
	return at, true
}

func headingTexts(n *Node) []string {
	out := make([]string, len(n.Headings))
	for i, h := range n.Headings {
		out[i] = h.Text
	}
	return out
}

var endsInBlockID = lazyregexp.New(`(?m)(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t\r]*$`)

func (d *Document) blockIDs(n *Node) []string {
	if d.Format != Markdown {
		return nil
	}
	var out []string
	for _, m := range endsInBlockID().FindAllSubmatch(d.Text[n.Span.Start:n.Span.End], -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// RenamedPart returns the span of the heading or block in a link, and its new text after
// parts of the page were renamed; ok is false if the link names none of these parts.
func (d *Document) RenamedPart(t Target, renamed map[string]string) (at Span, text string, ok bool) {
	at, ok = d.partAt(t)
	if !ok {
		return at, "", false
	}
	raw := d.Slice(at)
	if t.Block != "" {
		now, known := renamed["^"+t.Block]
		if !known || !strings.HasSuffix(raw, t.Block) {
			return at, "", false
		}
		return at, strings.TrimSuffix(raw, t.Block) + now, true
	}
	segments := strings.Split(raw, "#")
	ok = false
	for i, s := range segments {
		name, suffix := s, ""
		if i == 0 {
			if suffix = dendronEnd().FindString(s); suffix == ":" && len(segments) == 1 {
				suffix = ""
			}
			name = strings.TrimSuffix(s, suffix)
		}
		if t.Kind == MarkLink {
			if u, err := url.PathUnescape(name); err == nil {
				name = u
			}
		}
		for old, now := range renamed {
			switch {
			case strings.HasPrefix(old, "^"):
				continue
			case name == Slug(old) && ((t.Kind == MarkLink || t.Kind == SiteLink) && name != old || !strings.EqualFold(name, old)):
				now = Slug(now)
			case FoldName(name) == FoldName(old):
				if now = plainAnchor(now); t.Kind == MarkLink && d.Text[t.NameAt.Start-1] != '<' {
					now = (&url.URL{Path: now}).EscapedPath()
				}
			default:
				continue
			}
			segments[i], ok = now+suffix, true
		}
	}
	return at, strings.Join(segments, "#"), ok
}

// plainAnchor removes the characters of a heading that would end a link to it, like
// Obsidian.
func plainAnchor(heading string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("#", " ", "|", " ", "^", " ", "[", " ", "]", " ", "%%", " ").Replace(heading)), " ")
}

// partAt returns the span of the heading or block in a link.
func (d *Document) partAt(t Target) (Span, bool) {
	if t.Heading+t.Block == "" {
		return Span{}, false
	}
	at, end := t.NameAt.End, t.Span.End
	if at > end || t.NameAt.Start < t.Span.Start {
		end = LineEnd(d.Text, at) // of a reference's definition
	}
	stops := "|]\n"
	switch {
	case t.Kind == MarkLink && t.NameAt.Start > 0 && d.Text[t.NameAt.Start-1] == '<':
		stops = ">\n"
	case t.Kind == MarkLink:
		stops = " \t\r\n)>"
	case t.Kind == SiteLink:
		stops = " \t\r\n\"`>%)"
	}
	mark := "#"
	if d.Format == Org {
		mark, stops = "::", "]\n"
	}
	rest, ok := strings.CutPrefix(string(d.Text[at:end]), mark)
	if !ok {
		return Span{}, false
	}
	at += len(mark)
	if d.Format == Org {
		at += len(rest) - len(strings.TrimLeft(rest, "*#"))
		rest = strings.TrimLeft(rest, "*#")
	}
	n := strings.IndexAny(rest, stops)
	if n < 0 {
		n = len(rest)
	}
	part := strings.TrimSuffix(rest[:n], `\`)
	return Span{Start: at, End: at + len(strings.TrimRight(part, " \t"))}, part != ""
}
