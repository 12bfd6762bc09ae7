package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
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
	moveTo         kind = "move"
	deleteIt       kind = "delete"
	restoreIt      kind = "restore"
	relate         kind = "relate"
	unrelate       kind = "unrelate"
)

type editInput struct {
	Ref   string   `json:"ref,omitempty"`
	Refs  []string `json:"refs,omitempty" jsonschema:"several pages"`
	Where []string `json:"where,omitempty" jsonschema:"all pages that fit, as in recall"`
	Edits []edit   `json:"edits"`
	writeOptions
}

type edit struct {
	Do      kind   `json:"do"`
	Text    string `json:"text,omitempty" jsonschema:"new text, title, tag, value, observation as [category] text #tag; move: path or directory/; relate, unrelate: ref; restore: version"`
	Section string `json:"section,omitempty" jsonschema:"heading, for append, prepend, insert, replace"`
	Find    string `json:"find,omitempty" jsonschema:"replace: exact old text"`
	Count   int    `json:"count,omitempty" jsonschema:"replace: occurrences (default 1)"`
	Key     string `json:"key,omitempty" jsonschema:"set, unset: property; relate, unrelate: relation such as works_at"`
}

var editPage = define(Operation{
	Name: "edit", Title: "Edit pages", Group: core, Route: Route{"PATCH", "/pages/{ref...}"},
	Description: "Change parts of pages, move, delete, restore or relate them; all else stays byte for byte. All edits of all pages happen or none. move and delete take directories, too.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in editInput) (written, error) {
	req := change.ChangeRequest{WriteOptions: in.WriteOptions, Refs: in.Refs}
	if in.Ref != "" {
		req.Refs = append([]string{in.Ref}, in.Refs...)
	}
	switch {
	case len(in.Where) > 0 && len(req.Refs) > 0:
		return written{}, misuse{"where", errors.New("where replaces ref and refs")}
	case len(in.Where) > 0:
		req.Where = &retrieve.ListRequest{Within: retrieve.Within{Where: in.Where}}
	case len(req.Refs) == 0:
		return written{}, misuse{"ref", errors.New("ref is missing, or refs, or where")}
	}
	for i, e := range in.Edits {
		step, err := e.step(slices.ContainsFunc(req.Refs, func(ref string) bool { return strings.Contains(ref, "#") }))
		if err != nil {
			at := fmt.Sprintf("edits[%d]", i)
			return written{}, misuse{at, fmt.Errorf("%s %w", at, err)}
		}
		req.Steps = append(req.Steps, step)
	}
	w, err := change.Change(ctx, a, req)
	return wrote(ctx, a, w, err, in.wait)
}, atLeast("expected_version", 0), within("edits",
	atLeast("count", 1),
	oneOf("do", appendText, prependText, replaceText, replaceSection, insertBefore, insertAfter,
		setProperty, removeProperty, setTitle, addTag, removeTag, observe,
		moveTo, deleteIt, restoreIt, relate, unrelate)))

// step returns the edit for each page, or, in parts of pages, one that names
// the section.
func (e edit) step(parts bool) (change.Step, error) {
	switch e.Do {
	case moveTo, relate, unrelate:
		if e.Text == "" {
			return nil, fmt.Errorf("needs a text: where to, or the page at the other end")
		}
	}
	switch e.Do {
	case moveTo:
		return change.MoveStep{To: e.Text}, nil
	case deleteIt:
		return change.DeleteStep{}, nil
	case relate:
		return change.RelateStep{Type: cmp.Or(e.Key, "relates_to"), To: e.Text}, nil
	case unrelate:
		return change.UnrelateStep{Type: e.Key, To: e.Text}, nil
	case restoreIt:
		version, err := 0, error(nil)
		if e.Text != "" {
			version, err = strconv.Atoi(e.Text)
		}
		if err != nil || version < 0 {
			return nil, fmt.Errorf("needs a version as text, or none for the last before now")
		}
		return change.RestoreStep{Version: version}, nil
	}
	edit, err := e.edit(parts)
	return change.EditStep{Edit: edit}, err
}

// edit returns the document's edit.
func (e edit) edit(parts bool) (doc.Edit, error) {
	switch e.Do {
	case setProperty, removeProperty:
		if e.Key == "" {
			return nil, fmt.Errorf("needs a key")
		}
	case replaceSection, insertBefore, insertAfter:
		if e.Section == "" && !parts {
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
		return doc.Replace{Section: e.Section, Old: e.Find, New: e.Text, Expect: max(1, e.Count)}, nil
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
