package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
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
	renameTag      kind = "rename_tag"
	mergeInto      kind = "merge"
)

type editInput struct {
	Ref   string   `json:"ref,omitempty"`
	Refs  []string `json:"refs,omitempty"`
	Where []string `json:"where,omitempty" jsonschema:"pages, as in recall"`
	Space string   `json:"space,omitempty"`
	Edits []edit   `json:"edits"`
	writeOptions
}

type edit struct {
	Do      kind   `json:"do"`
	Text    scalar `json:"text,omitzero" jsonschema:"text, title, tag, value, observation as [category] text #tag; move: path or dir/; relate, merge into: ref; restore: version"`
	Section string `json:"section,omitempty" jsonschema:"heading"`
	Find    string `json:"find,omitempty" jsonschema:"exact old text, or old tag (no ref: in the space)"`
	Count   int    `json:"count,omitempty" jsonschema:"replace: occurrences (default 1)"`
	Key     string `json:"key,omitempty" jsonschema:"property, or relation such as works_at"`
}

// ofEdit are other names of arguments of edits that callers guess.
var ofEdit = map[string]string{
	"edits.type": "key", "edits.relation": "key", "edits.property": "key",
	"edits.to": "text", "edits.value": "text", "edits.target": "text", "edits.new": "text", "edits.with": "text", "edits.into": "text",
	"edits.replacement": "text", "edits.replace_with": "text", "edits.new_text": "text", "edits.new_string": "text",
	"edits.content": "text", "edits.body": "text", "edits.object": "text", "edits.tags": "text", "edits.title": "text",
	"edits.path": "text", "edits.destination": "text", "edits.new_path": "text",
	"edits.op": "do", "edits.operation": "do", "edits.action": "do",
	"edits.predicate": "key", "edits.heading": "section",
	"edits.tag":  "text|find", // the old tag where another argument has the new one
	"edits.from": "find", "edits.old": "find", "edits.old_text": "find", "edits.old_string": "find",
}

// scalar is a text, or a value of JSON that is written in its own type.
type scalar struct {
	text  string
	json  bool
	given bool
}

// UnmarshalJSON reads a text, a number or a boolean.
func (s *scalar) UnmarshalJSON(text []byte) error {
	s.given, s.json = true, text[0] != '"'
	if s.json {
		s.text = string(text)
		return nil
	}
	return json.Unmarshal(text, &s.text)
}

// MarshalJSON writes what was read.
func (s scalar) MarshalJSON() ([]byte, error) {
	if s.json {
		return []byte(s.text), nil
	}
	return json.Marshal(s.text)
}

// scalars lets fields of that type have any scalar.
func scalars(names ...string) Shaping {
	return func(s *jsonschema.Schema) {
		for _, name := range names {
			s.Properties[name] = &jsonschema.Schema{Description: s.Properties[name].Description, Types: []string{"string", "number", "boolean"}}
		}
	}
}

