package index

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

// endings finds the sentences of a node's truth that end one of its relations,
// or a relation to a page that they link to. Links are those of the page.
func endings(d *doc.Document, n *doc.Node, links []kb.Link, lines doc.Lines) (out []kb.Ending) {
	if !slices.ContainsFunc(links, holds) || !lifecycle.MayEnd(d.Text[n.Truth.Start:n.Truth.End]) {
		return nil
	}
	truth := own(d, n)
	p := lifecycle.Prose{Title: n.Title, Text: truth}
	for i, k := range placed(n) {
		l, at := &links[i], k.span
		if n.Truth.Contains(at) && l.Type == kb.PlainLink {
			p.Mentions = append(p.Mentions, lifecycle.Mention{Start: at.Start - n.Truth.Start, End: at.End - n.Truth.Start, Link: i})
		}
		if holds(*l) {
			for _, name := range called(l) {
				p.Names = append(p.Names, lifecycle.Name{Text: name, Link: i})
			}
		}
	}
	slices.SortStableFunc(p.Names, func(a, b lifecycle.Name) int { return len(b.Text) - len(a.Text) })
	for _, e := range lifecycle.Endings(p) {
		out = append(out, kb.Ending{Link: e.Link, Until: e.Until, Quote: e.Quote, Line: lines.At(n.Truth.Start + e.At)})
	}
	return out
}

// holds reports whether a link is a relation without an end.
func holds(l kb.Link) bool { return l.Type != kb.PlainLink && l.ValidUntil == "" }

// called returns the names in a text for the page of a relation: a page named
// by its slug, as in companies/acme-labs, is also called Acme Labs.
func called(l *kb.Link) []string {
	if l.Text != "" {
		return []string{l.Text}
	}
	name := l.Name[strings.LastIndexByte(l.Name, '/')+1:]
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i, w := range words {
		first, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[n:]
	}
	if proper := strings.Join(words, " "); name == strings.ToLower(name) && proper != name {
		return []string{name, proper}
	}
	return []string{name}
}

// own is the truth of a node with the nodes that are nested in it blanked out.
func own(d *doc.Document, n *doc.Node) []byte {
	truth := d.Text[n.Truth.Start:n.Truth.End]
	if len(d.Nodes) == 1 {
		return truth
	}
	truth = bytes.Clone(truth)
	for i := range d.Nodes {
		if in := d.Nodes[i].Span; n.Truth.Contains(in) && in.Start > n.Span.Start {
			for at := in.Start - n.Truth.Start; at < in.End-n.Truth.Start; at++ {
				truth[at] = '\n'
			}
		}
	}
	return truth
}
