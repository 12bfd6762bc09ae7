package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Body is a page, or a change of one, as JSON that is sent to its path.
type Body struct {
	Text     string            // whole text; for a change without Edits, the text to append
	Edits    []doc.Edit        // of a change
	Values   map[string]string // of a row
	Expected *int
}

type rowBody struct {
	Values   map[string]string `json:"values" jsonschema:"text of each cell, by column"`
	Expected *int              `json:"expected_version,omitempty" jsonschema:"version of the page that you read"`
}

// RowBody is the schema of what ReadRow reads.
var RowBody = sync.OnceValue(func() *jsonschema.Schema {
	s := SchemaOf(reflect.TypeFor[rowBody](), true)
	AtLeast("expected_version", 0)(s)
	return s
})

// ReadRow reads a row of a table.
func ReadRow(raw json.RawMessage) (Body, error) {
	var in rowBody
	err := Reader{Name: "the body", Strict: true}.Read(RowBody(), raw, &in)
	return Body{Values: in.Values, Expected: in.Expected}, err
}

type wholeBody struct {
	Text     string `json:"text" jsonschema:"the whole page"`
	Expected *int   `json:"expected_version,omitempty" jsonschema:"version you read; 0: must be new"`
}

type changeBody struct {
	Text     string `json:"text,omitempty" jsonschema:"to append"`
	Section  string `json:"section,omitempty" jsonschema:"heading, under which text is appended"`
	Edits    []edit `json:"edits,omitempty" jsonschema:"instead of text, as the operation edit takes them; without move, delete, restore, relate, unrelate and merge"`
	Expected *int   `json:"expected_version,omitempty" jsonschema:"version you read"`
}

// WholeBody is the schema of what ReadWhole reads.
var WholeBody = sync.OnceValue(func() *jsonschema.Schema {
	s := SchemaOf(reflect.TypeFor[wholeBody](), true)
	AtLeast("expected_version", 0)(s)
	return s
})

// ChangeBody is the schema of what ReadChange reads.
var ChangeBody = sync.OnceValue(func() *jsonschema.Schema {
	s := SchemaOf(reflect.TypeFor[changeBody](), true)
	AtLeast("expected_version", 0)(s)
	Within("edits", AtLeast("count", 1), scalars("text"), OneOf("do", appendText, prependText, replaceText, replaceSection, insertBefore,
		insertAfter, setProperty, removeProperty, setTitle, addTag, removeTag, renameTag, observe))(s)
	return s
})

// ReadWhole reads a whole page.
func ReadWhole(raw json.RawMessage) (Body, error) {
	var in wholeBody
	err := Reader{Name: "the body", Strict: true}.Read(WholeBody(), raw, &in)
	return Body{Text: in.Text, Expected: in.Expected}, err
}

// ReadChange reads a change of a page. What fits the schema and says nothing is
// kb.Invalid.
func ReadChange(raw json.RawMessage) (Body, error) {
	var in changeBody
	if err := (Reader{Name: "the body", Strict: true}).Read(ChangeBody(), raw, &in); err != nil {
		return Body{}, err
	}
	out := Body{Text: in.Text, Expected: in.Expected}
	var err error
	switch {
	case strings.TrimSpace(in.Text) != "" && len(in.Edits) > 0:
		err = errors.New("text and edits exclude each other")
	case strings.TrimSpace(in.Text) != "":
		out.Edits = []doc.Edit{doc.Append{Section: in.Section, Text: in.Text}}
	case len(in.Edits) == 0:
		err = errors.New("nothing to append, and no edits")
	}
	for i, e := range in.Edits {
		change, why := e.edit(false)
		if why != nil {
			err = fmt.Errorf("edits[%d] %w", i, why)
			break
		}
		out.Edits = append(out.Edits, change)
	}
	if err != nil {
		err = kb.Errorf(kb.Invalid, "the body: %w", err).WithHint("Nothing was written.")
	}
	return out, err
}
