package org

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Apply performs the edits in order on a node; see doc.Codec. An edit must not change
// another node of the file, except for Retarget, which identifies links by their position in
// the file.
func (c Codec) Apply(d *doc.Document, node string, edits ...doc.Edit) ([]byte, error) {
	at, err := d.NodeIndex(node)
	if err != nil {
		return nil, err
	}
	retargets := false
	normal := make([]doc.Edit, len(edits))
	for i, e := range edits {
		normal[i] = normalise(e, at > 0)
		if _, is := e.(doc.Retarget); is {
			retargets = true
		}
	}
	source, err := doc.Perform(planner{c}, d, node, normal...)
	if err != nil {
		return nil, err
	}
	if !retargets {
		if err := othersKept(d, c.Parse(d.Path, source), at); err != nil {
			return nil, err
		}
	}
	return source, nil
}

// normalise converts keys and targets to the form in which the parser reports them.
func normalise(e doc.Edit, heading bool) doc.Edit {
	switch e := e.(type) {
	case doc.SetProperty:
		e.Key = reportedKey(strings.ToLower(e.Key))
		if e.Key == "title" && heading {
			return doc.SetTitle{Title: e.Value}
		}
		return e
	case doc.SetList:
		e.Key = reportedKey(strings.ToLower(e.Key))
		if e.Key == "tags" {
			e.Values = doc.Tags(e.Values)
		}
		return e
	case doc.RemoveProperty:
		e.Key = reportedKey(strings.ToLower(e.Key))
		return e
	case doc.AddRelation:
		e.Target = strings.TrimSpace(e.Target)
		if bare := bareTarget(e.Target); strings.HasSuffix(writeLink(bare), e.Target+"]]") {
			e.Target = bare // the scheme is added again when it is written
		}
		return e
	case doc.CloseRelation:
		e.Target = bareTarget(e.Target)
		return e
	case doc.SetInterval:
		e.Target = bareTarget(e.Target)
		return e
	case doc.RemoveRelation:
		e.Target = bareTarget(e.Target)
		return e
	}
	return e
}

