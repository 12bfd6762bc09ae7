package org

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

func (p plan) addTag(tag string) ([]doc.Splice, error) {
	tag = doc.NormalizeTag(tag)
	if tag == "" {
		return nil, kb.Errorf(kb.Usage, "there is no tag to add")
	}
	if doc.HasTag(p.n.Tags, tag) {
		return nil, nil
	}
	named := p.keys().Named("tags")
	if p.node > 0 || len(named) == 0 {
		return p.editTags(func(tags []string) []string { return append(tags, tag) }, tag)
	}
	if err := p.checkTags(tag); err != nil {
		return nil, err
	}
	old := p.d.Slice(named[0].Value)
	if old == "" {
		return p.setValue(named[:1], joinTags("", []string{tag})), nil
	}
	end := named[0].Value.End
	return []doc.Splice{{Span: doc.Span{Start: end, End: end}, New: tagAfter(old, tag)}}, nil
}

// tagAfter returns the text that adds a tag to the end of old.
func tagAfter(old, tag string) string {
	switch {
	case strings.HasSuffix(old, ":"):
		return tag + ":"
	case strings.Contains(old, ","):
		return ", " + tag
	case !strings.Contains(old, ":"):
		return " " + tag
	}
	return ":" + tag + ":"
}

func (p plan) removeTag(tag string) ([]doc.Splice, error) {
	tag = doc.NormalizeTag(tag)
	for _, o := range p.n.OuterTags {
		if o.Name == tag {
			line := doc.LineAt(p.text, o.Span.Start)
			return nil, kb.Errorf(kb.Refused, "the page has the tag %s from line %d: from its file, or from a heading above it or in it", tag, line).
				WithHint("Nothing was changed. Take the tag away there.").With("line", line)
		}
	}
	if p.node == 0 {
		if err := doc.NamedTag(p.d.Path, tag); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(p.n.Tags, tag) {
		return nil, kb.Errorf(kb.NotFound, "this page does not have that tag")
	}
	var splices []doc.Splice
	for _, f := range p.keys().Named("tags") {
		tags := splitTags(p.text[f.Value.Start:f.Value.End])
		rest := slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return doc.NormalizeTag(t) == tag })
		switch {
		case len(rest) == len(tags):
		case p.node > 0:
			splices = append(splices, p.writeHeadingTags(rest))
		case len(rest) == 0:
			splices = append(splices, doc.Splice{Span: f.Span})
		default:
			splices = append(splices, p.setValue([]doc.Key{f}, joinTags(p.d.Slice(f.Value), rest))...)
		}
	}
	return splices, nil
}

// setTags replaces all tags of the node.
func (p plan) setTags(tags []string) ([]doc.Splice, error) {
	splices, err := p.editTags(func([]string) []string { return tags }, tags...)
	if err != nil || p.node > 0 {
		return splices, err
	}
	for i, f := range p.keys().Named("tags") {
		if i > 0 {
			splices = append(splices, doc.Splice{Span: f.Span})
		}
	}
	return splices, nil
}

// checkTags fails if a tag is not valid in the node's tags.
func (p plan) checkTags(tags ...string) error {
	for _, t := range tags {
		if strings.ContainsAny(t, ": \t\r\n,") || p.node > 0 && !areTags([]byte(":"+t+":")) {
			return kb.Errorf(kb.Invalid, "Org cannot have this tag").
				WithHint("use letters, digits, and _ @ # %%")
		}
	}
	return nil
}

// editTags changes the node's first tags line, which is created if it is missing. The new
// tags are checked.
func (p plan) editTags(edit func([]string) []string, added ...string) ([]doc.Splice, error) {
	if err := p.checkTags(added...); err != nil {
		return nil, err
	}
	if p.node > 0 {
		return []doc.Splice{p.writeHeadingTags(edit(slices.Clone(p.headings[p.roots[p.node]].tags)))}, nil
	}
	named := p.keys().Named("tags")
	if len(named) == 0 {
		line := strings.TrimRight("#+filetags: "+joinTags("", edit(nil)), " ")
		return []doc.Splice{p.keys().Insert(p.tagsPlace(), line)}, nil
	}
	old := p.d.Slice(named[0].Value)
	return p.setValue(named[:1], joinTags(old, edit(splitTags([]byte(old))))), nil
}

// joinTags writes tags in the form of old.
func joinTags(old string, tags []string) string {
	switch {
	case len(tags) == 0:
		return ""
	case strings.Contains(old, ","):
		return strings.Join(tags, ", ")
	case strings.ContainsAny(old, " \t") && strings.Contains(old, ":"):
		return ":" + strings.Join(tags, ": :") + ":"
	case old != "" && !strings.Contains(old, ":"):
		return strings.Join(tags, " ")
	}
	return ":" + strings.Join(tags, ":") + ":"
}

// tagsPlace returns the position for a line of file tags: after the title, else after the
// other keywords.
func (p plan) tagsPlace() int {
	for _, k := range p.keywords {
		if k.key == "title" {
			return k.line.End
		}
	}
	if n := len(p.keywords); n > 0 {
		return p.keywords[n-1].line.End
	}
	return p.titlePlace()
}

// writeHeadingTags replaces the tags at the end of the node's heading, and keeps their right
// edge while there is room.
func (p plan) writeHeadingTags(tags []string) doc.Splice {
	h := p.headings[p.roots[p.node]]
	gap := doc.Span{Start: h.title.End, End: h.tagsAt.End}
	if len(tags) == 0 {
		return doc.Splice{Span: gap}
	}
	text := ":" + strings.Join(tags, ":") + ":"
	blanks := 1
	if h.tags != nil {
		blanks = max(1, h.tagsAt.End-h.title.End-len(text))
		if h.tagsAt.Start-h.title.End == 1 {
			blanks = 1
		}
	}
	return doc.Splice{Span: gap, New: strings.Repeat(" ", blanks) + text}
}

// renameTag renames a tag of the node: for the file, in its tag lines and in the headings
// that are not pages; for a heading, in it and the headings below it.
func (p plan) renameTag(e doc.RenameTag) ([]doc.Splice, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if p.node == 0 {
		for _, tag := range doc.DenoteKeywords(p.d.Path) {
			if e.Renamed(tag) != tag {
				return nil, doc.NamedTag(p.d.Path, tag)
			}
		}
	}
	if err := p.checkTags(doc.NormalizeTag(e.New)); err != nil {
		return nil, err
	}
	renamed := func(tags []string) []string {
		out := make([]string, len(tags))
		for i, tag := range tags {
			out[i] = e.Renamed(doc.NormalizeTag(tag))
		}
		return doc.Tags(out)
	}
	var splices []doc.Splice
	if p.node == 0 {
		for _, f := range p.keys().Named("tags") {
			old := p.d.Slice(f.Value)
			tags := splitTags([]byte(old))
			if now := renamed(tags); !slices.Equal(now, doc.Tags(tags)) {
				splices = append(splices, p.setValue([]doc.Key{f}, joinTags(old, now))...)
			}
		}
	}
	for i, h := range p.headings {
		if len(h.tags) == 0 || p.owner[i] != p.node {
			continue
		}
		if now := renamed(h.tags); !slices.Equal(now, doc.Tags(h.tags)) {
			splices = append(splices, doc.Splice{Span: h.tagsAt, New: ":" + strings.Join(now, ":") + ":"})
		}
	}
	return splices, nil
}
