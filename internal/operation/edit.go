package operation

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/doc"
)

// kind is what one edit does.
type kind string

const (
	appendText     kind = "append"
	prependText    kind = "prepend"
	replaceText    kind = "replace"
	replaceSection kind = "replace_section"
	insertBefore   kind = "insert_before"
	insertAfter    kind = "insert_after"
	setProperty    kind = "set"
	removeProperty kind = "unset"
	setTitle       kind = "title"
	addTag         kind = "tag"
	removeTag      kind = "untag"
	observe        kind = "observe"
)

type editInput struct {
	Ref   string `json:"ref"`
	Edits []edit `json:"edits"`
	writeOptions
}

type edit struct {
	Do      kind   `json:"do"`
	Text    string `json:"text,omitempty" jsonschema:"new text, title, tag, value, or observation as [category] text #tag"`
	Section string `json:"section,omitempty" jsonschema:"heading: where to append, prepend, insert, replace_section"`
	Find    string `json:"find,omitempty" jsonschema:"replace: exact old text"`
	Count   int    `json:"count,omitempty" jsonschema:"replace: occurrences (default 1)"`
	Key     string `json:"key,omitempty" jsonschema:"set, unset: property"`
}

var editPage = define(Operation{
	Name: "edit", Title: "Edit a page", Group: core, Route: Route{"PATCH", "/pages/{ref...}"},
	Description: "Change parts of a page; all else stays byte for byte. All edits happen or none.",
	Destructive: true,
}, func(ctx context.Context, a *app.App, in editInput) (written, error) {
	list := make([]doc.Edit, len(in.Edits))
	for i, e := range in.Edits {
		var err error
		if list[i], err = e.edit(); err != nil {
			at := fmt.Sprintf("edits[%d]", i)
			return written{}, misuse{at, fmt.Errorf("%s %w", at, err)}
		}
	}
	w, err := a.Edit(ctx, app.EditRequest{WriteOptions: in.options(), Ref: in.Ref, Edits: list})
	return wrote(ctx, a, w, err, in.writeOptions)
}, atLeast("expected_version", 0), within("edits",
	atLeast("count", 1),
	oneOf("do", appendText, prependText, replaceText, replaceSection, insertBefore, insertAfter,
		setProperty, removeProperty, setTitle, addTag, removeTag, observe)))

// edit returns the document's edit.
func (e edit) edit() (doc.Edit, error) {
	switch e.Do {
	case setProperty, removeProperty:
		if e.Key == "" {
			return nil, fmt.Errorf("needs a key")
		}
	case replaceSection, insertBefore, insertAfter:
		if e.Section == "" {
			return nil, fmt.Errorf("needs a section")
		}
	case replaceText:
		if e.Find == "" {
			return nil, fmt.Errorf("needs find, the text to replace")
		}
	case setTitle, addTag, removeTag:
		if e.Text == "" {
			return nil, fmt.Errorf("needs a text")
		}
	}
	switch e.Do {
	case appendText:
		return doc.Append{Section: e.Section, Text: e.Text}, nil
	case prependText:
		return doc.Prepend{Section: e.Section, Text: e.Text}, nil
	case replaceText:
		return doc.Replace{Old: e.Find, New: e.Text, Expect: max(1, e.Count)}, nil
	case replaceSection:
		return doc.ReplaceSection{Section: e.Section, Text: e.Text}, nil
	case insertBefore:
		return doc.InsertBefore{Section: e.Section, Text: e.Text}, nil
	case insertAfter:
		return doc.InsertAfter{Section: e.Section, Text: e.Text}, nil
	case setProperty:
		return doc.SetProperty{Key: e.Key, Value: e.Text}, nil
	case removeProperty:
		return doc.RemoveProperty{Key: e.Key}, nil
	case setTitle:
		return doc.SetTitle{Title: e.Text}, nil
	case addTag:
		return doc.AddTag{Tag: e.Text}, nil
	case removeTag:
		return doc.RemoveTag{Tag: e.Text}, nil
	}
	o, ok := doc.ParseObservation(e.Text)
	if !ok {
		return nil, fmt.Errorf("needs a text such as %q", "[decision] use SQLite #storage")
	}
	return doc.AddObservation{Category: o.Category, Text: o.Text, Tags: o.Tags, Context: o.Context}, nil
}