var editPage = define(Operation{
	Name: "edit", Title: "Edit pages", Group: core, Route: Route{"PATCH", "/pages/{ref...}"},
	Description: "Change, move, delete, restore, relate or merge pages; all else stays byte for byte. All edits happen or none. move and delete take directories.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in editInput) (partly, error) {
	a = a.In(in.Space)
	req := change.ChangeRequest{WriteOptions: in.WriteOptions, Refs: in.Refs}
	if in.Ref != "" {
		req.Refs = append([]string{in.Ref}, in.Refs...)
	}
	if err := checkWhere(in.Where); err != nil {
		return partly{}, err
	}
	if slices.ContainsFunc(in.Edits, func(e edit) bool { return e.Do == mergeInto }) {
		if len(in.Edits) != 1 || len(req.Refs) != 1 || len(in.Where) > 0 || in.Edits[0].Text.text == "" {
			return partly{}, misuse{"edits[0]", errors.New("merge is the only edit, of one page (ref), with the page that it becomes a part of as text")}
		}
		w, err := curate.Absorb(ctx, a, in.WriteOptions, req.Refs[0], in.Edits[0].Text.text)
		return wrotePartly(ctx, a, w, err, in.wait)
	}
	renames := len(in.Edits) > 0 && !slices.ContainsFunc(in.Edits, func(e edit) bool { return e.Do != renameTag })
	switch {
	case len(req.Refs) == 0 && len(in.Where) == 0 && renames:
		req.Tagged = true
	case len(in.Where) > 0 && len(req.Refs) > 0:
		return partly{}, misuse{"where", errors.New("where replaces ref and refs")}
	case len(in.Where) > 0:
		req.Where = &retrieve.ListRequest{Within: retrieve.Within{Where: in.Where}}
	case len(req.Refs) == 0:
		return partly{}, misuse{"ref", errors.New("ref is missing, or refs, or where")}
	}
	for i, e := range in.Edits {
		step, err := e.step(slices.ContainsFunc(req.Refs, func(ref string) bool { return strings.Contains(ref, "#") }))
		if err != nil {
			at := fmt.Sprintf("edits[%d]", i)
			return partly{}, misuse{at, fmt.Errorf("%s %w", at, err)}
		}
		req.Steps = append(req.Steps, step)
	}
	w, err := change.Change(ctx, a, req)
	return wrotePartly(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0), Within("edits",
	AtLeast("count", 1), scalars("text"),
	OneOf("do", appendText, prependText, replaceText, replaceSection, insertBefore, insertAfter,
		setProperty, removeProperty, setTitle, addTag, removeTag, observe,
		moveTo, deleteIt, restoreIt, relate, unrelate, renameTag, mergeInto)))

// step returns the edit for each page, or, in parts of pages, one that names
// the section.
func (e edit) step(parts bool) (change.Step, error) {
	switch e.Do {
	case moveTo, deleteIt, restoreIt:
		// A caller that means a part of the page, or another one, must not lose this one.
		if e.Section != "" || e.Find != "" || e.Key != "" || e.Do == deleteIt && e.Text.text != "" {
			return nil, fmt.Errorf("is a %s, which changes the whole page of ref: it takes no section, find or key, and delete takes no text", e.Do)
		}
	}
	switch e.Do {
	case moveTo:
		if e.Text.text == "" {
			return nil, fmt.Errorf("needs text, the new path, or a directory with a slash at its end")
		}
	case relate, unrelate:
		if e.Text.text == "" {
			return nil, fmt.Errorf("needs text, the page that the relation leads to, and key, its type")
		}
	}
	switch e.Do {
	case moveTo:
		return change.MoveStep{To: e.Text.text}, nil
	case deleteIt:
		return change.DeleteStep{}, nil
	case relate:
		return change.RelateStep{Type: cmp.Or(e.Key, "relates_to"), To: e.Text.text}, nil
	case unrelate:
		return change.UnrelateStep{Type: e.Key, To: e.Text.text}, nil
	case restoreIt:
		version, err := 0, error(nil)
		if e.Text.text != "" {
			version, err = strconv.Atoi(e.Text.text)
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
		if e.Do == setProperty && !e.Text.given {
			return nil, fmt.Errorf("needs a text, the value; unset removes a property")
		}
	case replaceSection, insertBefore, insertAfter:
		if e.Section == "" && !parts {
			return nil, fmt.Errorf("needs a section")
		}
	case replaceText:
		if e.Find == "" {
			return nil, fmt.Errorf("needs find, the text to replace")
		}
	case renameTag:
		if e.Find == "" || e.Text.text == "" {
			return nil, fmt.Errorf("needs find, the tag, and text, its new name")
		}
	case setTitle, addTag, removeTag:
		if e.Text.text == "" {
			return nil, fmt.Errorf("needs a text")
		}
		if e.Do == addTag && strings.Contains(e.Text.text, ",") {
			return nil, fmt.Errorf("needs one tag as text: write an edit for each")
		}
	}
	switch e.Do {
	case appendText:
		return doc.Append{Section: e.Section, Text: e.Text.text}, nil
	case prependText:
		return doc.Prepend{Section: e.Section, Text: e.Text.text}, nil
	case replaceText:
		return doc.Replace{Section: e.Section, Old: e.Find, New: e.Text.text, Expect: max(1, e.Count)}, nil
	case replaceSection:
		return doc.ReplaceSection{Section: e.Section, Text: e.Text.text}, nil
	case insertBefore:
		return doc.InsertBefore{Section: e.Section, Text: e.Text.text}, nil
	case insertAfter:
		return doc.InsertAfter{Section: e.Section, Text: e.Text.text}, nil
	case setProperty:
		return doc.SetProperty{Key: e.Key, Value: e.Text.text, Typed: !e.Text.json, Written: e.Text.json}, nil
	case removeProperty:
		return doc.RemoveProperty{Key: e.Key}, nil
	case setTitle:
		return doc.SetTitle{Title: e.Text.text}, nil
	case addTag:
		return doc.AddTag{Tag: e.Text.text}, nil
	case removeTag:
		return doc.RemoveTag{Tag: e.Text.text}, nil
	case renameTag:
		return doc.RenameTag{Old: e.Find, New: e.Text.text}, nil
	}
	o, ok := doc.ParseObservation(e.Text.text)
	if !ok {
		return nil, fmt.Errorf("needs a text such as %q", "[decision] use SQLite #storage")
	}
	return doc.AddObservation{Category: o.Category, Text: o.Text, Tags: o.Tags, Context: o.Context}, nil
}
