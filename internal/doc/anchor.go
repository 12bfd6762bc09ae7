package doc

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// dendronRange is the end of an anchor of Dendron: "head,1", "head:#*", "head:#next".
var dendronRange = regexp.MustCompile(`,[0-9]+$|,[0-9]+:#.*$|:#.*$`)

// dendronEnd is the same in the part of an anchor before its second "#".
var dendronEnd = regexp.MustCompile(`,[0-9]+:?$|:$`)

// numbered is the number after an anchor of which a page has several: "the-end-1".
var numbered = regexp.MustCompile(`-[0-9]+$`)

// HasPart reports whether a link to a heading or block of a node leads to one, as any of the
// programs that read such links finds it. In formats other than Markdown and Org it does.
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
	return d.hasHeading(n, heading) || d.hasAnchor(n, heading)
}

func (d *Document) hasHeading(n *Node, name string) bool {
	if _, err := n.Section(name); kb.CodeOf(err) != kb.NotFound {
		return true
	}
	if short := dendronRange.ReplaceAllString(name, ""); short != name || name == "*" {
		return short == "*" || name == "*" || d.hasHeading(n, short)
	}
	for _, part := range strings.Split(name, "#") { // of nested headings each
		if part = strings.TrimSpace(part); part != "" && !n.isHeading(part) {
			return false
		}
	}
	return true
}

// isHeading reports whether a heading has a name in some spelling: without punctuation, as
// Obsidian writes it, or as an anchor with a number.
func (n *Node) isHeading(name string) bool {
	key, base := kb.NameKey(name), kb.NameKey(numbered.ReplaceAllString(name, ""))
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
	quoted := regexp.QuoteMeta(name)
	text := d.Text[n.Span.Start:n.Span.End]
	if d.Format == Org {
		search, err := regexp.Compile(`(?i)<<` + quoted + `>>|^[ \t]*(?::custom_id:|#\+name:)[ \t]*` + quoted + `[ \t\r]*$`)
		return err == nil && matchesLine(search, text) || bytes.Contains(text, []byte(name)) // Org searches the text
	}
	search, err := regexp.Compile(`(?i)(?:id|name)=["']?` + quoted + `["'\s>]|\{[^}]*#` + quoted + `[\s}]`)
	return err == nil && matchesLine(search, text)
}

func matchesLine(search *regexp.Regexp, text []byte) bool {
	for line := range bytes.Lines(text) {
		if search.Match(bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// RenamedParts returns the headings and the ids of blocks, with "^", that a node has under
// another name than before: those at the same place among what stayed.
func RenamedParts(was *Document, old *Node, is *Document, now *Node) map[string]string {
	out := map[string]string{}
	pair := func(a, b []string, mark string) {
		for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		if len(a) != len(b) {
			return
		}
		for i := range a {
			if a[i] != b[i] && !slices.Contains(b, a[i]) && !slices.Contains(a, b[i]) {
				out[mark+a[i]] = b[i]
			}
		}
	}
	pair(headingTexts(old), headingTexts(now), "")
	pair(was.blockIDs(old), is.blockIDs(now), "^")
	return out
}

func headingTexts(n *Node) []string {
	out := make([]string, len(n.Headings))
	for i, h := range n.Headings {
		out[i] = h.Text
	}
	return out
}

var endsInBlockID = regexp.MustCompile(`(?m)(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t\r]*$`)

func (d *Document) blockIDs(n *Node) []string {
	if d.Format != Markdown {
		return nil
	}
	var out []string
	for _, m := range endsInBlockID.FindAllSubmatch(d.Text[n.Span.Start:n.Span.End], -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// RenamedPart returns the span of the heading or block that a link names, and what to write
// there after parts of its page were renamed; ok is false when it names none of these.
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
			if suffix = dendronEnd.FindString(s); suffix == ":" && len(segments) == 1 {
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
			case name == Slug(old) && (t.Kind == MarkLink && name != old || !strings.EqualFold(name, old)):
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

// plainAnchor leaves out of a heading what would end the link to it, as Obsidian does.
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
		end = LineEnd(d.Text, at) // in the definition of a reference
	}
	stops := "|]\n"
	switch {
	case t.Kind == MarkLink && t.NameAt.Start > 0 && d.Text[t.NameAt.Start-1] == '<':
		stops = ">\n"
	case t.Kind == MarkLink:
		stops = " \t\r\n)>"
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
