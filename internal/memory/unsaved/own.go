package unsaved

import (
	"bytes"
	"net/url"
	"sort"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// ownPart finds [[#Heading]], [[#^block]] and [text](#anchor).
var ownPart = lazyregexp.New(`\[\[(#[^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]|\]\((#[^()\s]+)\)`)

// Own returns the links of a text to its own headings and blocks, which are not
// links between pages. Those in code are left out.
func (t *Text) Own() (out []doc.Target) {
	if t.Document.Format != doc.Markdown {
		return nil
	}
	text := t.Document.Text
	if !bytes.Contains(text, []byte("[[#")) && !bytes.Contains(text, []byte("](#")) {
		return nil // as in most texts, which are read at each keystroke
	}
	code := codeSpans(text)
	for _, m := range ownPart().FindAllSubmatchIndex(text, -1) {
		i := sort.Search(len(code), func(i int) bool { return code[i].End > m[0] })
		if i < len(code) && code[i].Start <= m[0] {
			continue
		}
		var target doc.Target
		if m[2] >= 0 {
			target = doc.WikiTarget("x"+string(text[m[2]:m[3]]), 0)
			target.NameAt = doc.Span{Start: m[2], End: m[2]}
		} else {
			target = doc.Target{Kind: doc.MarkLink, Heading: string(text[m[4]+1 : m[5]]), NameAt: doc.Span{Start: m[4], End: m[4]}}
			if plain, err := url.PathUnescape(target.Heading); err == nil {
				target.Heading = plain
			}
		}
		target.Name, target.Raw, target.Span = "", "", doc.Span{Start: m[0], End: m[1]}
		out = append(out, target)
	}
	return out
}

// NodeAt returns the innermost node of an offset.
func (t *Text) NodeAt(offset int) (at int) {
	for i, n := range t.Document.Nodes {
		if n.Span.Start <= offset && offset <= n.Span.End {
			at = i
		}
	}
	return at
}

// code finds fenced blocks, and code within a line.
var code = lazyregexp.New("(?ms)^[ \t]*```.*?(?:^[ \t]*```|\\z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\\z)|`[^`\n]+`")

// codeSpans returns the parts of a text that are code, in order.
func codeSpans(text []byte) (out []doc.Span) {
	for _, m := range code().FindAllIndex(text, -1) {
		out = append(out, doc.Span{Start: m[0], End: m[1]})
	}
	return out
}
