package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/kb"
)

// endings finds the statements of a node that a relation is over. links are those
// of the page.
func endings(cues temporal.Cues, links []kb.Link, lines doc.Lines) (out []kb.Ending) {
	if !cues.MayEnd() {
		return nil // most pages
	}
	n := &cues.Document.Nodes[cues.Node]
	p := temporal.Prose{Cues: cues}
	for at, k := range placed(n) {
		l, span := &links[at], k.span
		if k.relation != nil {
			span = k.relation.Target.Span
		}
		p.Mentions = append(p.Mentions, temporal.Mention{Span: span, Link: at})
		if l.Type != kb.PlainLink && l.ValidUntil == "" {
			p.Names = append(p.Names, names(l, at)...)
		}
	}
	slices.SortStableFunc(p.Mentions, func(a, b temporal.Mention) int { return a.Span.Start - b.Span.Start })
	values := named(n)
	for at, v := range values {
		l := link.Named(v)
		p.Names = append(p.Names, names(&l, len(links)+at)...)
	}
	slices.SortStableFunc(p.Names, func(a, b temporal.Name) int { return len(b.Text) - len(a.Text) })
	for _, e := range temporal.Endings(p) {
		x := e.Ending
		x.Line = lines.At(e.At)
		switch {
		case e.Subject >= len(links):
			continue // a value is certainly not a page
		case e.Object >= len(links):
			x.Object, x.Name = temporal.Self, values[e.Object-len(links)]
		}
		out = append(out, x)
	}
	return out
}

// describing are the properties that describe the page itself, and refer to no
// other.
var describing = map[string]bool{
	"title": true, "alias": true, "aliases": true, "name": true, "type": true, "status": true, "tags": true, "date": true,
	"category": true, "categories": true, "description": true, "summary": true, "abstract": true, "excerpt": true, "language": true, "lang": true,
}

// named returns the metadata values of a node that may be names of pages.
func named(n *doc.Node) (out []string) {
	for _, m := range n.Metadata {
		if key := doc.PropertyKey(m.Key); describing[key] || strings.HasSuffix(key, "keywords") {
			continue
		}
		for _, v := range m.Values {
			name := link.Named(v).Name
			first, _ := utf8.DecodeRuneInString(name)
			if !m.Opaque && len(name) > 2 && len(name) <= 80 && (unicode.IsUpper(first) || name != v || strings.Contains(name, "/")) && !strings.Contains(name, "://") && strings.IndexFunc(name, unicode.IsLetter) >= 0 {
				out = append(out, v)
			}
		}
	}
	return out
}

// names returns the names in a text for the target page of a relation: a page with
// a slug such as companies/acme-labs is also called Acme Labs, and a company by its
// name without the legal form.
func names(l *kb.Link, at int) []temporal.Name {
	if l.Text != "" {
		return []temporal.Name{{Text: l.Text, Link: at}}
	}
	name := l.Name[strings.LastIndexByte(l.Name, '/')+1:]
	out := []temporal.Name{{Text: name, Link: at}}
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i, w := range words {
		first, n := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[n:]
	}
	if proper := strings.Join(words, " "); name == strings.ToLower(name) && proper != name {
		out = append(out, temporal.Name{Text: proper, Link: at})
	}
	for _, n := range out {
		if i := strings.LastIndexAny(n.Text, " -"); i > 2 && slices.Contains(legalForms, strings.ToLower(n.Text[i+1:])) {
			out = append(out, temporal.Name{Text: strings.TrimRight(n.Text[:i], ", "), Link: at})
		}
	}
	return out
}

// legalForms are suffixes of company names.
var legalForms = []string{"gmbh", "ag", "kg", "inc", "inc.", "ltd", "ltd.", "llc", "plc", "corp", "corp.", "sa", "sarl", "bv", "oy", "ab", "as", "se", "srl", "spa"}
