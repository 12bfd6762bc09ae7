package lsp

import (
	"net/url"
	"sort"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/memory/unsaved"
)

// ownPart finds [[#Heading]], [[#^block]] and [text](#anchor).
var ownPart = lazyregexp.New(`\[\[(#[^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]|\]\(#([^()\s]+)\)`)

// ownLinks returns the links of a text to its own parts, which are no links between pages. Those
// in code are left out.
func ownLinks(t *unsaved.Text) (out []ownLink) {
	if t.Document.Format != doc.Markdown {
		return nil
	}
	text := t.Document.Text
	code := codeSpans(text)
	for _, m := range ownPart().FindAllSubmatchIndex(text, -1) {
		i := sort.Search(len(code), func(i int) bool { return code[i].End > m[0] })
		if i < len(code) && code[i].Start <= m[0] {
			continue
		}
		l := ownLink{Span: doc.Span{Start: m[0], End: m[1]}}
		if m[2] >= 0 {
			target := doc.WikiTarget("x"+string(text[m[2]:m[3]]), 0)
			l.heading, l.block = target.Heading, target.Block
		} else {
			l.heading = string(text[m[4]:m[5]])
			if plain, err := url.PathUnescape(l.heading); err == nil {
				l.heading = plain
			}
		}
		out = append(out, l)
	}
	return out
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
