package exporter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// rules lists the parts of a page that are not exported.
type rules struct {
	only, leaveOut []string // headings
	words          []string // in lower case
	withhold       string   // metadata key of pages that are not exported
	scan           secrets.Options
	unread         []string // headings with a list that is not a known rule
}

// read adds the rules on their page.
func (r *rules) read(d *doc.Document, in policy.Journal) {
	headings := headingsOf(d)
	for i, h := range headings {
		end := h.Section.End
		if i+1 < len(headings) {
			end = min(end, headings[i+1].Line.Start)
		}
		list := items(d.Slice(doc.Span{Start: h.Line.End, End: end}))
		is := func(name string) bool { return name != "" && strings.EqualFold(strings.TrimSpace(h.Text), name) }
		switch {
		case is(in.Only):
			r.only = append(r.only, list...)
		case is(in.LeaveOut):
			r.leaveOut = append(r.leaveOut, list...)
		case is(in.Lines):
			for _, w := range list {
				r.words = append(r.words, strings.ToLower(w))
			}
		case len(list) > 0:
			r.unread = append(r.unread, h.Text)
		}
	}
}

// headingsOf returns the headings of a document in order, in Org also those of pages in it.
func headingsOf(d *doc.Document) (out []*doc.Heading) {
	for i := range d.Nodes {
		for j := range d.Nodes[i].Headings {
			out = append(out, &d.Nodes[i].Headings[j])
		}
	}
	slices.SortFunc(out, func(a, b *doc.Heading) int { return cmp.Compare(a.Line.Start, b.Line.Start) })
	return out
}

// items returns the items of the lists in a text.
func items(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) < 2 || !strings.ContainsRune("-*+", rune(line[0])) || line[1] != ' ' {
			continue
		}
		if line = strings.Trim(strings.TrimSpace(line[2:]), "`\""); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// withheld reports whether a page is excluded as a whole: by its metadata, or
// because it cannot be parsed.
func withheld(d *doc.Document, key string) bool {
	if d.Encoding == doc.Opaque || slices.ContainsFunc(d.Warnings, func(w doc.Warning) bool { return strings.HasPrefix(w.Code, "frontmatter-") }) {
		return true
	}
	return marked(&d.Nodes[0], key)
}

// marked reports whether the metadata of a page says under a key that it stays here.
func marked(n *doc.Node, key string) bool {
	for _, p := range n.Metadata {
		if key != "" && strings.EqualFold(p.Key, key) && !slices.ContainsFunc(p.Values, func(v string) bool { return strings.EqualFold(v, "false") }) {
			return true
		}
	}
	return false
}

// export is what of a page is exported.
func (r rules) export(d *doc.Document) ([]byte, error) {
	var cuts []doc.Span
	for i := 1; i < len(d.Nodes); i++ {
		if marked(&d.Nodes[i], r.withhold) {
			cuts = append(cuts, d.Nodes[i].Span)
		}
	}
	headings := headingsOf(d)
	among := func(h *doc.Heading, names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(h.Text)) })
	}
	for _, h := range headings {
		related := slices.ContainsFunc(headings, func(o *doc.Heading) bool {
			return among(o, r.only) && (h.Section.Contains(o.Section) || o.Section.Contains(h.Section))
		})
		if among(h, r.leaveOut) || len(r.only) > 0 && !related {
			cuts = append(cuts, h.Section)
		}
	}
	has := func(text string) bool {
		text = strings.ToLower(text)
		return slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(text, w) })
	}
	for _, p := range d.Nodes[0].Metadata {
		if has(d.Slice(p.Span)) {
			cuts = append(cuts, p.Span)
		}
	}
	at := d.Nodes[0].Head.End
	for line := range strings.Lines(string(d.Text[at:])) {
		if has(line) {
			cuts = append(cuts, doc.Span{Start: at, End: at + len(line)})
		}
		at += len(line)
	}
	text := without(d.Text, cuts)
	found := secrets.Scan(text, r.scan)
	masks := make([]doc.Splice, len(found))
	for i, f := range found {
		masks[i] = doc.Splice{Span: doc.Span{Start: f.Start, End: f.End}, New: "[redacted: " + f.Rule + "]"}
	}
	return doc.ApplySplices(text, masks)
}

// without is a text without some spans of it, which may overlap.
func without(text []byte, cuts []doc.Span) []byte {
	slices.SortFunc(cuts, func(a, b doc.Span) int { return a.Start - b.Start })
	out, at := []byte{}, 0
	for _, c := range cuts {
		if c.Start > at {
			out = append(out, text[at:c.Start]...)
		}
		at = max(at, c.End)
	}
	return append(out, text[at:]...)
}
