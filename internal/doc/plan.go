package doc

import (
	"bytes"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// PlanText plans the edits that are the same in every format, because they only move bytes
// between spans of the document: the edits of text, Retarget, and the removal of facts. done
// is false for every other edit.
func PlanText(d *Document, node int, e Edit) (splices []Splice, done bool, err error) {
	n := &d.Nodes[node]
	switch e := e.(type) {
	case Append:
		splices, err = planSection(d, n, e.Section, e.Text, d.PutEnd)
	case InsertAfter:
		splices, err = planSection(d, n, e.Section, e.Text, d.PutEnd)
	case Prepend:
		splices, err = planSection(d, n, e.Section, e.Text, d.PutStart)
	case InsertBefore:
		splices, err = planBefore(d, n, e)
	case ReplaceSection:
		if e.Section == "" {
			splices = []Splice{d.PutInstead(n.Truth, e.Text)}
			break
		}
		splices, err = planReplaceSection(d, n, e)
	case SetTruth:
		splices = []Splice{d.PutInstead(n.Truth, e.Text)}
	case Replace:
		splices, err = planReplace(d, n, e)
	case Retarget:
		splices, err = planRetarget(d, e)
	case RetargetParts:
		for _, l := range e.Links {
			splices = append(splices, Splice{l.At, l.Raw})
		}
	case CloseRelation:
		splices, err = planClose(d, n, e)
	case SetInterval:
		splices, err = planInterval(d, n, e)
	case RemoveRelation:
		splices, err = planRemoveRelation(d, n, e)
	case RemoveObservation:
		splices, err = planRemoveObservation(n, e)
	default:
		return nil, false, nil
	}
	return splices, true, err
}

func planSection(d *Document, n *Node, section, text string, put func(Span, string) Splice) ([]Splice, error) {
	if strings.TrimSpace(text) == "" {
		return nil, kb.Errorf(kb.Usage, "there is no text to add")
	}
	if first, _, _ := strings.Cut(trimBlankLines(text), "\n"); d.Format == Markdown && strings.TrimRight(first, " \t\r") == "---" {
		return nil, kb.Errorf(kb.Invalid, "the new text begins with a --- line, which means a heading, a timeline or frontmatter, depending on the lines around it").
			WithHint("Begin with *** for a rule. For a timeline, add an entry.")
	}
	region := n.Truth
	if section != "" {
		var err error
		if region, err = d.sectionBody(n, section); err != nil {
			return nil, err
		}
	}
	return []Splice{put(region, text)}, nil
}

func planBefore(d *Document, n *Node, e InsertBefore) ([]Splice, error) {
	if e.Section == "" {
		return planSection(d, n, "", e.Text, d.PutStart)
	}
	if strings.TrimSpace(e.Text) == "" {
		return nil, kb.Errorf(kb.Usage, "there is no text to add")
	}
	part, err := d.Part(n, e.Section)
	if err != nil {
		return nil, err
	}
	return []Splice{d.put(part.Start, part, e.Text)}, nil
}

// planReplace finds Old as written, or with the document's line endings, without overlaps
// from the start of the node or section.
func planReplace(d *Document, n *Node, e Replace) ([]Splice, error) {
	if e.Old == "" {
		return nil, kb.Errorf(kb.Usage, "there is nothing to look for")
	}
	old, text := e.Old, e.New
	if d.EOL != "\n" {
		old, text = WithEOL(old, d.EOL), WithEOL(text, d.EOL)
	}
	within := n.Span
	if e.Section != "" {
		var err error
		if within, err = d.Part(n, e.Section); err != nil {
			return nil, err
		}
	}
	var splices []Splice
	for at := within.Start; ; {
		i := bytes.Index(d.Text[at:within.End], []byte(old))
		if i < 0 {
			break
		}
		splices = append(splices, Splice{Span{at + i, at + i + len(old)}, text})
		at += i + len(old)
	}
	if err := e.Check(d, within, len(splices)); err != nil {
		return nil, err
	}
	return splices, nil
}

// Check returns kb.Conflict if found is not the expected number of occurrences in a part of
// a document, with NotThere as the cause if there are none.
func (e Replace) Check(d *Document, within Span, found int) error {
	want := max(e.Expect, 1)
	if found == want {
		return nil
	}
	if found == 0 {
		return kb.Errorf(kb.Conflict, "text not found").With("expected", want).With("found", found).
			WithHint("read the page: the text has to match exactly, with its spaces").Because(&NotThere{d.Text, within, e.Old})
	}
	return kb.Errorf(kb.Conflict, "text found %d times, expected %d", found, want).With("expected", want).With("found", found).
		WithHint("give more of the text around it, or the number of occurrences")
}

func planRetarget(d *Document, e Retarget) ([]Splice, error) {
	known := make(map[Span]bool)
	shown := make(map[Span]Target) // links that display their name
	find := func(t Target) {
		known[t.NameAt] = true
		if t.Text == "" && strings.HasPrefix(d.Slice(t.Span), "[[") && strings.HasSuffix(d.Slice(t.Span), "]]") {
			shown[t.NameAt] = t
		}
	}
	for i := range d.Nodes {
		for _, l := range d.Nodes[i].Links {
			find(l.Target)
		}
		for _, r := range d.Nodes[i].Relations {
			find(r.Target)
		}
	}
	for _, t := range d.Files {
		known[t.NameAt] = true
	}
	echoes := make(map[Span]bool, len(d.Echoes))
	for _, x := range d.Echoes {
		known[x.Target.NameAt], echoes[x.Target.NameAt] = true, true
	}
	var splices []Splice
	seen := make(map[Span]string, len(e.Links))
	for _, l := range e.Links {
		if !known[l.At] {
			return nil, kb.Errorf(kb.Conflict, "no link at the given position")
		}
		// References share the bytes of their definition.
		if raw, twice := seen[l.At]; twice {
			if raw != l.Raw {
				return nil, kb.Errorf(kb.Conflict, "two targets for the same link")
			}
			continue
		}
		seen[l.At] = l.Raw
		splices = append(splices, Splice{l.At, l.Raw})
		name := l.Raw
		if t, named := shown[l.At]; named && l.Text != "" {
			text := d.showing(t, l.Text)
			name += text
			splices = append(splices, Splice{Span{t.Span.End - 2, t.Span.End - 2}, text})
		}
		for _, x := range d.Echoes {
			if _, done := seen[x.Name]; !done && !echoes[l.At] && d.Slice(x.Name) == d.Slice(l.At) {
				seen[x.Name] = name
				splices = append(splices, Splice{x.Name, name})
			}
		}
	}
	return splices, nil
}

// showing returns the end of a link in double brackets that displays a text. In a table row
// the bar is escaped, since it would end the cell.
func (d *Document) showing(t Target, text string) string {
	line := d.Text[LineStart(d.Text, t.Span.Start):t.Span.Start]
	switch {
	case d.Format == Org:
		return "][" + text
	case bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("|")):
		return `\|` + text
	}
	return "|" + text
}

