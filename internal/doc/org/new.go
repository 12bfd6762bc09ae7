package org

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// New renders a new page: a drawer, the title, the tags, and the body.
func (c Codec) New(p doc.NewPage) ([]byte, error) {
	body := strings.Trim(p.Body, "\r\n")
	if body != "" {
		body = "\n" + body + "\n"
	}
	d := c.Parse("", []byte(body))
	return c.Apply(d, "", newEdits(p)...)
}

// newEdits returns the edits that make a page from an empty one. A type that has a tag is
// written as a tag, as is customary.
func newEdits(p doc.NewPage) []doc.Edit {
	var edits []doc.Edit
	set := func(key, value string) {
		if value != "" {
			edits = append(edits, doc.SetProperty{Key: key, Value: value})
		}
	}
	set("id", p.ID)
	switch {
	case !typeTags[p.Type]:
		set("type", p.Type)
	case !slices.Contains(doc.Tags(p.Tags), p.Type):
		p.Tags = append([]string{p.Type}, p.Tags...)
	}
	set("status", p.Status)
	set("created", p.Created)
	set("summary", p.Summary)
	for _, m := range p.Metadata {
		switch {
		case m.List:
			edits = append(edits, doc.SetList{Key: m.Key, Values: m.Values})
		case len(m.Values) > 0:
			set(m.Key, m.Values[0])
		}
	}
	if p.Title != "" {
		edits = append(edits, doc.SetTitle{Title: p.Title})
	}
	if len(p.Tags) > 0 {
		edits = append(edits, doc.SetList{Key: "tags", Values: p.Tags})
	}
	return edits
}