// bareTarget removes the scheme of a page link, which is not part of a target's
// name.
func bareTarget(s string) string {
	s = strings.TrimSpace(s)
	for _, scheme := range []string{"id:", "file:"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return s
}

// planner plans single edits for doc.Perform.
type planner struct{ Codec }

// Plan returns the splices of one edit.
func (planner) Plan(d *doc.Document, node int, e doc.Edit) ([]doc.Splice, error) {
	p := plan{readTree(d.Text), d, node, &d.Nodes[node]}
	switch e := e.(type) {
	case doc.SetProperty:
		if e.Written && strings.ContainsAny(e.Value, "[]{}\"\n") {
			return nil, kb.Errorf(kb.Invalid, "an Org property is a text: %q cannot be set to a value of another format", e.Key)
		}
		return p.setProperty(e.Key, e.Value)
	case doc.SetList:
		return p.setList(e.Key, e.Values)
	case doc.RemoveProperty:
		return p.removeProperty(e.Key)
	case doc.SetTitle:
		return p.setTitle(e.Title)
	case doc.AddTag:
		return p.addTag(e.Tag)
	case doc.RemoveTag:
		return p.removeTag(e.Tag)
	case doc.RenameTag:
		return p.renameTag(e)
	case doc.AddEntry:
		return p.addEntry(e)
	case doc.Replace:
		return p.replace(e)
	case doc.AddRelation, doc.AddObservation:
		if r, is := e.(doc.AddRelation); is && (strings.Contains(r.Target, "[[") || strings.Contains(r.Target, "]]")) {
			return nil, kb.Errorf(kb.Invalid, "a relation's target is a name, not a link with its brackets")
		}
		splices, _, err := doc.PlanFact(p.factView(), node, e, doc.Writer{Heading: p.topHeading, Link: writeLink})
		return p.apart(splices), err
	}
	inside, own, err := p.ownSection(e)
	if err != nil {
		return nil, err
	}
	splices, _, err := doc.PlanText(p.textView(inside, own), node, inside)
	return p.apart(splices), err
}

// A plan is the view of a document for one edit.
type plan struct {
	*tree
	d    *doc.Document
	node int
	n    *doc.Node
}

// ownSection converts a section that is the node's own heading to the whole truth; own
// reports whether it did.
func (p plan) ownSection(e doc.Edit) (inside doc.Edit, own bool, err error) {
	within := func(section *string) {
		was := *section
		*section = p.within(was)
		own = *section != was
	}
	switch t := e.(type) {
	case doc.Append:
		within(&t.Section)
		e = t
	case doc.Prepend:
		within(&t.Section)
		e = t
	case doc.ReplaceSection:
		within(&t.Section)
		e = t
	case doc.InsertAfter:
		within(&t.Section)
		e = t
	case doc.InsertBefore:
		if t.Section != "" && p.within(t.Section) == "" {
			return nil, false, kb.Errorf(kb.Invalid, "the text before this heading is not part of this page")
		}
	}
	return e, own, nil
}

// within returns the section relative to the node's truth: "" for the node's
// own heading.
func (p plan) within(section string) string {
	if section == "" || p.n.Heading < 0 {
		return section
	}
	if i, err := p.n.Section(section); err == nil && i == p.n.Heading {
		return ""
	}
	return section
}

// textView returns the document with the spans for an edit of text: a heading's line
// includes its planning and drawer, which stay in place, and text added at an end goes
// before nodes nested there.
func (p plan) textView(e doc.Edit, own bool) *doc.Document {
	trim := false
	switch e := e.(type) {
	case doc.Append:
		trim = stars([]byte(strings.TrimLeft(e.Text, "\r\n"))) == 0
	case doc.InsertAfter:
		trim = stars([]byte(strings.TrimLeft(e.Text, "\r\n"))) == 0
	}
	return p.view(func(i, end int) int {
		end = p.beforeRelations(i, end)
		if trim {
			return min(end, p.withoutTail(p.node, p.last[i], end))
		}
		return end
	}, trim, own)
}

// beforeRelations returns the end of the text in a heading's section: before the heading of
// relations directly below it, if nothing follows that.
func (p plan) beforeRelations(i, end int) int {
	for k := i + 1; k < len(p.headings) && p.headings[k].line.Start < end; k++ {
		if h := p.headings[k]; h.parent == i && h.end == end && strings.EqualFold(h.text, doc.RelationsHeading) {
			return h.line.Start
		}
	}
	return end
}

// factView is textView for edits of facts: a section ends at the first heading
// below it.
func (p plan) factView() *doc.Document {
	return p.view(func(i, end int) int {
		if i+1 < len(p.headings) {
			return min(end, p.headings[i+1].line.Start)
		}
		return end
	}, false, false)
}

// view copies the document with other ends of sections. The truth of a node named by its own
// heading ends with its section.
func (p plan) view(sectionEnd func(heading, end int) int, trimTruth, own bool) *doc.Document {
	v := *p.d
	v.Nodes = slices.Clone(p.d.Nodes)
	n := &v.Nodes[p.node]
	n.Headings = slices.Clone(n.Headings)
	k := 0
	for i, h := range p.headings {
		if p.owner[i] != p.node {
			continue
		}
		n.Headings[k].Line.End = h.head.End
		n.Headings[k].Section.End = max(h.head.End, sectionEnd(i, h.end))
		k++
	}
	if trimTruth {
		last := len(p.headings)
		if root := p.roots[p.node]; root >= 0 {
			last = root
		}
		last = p.last[last]
		if line := p.timeline[p.node]; line >= 0 {
			last = p.previous[line]
		}
		n.Truth.End = p.withoutTail(p.node, last, n.Truth.End)
	}
	if root := p.roots[p.node]; own && root >= 0 {
		n.Truth.End = min(n.Truth.End, p.beforeRelations(root, n.Truth.End))
	}
	return &v
}

// apart adds a blank line before a heading that is inserted after a line of text. The code
// shared by both formats treats it like a list item.
func (p plan) apart(splices []doc.Splice) []doc.Splice {
	for i, s := range splices {
		if s.Len() > 0 || s.Start == 0 || p.text[s.Start-1] != '\n' || stars([]byte(s.New)) == 0 {
			continue
		}
		if before := p.text[doc.LineStart(p.text, s.Start-1):s.Start]; !doc.Blank(before) {
			splices[i].New = p.d.EOL + s.New
		}
	}
	return splices
}

// topHeading writes the heading of a section directly below the node, at the level of its
// timeline, so that the timeline stays in place.
func (p plan) topHeading(text string) string {
	level := p.level(p.node) + 1
	if line := p.timeline[p.node]; line >= 0 {
		level = p.headings[line].level
	}
	return strings.Repeat("*", level) + " " + text
}

// replace replaces every occurrence in the node's own text.
func (p plan) replace(e doc.Replace) ([]doc.Splice, error) {
	if e.Old == "" {
		return nil, kb.Errorf(kb.Usage, "there is nothing to look for")
	}
	old, text := e.Old, e.New
	if p.d.EOL != "\n" {
		old, text = doc.WithEOL(old, p.d.EOL), doc.WithEOL(text, p.d.EOL)
	}
	within := p.n.Span
	if e.Section != "" {
		var err error
		if within, err = p.d.Part(p.n, e.Section); err != nil {
			return nil, err
		}
	}
	var splices []doc.Splice
	at := within.Start
	for _, hole := range append(p.nested(p.node), doc.Span{Start: within.End, End: within.End}) {
		if hole.End <= at || hole.Start > within.End {
			continue
		}
		for at < hole.Start {
			i := bytes.Index(p.text[at:hole.Start], []byte(old))
			if i < 0 {
				break
			}
			splices = append(splices, doc.Splice{Span: doc.Span{Start: at + i, End: at + i + len(old)}, New: text})
			at += i + len(old)
		}
		at = hole.End
	}
	if err := e.Check(p.d, within, len(splices)); err != nil {
		return nil, err
	}
	return splices, nil
}