func planClose(d *Document, n *Node, e CloseRelation) ([]Splice, error) {
	if !IsDate(e.Until) {
		return nil, kb.Errorf(kb.Invalid, "the end of a relation is a date, as in 2026-03-01")
	}
	var open []int
	for _, i := range n.relationsAt(d, e.Type, e.Target, e.Line) {
		if n.Relations[i].Until == "" {
			open = append(open, i)
		}
	}
	switch len(open) {
	case 0:
		return nil, kb.Errorf(kb.NotFound, "no such relation that has not ended")
	case 1:
		r := n.Relations[open[0]]
		if err := checkInterval(r.From, e.Until); err != nil {
			return nil, err
		}
		return []Splice{IntervalSplice(d, r, kb.Interval{From: r.From, Until: e.Until})}, nil
	}
	return nil, kb.Errorf(kb.Ambiguous, "%d open relations match", len(open)).
		WithHint("name the relation's type")
}

func planInterval(d *Document, n *Node, e SetInterval) ([]Splice, error) {
	for _, date := range []string{e.Is.From, e.Is.Until} {
		if date != "" && !IsDate(date) || e.Is == (kb.Interval{}) {
			return nil, kb.Errorf(kb.Invalid, "an interval has dates, as in 2017-01..2026-03-01")
		}
	}
	if err := checkInterval(e.Is.From, e.Is.Until); err != nil {
		return nil, err
	}
	found := n.relationsAt(d, e.Type, e.Target, e.Line)
	if len(found) != 1 || n.Relations[found[0]].interval() != e.Was {
		return nil, elsewhere(e.Line)
	}
	return []Splice{IntervalSplice(d, n.Relations[found[0]], e.Is)}, nil
}

func planRemoveRelation(d *Document, n *Node, e RemoveRelation) ([]Splice, error) {
	found := n.relationsAt(d, e.Type, e.Target, e.Line)
	if len(found) == 0 && e.Line != 0 {
		return nil, elsewhere(e.Line)
	}
	if len(found) == 0 {
		return nil, kb.Errorf(kb.NotFound, "there is no such relation")
	}
	var splices []Splice
	for _, i := range found {
		splices = append(splices, Splice{n.Relations[i].Span, ""})
	}
	return splices, nil
}

// elsewhere returns the error for a line that changed since it was read.
func elsewhere(line int) error {
	return kb.Errorf(kb.Conflict, "the relation in line %d has changed since it was read", line)
}

func planRemoveObservation(n *Node, e RemoveObservation) ([]Splice, error) {
	text := e.Text
	if o, ok := ParseObservation(FormatObservation(e.Category, e.Text, nil, "")); ok {
		text = o.Text
	}
	var found []Splice
	for _, o := range n.Observations {
		if o.Category == e.Category && (o.Text == e.Text || o.Text == text) {
			found = append(found, Splice{o.Span, ""})
		}
	}
	switch len(found) {
	case 0:
		return nil, kb.Errorf(kb.NotFound, "there is no such observation")
	case 1:
		return found, nil
	}
	return nil, kb.Errorf(kb.Ambiguous, "%d observations have this category and text", len(found))
}
