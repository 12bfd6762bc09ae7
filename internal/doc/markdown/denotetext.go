package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// readDenoteText reads the metadata of a text note of Denote: lines "key: value" above a line
// of hyphens.
func (m *matter) readDenoteText(d *doc.Document) {
	text := d.Text
	var fields []field
	for at := 0; at < len(text); {
		end := doc.LineEnd(text, at)
		line := strings.TrimRight(string(text[at:end]), " \t\r\n")
		if len(line) >= leastRule && strings.Trim(line, "-") == "" {
			m.lang, m.usable, m.fields = inText, true, fields
			m.inner.End, m.head.End = at, end
			return
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return // text without metadata
		}
		f := field{key: key, span: doc.Span{Start: at, End: end}, colon: at + len(key) + 1}
		if value = strings.TrimSpace(value); value != "" {
			f.kind, f.values = scalar, []string{value}
		}
		if isTags(key) {
			f.kind, f.values = list, strings.Fields(value)
		}
		fields = append(fields, f)
		at = end
	}
}

// leastRule is the minimum number of hyphens that end the metadata of a text note; Denote
// writes 27.
const leastRule = 3

// denoteLink is a link in a text note, in Org syntax.
var denoteLink = lazyregexp.New(`\[\[(` + doc.DenoteScheme + `[0-9]{8}T[0-9]{6})(?:\]\[([^\]\n]*))?\]\]`)

// denoteTextLinks adds the links of a text note to other notes.
func denoteTextLinks(d *doc.Document, n *doc.Node) {
	body := d.Text[n.Head.End:]
	if !bytes.Contains(body, []byte(doc.DenoteScheme)) {
		return
	}
	for _, m := range denoteLink().FindAllSubmatchIndex(body, -1) {
		for i := range m {
			m[i] += n.Head.End
		}
		at := doc.Span{Start: m[0], End: m[1]}
		n.Links = slices.DeleteFunc(n.Links, func(l doc.Link) bool { return l.Span.Start < at.End && at.Start < l.Span.End })
		name := string(d.Text[m[2]:m[3]])
		t := doc.Target{Kind: doc.OrgCite, Raw: name, Name: name, Span: at, NameAt: doc.Span{Start: m[2], End: m[3]}}
		if m[4] >= n.Head.End {
			t.Text = string(d.Text[m[4]:m[5]])
		}
		n.Links = append(n.Links, doc.Link{Target: t, Type: kb.PlainLink})
	}
	slices.SortStableFunc(n.Links, func(a, b doc.Link) int { return a.Span.Start - b.Span.Start })
}

// errDenoteText returns the error for changes of a text note's metadata.
func errDenoteText() error {
	return kb.Errorf(kb.Invalid, "the metadata of text notes is changed by Denote, which has it in the name of the file as well").
		WithHint("Nothing was changed. The text of the note can be edited.")
}
