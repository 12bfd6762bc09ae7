package doc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Writer defines how a format writes the lines that cairn adds.
type Writer struct {
	// Heading writes a top section's heading line without line end.
	Heading func(text string) string
	// Link writes a link to a relation's target, brackets included.
	Link func(target string) string
}

// RelationsHeading is the heading of the section of relations.
const RelationsHeading = "Relations"

// PlanFact plans AddRelation and AddObservation: a list item at the end of the section with
// the usual name, which is created at the end of the truth if it is missing. done is false
// for every other edit.
func PlanFact(d *Document, node int, e Edit, w Writer) (splices []Splice, done bool, err error) {
	n := &d.Nodes[node]
	switch e := e.(type) {
	case AddRelation:
		if err := checkRelation(e); err != nil {
			return nil, true, err
		}
		for _, i := range n.relations(e.Type, e.Target) {
			if r := n.Relations[i]; r.From == e.From && r.Until == e.Until {
				splice, err := d.meant(r, strings.TrimSpace(e.Context))
				return []Splice{splice}, true, err
			}
		}
		kind, _ := RelationType(e.Type)
		line := FormatRelation(kind, w.Link(e.Target), e.From, e.Until, strings.TrimSpace(e.Context))
		return planItem(d, n, w, RelationsHeading, line), true, nil
	case AddObservation:
		if strings.TrimSpace(e.Category) == "" || strings.TrimSpace(e.Text) == "" {
			return nil, true, kb.Errorf(kb.Usage, "an observation has a category and a text")
		}
		line := FormatObservation(strings.TrimSpace(e.Category), strings.TrimSpace(e.Text), e.Tags, strings.TrimSpace(e.Context))
		if err := OneLine("an observation", line); err != nil {
			return nil, true, err
		}
		if want, ok := ParseObservation(line); ok && slices.ContainsFunc(n.Observations, want.same) {
			return nil, true, nil
		}
		return planItem(d, n, w, "Observations", line), true, nil
	}
	return nil, false, nil
}

// Automatic is the context of an automatically created relation between similar
// texts; near is their similarity from 0 to 1.
func Automatic(near float64) string { return fmt.Sprintf("auto %.2f", near) }

// automatic matches the result of Automatic.
var automatic = lazyregexp.New(`^auto [01]\.[0-9]{2}$`)

// IsAutomatic reports whether a relation's context was written by Automatic.
func IsAutomatic(context string) bool { return automatic().MatchString(context) }

// meant gives an automatic relation the context of an explicit one. Any other
// existing relation is a conflict.
func (d *Document) meant(r Relation, context string) (Splice, error) {
	line, old := d.Slice(r.Span), " ("+r.Context+")"
	at := strings.LastIndex(line, old)
	if !automatic().MatchString(r.Context) || automatic().MatchString(context) || at < 0 {
		return Splice{}, kb.Errorf(kb.Conflict, "this relation exists already").
			WithHint("close it before it begins again")
	}
	if context != "" {
		context = " (" + context + ")"
	}
	start := r.Span.Start + at
	return Splice{Span: Span{start, start + len(old)}, New: context}, nil
}

// same reports whether two observations have the same words and tags.
func (o Observation) same(x Observation) bool {
	return sameWords(o.Category, x.Category) && sameWords(o.Text, x.Text) && sameWords(o.Context, x.Context) &&
		slices.EqualFunc(o.Tags, x.Tags, strings.EqualFold)
}

// sameWords reports whether two texts differ only in white space.
func sameWords(a, b string) bool {
	return a == b || slices.Equal(strings.Fields(a), strings.Fields(b))
}

func checkRelation(e AddRelation) error {
	if strings.TrimSpace(e.Target) == "" {
		return kb.Errorf(kb.Usage, "a relation has a target")
	}
	if _, ok := RelationType(e.Type); !ok {
		return kb.Errorf(kb.Invalid, "a relation's type is up to %d words of letters and digits", maxTypeWords).
			WithHint("for example works_at or \"part of\"")
	}
	for _, date := range []string{e.From, e.Until} {
		if date != "" && !IsDate(date) {
			return kb.Errorf(kb.Invalid, "a relation's interval is made of dates, as in 2026-03-01")
		}
	}
	if err := checkInterval(e.From, e.Until); err != nil {
		return err
	}
	if err := OneLine("a relation", e.Target+e.Context); err != nil {
		return err
	}
	return nil
}

// checkInterval fails with kb.Invalid if an interval ends before it starts.
func checkInterval(from, until string) error {
	if (kb.Interval{From: from, Until: until}).InOrder() {
		return nil
	}
	return kb.Errorf(kb.Invalid, "the relation would end in %s, before it begins in %s", until, from).
		WithHint("give an end that is not before %s", from)
}

// OneLine fails with kb.Invalid if text has a line break.
func OneLine(what, text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return kb.Errorf(kb.Invalid, "%s is one line", what)
	}
	return nil
}

// planItem adds a list item to the named section of the truth.
func planItem(d *Document, n *Node, w Writer, section, line string) []Splice {
	for _, h := range n.Headings {
		if h.InTruth && strings.EqualFold(h.Text, section) {
			return []Splice{d.PutEnd(d.ownText(n, h), "- "+line)}
		}
	}
	return []Splice{d.PutEnd(n.Truth, w.Heading(section)+"\n\n- "+line)}
}

// ownText returns the text under a heading before its first subsection.
func (d *Document) ownText(n *Node, h Heading) Span {
	for _, sub := range n.Headings {
		if sub.Line.Start >= h.Line.End && sub.Line.Start < h.Section.End {
			return Span{h.Line.End, sub.Line.Start}
		}
	}
	return Span{h.Line.End, h.Section.End}
}

// CheckEntry validates the edit: it must be an entry that the node does not
// have yet. It returns the edit with blanks trimmed.
func CheckEntry(n *Node, e AddEntry) (AddEntry, error) {
	e.Source, e.Text = strings.TrimSpace(e.Source), strings.TrimSpace(e.Text)
	e.Detail = strings.TrimSpace(e.Detail)
	if e.Text == "" {
		return e, kb.Errorf(kb.Usage, "a timeline entry has a text")
	}
	if !IsDate(e.Date) {
		return e, kb.Errorf(kb.Invalid, "a timeline entry has a date, as in 2026-03-01")
	}
	if err := OneLine("a timeline entry", e.Source+e.Text); err != nil {
		return e, err
	}
	for _, x := range n.Entries {
		if x.Date == e.Date && sameWords(x.Source, e.Source) && sameWords(x.Text, e.Text) {
			return e, kb.Errorf(kb.Conflict, "this timeline entry exists already")
		}
	}
	return e, nil
}

// EntryPlace returns the index of the entry before which one of the given date
// is inserted, newest first; len(n.Entries) for the end.
func EntryPlace(n *Node, date string) int {
	for i, x := range n.Entries {
		if x.Date <= date {
			return i
		}
	}
	return len(n.Entries)
}
