package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Set names the tools that a caller gets together.
type Set string

// The sets.
const (
	Core     Set = "core"    // what an agent needs; at most eight
	More     Set = "more"    // everything else
	Capture  Set = "capture" // short knowledge that is captured, and what becomes of it
	Context  Set = "context" // the day, the inbox, routines and tables of a context vault
	Review   Set = "review"  // what agents wrote, for a person who looks at it
	Notes    Set = "notes"   // those of Basic Memory, for its former users
	Memories Set = "memory"  // those of quaid, for its former users
)

// Sets returns all sets.
func Sets() []Set { return []Set{Core, More, Capture, Context, Review, Notes, Memories} }

// Tool is an operation as agents are offered it: under a name, in words and
// with arguments and answers that may be its own. Whether it changes anything
// is for the operation to say.
type Tool struct {
	Name        string // lower case with underscores; no two tools share one
	Title       string // for people
	Description string // for an agent that decides whether to call it
	Sets        []Set  // that it belongs to, the one that documents name first

	// Synonyms are other names of arguments, which are accepted and not shown; "" is
	// for one that makes no difference to what the tool answers. Those of the fields of a
	// list's items begin with its name and a point. Where one may mean two arguments, as
	// "text|find", it is the first that the call does not give.
	Synonyms map[string]string

	Operation *Operation
	signature
}

// tool offers an operation unchanged.
func (op *Operation) tool(sets ...Set) *Tool {
	return &Tool{
		Name: op.Name, Title: op.Title, Description: op.Description, Sets: sets,
		Operation: op, signature: op.signature,
	}
}

// adapt offers an operation in another shape: ask makes the operation's input
// of the tool's, and answer the tool's answer of the operation's, also of the
// one that it gives while nothing was ever stored. What ask makes must fit
// the operation's schema. Shape is of the tool's own arguments.
func adapt[In, Answer, OpIn, OpOut any](
	tool Tool, op *typed[OpIn, OpOut],
	ask func(In) (OpIn, error), answer func(In, OpOut) (Answer, error), shape ...Shaping,
) *Tool {
	tool.Operation = &op.Operation
	tool.signature = signatureOf(reflect.TypeFor[In](), reflect.TypeFor[Answer](), through(op, ask, answer), shape)
	return &tool
}

// choose exposes several operations as one tool; pick selects one from the
// arguments. The tool has the properties of op, which is the one that can do
// most.
func choose[In any](tool Tool, op *Operation, pick func(In) asking, shape ...Shaping) *Tool {
	tool.Operation = op
	tool.signature = signatureOf(reflect.TypeFor[In](), reflect.TypeFor[textResult](), func(name string, given any) (Call, error) {
		return pick(given.(In))(name, given)
	}, shape)
	return &tool
}

// asking makes a call of an operation of what a tool was given.
type asking func(name string, given any) (Call, error)

// through asks an operation in another shape; see adapt.
func through[In, Answer, OpIn, OpOut any](
	op *typed[OpIn, OpOut], ask func(In) (OpIn, error), answer func(In, OpOut) (Answer, error),
) asking {
	return func(name string, given any) (Call, error) {
		in, err := ask(given.(In))
		if err == nil {
			err = op.fits(name, in)
		}
		if err != nil {
			return Call{}, err
		}
		return prepare(&op.Operation, in, func(out any) (any, error) { return answer(given.(In), out.(OpOut)) }), nil
	}
}

// fits checks input that a tool made of its own, under the name of the tool.
func (op *Operation) fits(name string, in any) error {
	text, err := json.Marshal(in)
	if err == nil {
		_, err = Reader{Name: name, Strict: true}.Fit(op.Input(), text)
	}
	return err
}

// Tools returns all tools, the core set first.
var Tools = sync.OnceValue(func() []*Tool {
	var all []*Tool
	for _, op := range All() {
		if op.Group != notebook {
			t := op.tool(Set(op.Group))
			if slices.Contains([]string{schemaValidate.Name, schemaInfer.Name, schemaDiff.Name}, op.Name) {
				t.Sets, t.Synonyms = append(t.Sets, Notes), ofSchema
			}
			if op.Name == editPage.Name {
				t.Synonyms = ofEdit
			}
			all = append(all, t)
		}
	}
	return append(append(all, noteTools()...), memoryTools()...)
})

// Run reads the input, which may be empty, and calls the tool for the caller.
// It accepts unambiguous deviations. The answer marshals to the schema of
// Output. Errors are kb's; invalid input is kb.Usage with the detail "argument"
// and lists the accepted values, and then nothing was opened or created. Fields
// that follow from a page's ref are omitted.
func (t *Tool) Run(ctx context.Context, m Memory, c memory.Caller, given json.RawMessage) (any, error) {
	call, err := t.read(Reader{Name: t.Name, Synonyms: t.Synonyms}, given)
	if err != nil {
		return nil, err
	}
	out, err := call.Run(ctx, m, c)
	if first := t.firstProject(c, err); first != "" {
		c.Space = first
		out, err = call.Run(ctx, m, c)
	}
	switch long := out.(type) {
	case written:
		out = long.shortened()
	case shortener:
		out = long.short()
	}
	return out, err
}

// firstProject returns the project for a call of a tool of notes that failed because no
// project was chosen, "" for any other.
func (t *Tool) firstProject(c memory.Caller, failed error) string {
	if failed == nil || c.Space != "" || !slices.Contains(t.Sets, Notes) {
		return ""
	}
	undecided := kb.AsError(failed)
	if undecided.Reason != kb.SpaceUndecided {
		return ""
	}
	first, _ := undecided.Facts["first"].(string)
	return first
}

// Offered reports whether a caller with these sets gets the tool.
func (t *Tool) Offered(sets []Set, readOnly bool) bool {
	return Share(sets, t.Sets) && (t.Operation.ReadOnly || !readOnly)
}

// OfferedBy reports for a name whether a caller with these sets gets the tool.
func OfferedBy(sets []Set, readOnly bool) Offered {
	return func(name string) bool {
		return slices.ContainsFunc(Tools(), func(t *Tool) bool { return t.Name == name && t.Offered(sets, readOnly) })
	}
}

// Share reports whether two lists have a set in common.
func Share(a, b []Set) bool {
	return slices.ContainsFunc(a, func(s Set) bool { return slices.Contains(b, s) })
}

// MarshalJSON describes the tool to programs. A route takes and answers what
// the operation does, so that a tool of another shape has none.
func (t *Tool) MarshalJSON() ([]byte, error) {
	op, route := t.Operation, Route{}
	if t.Input() == op.Input() && t.Output() == op.Output() {
		route = op.Route
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // clients that need escapes add them
	err := e.Encode(struct {
		Name        string             `json:"name"`
		Title       string             `json:"title"`
		Description string             `json:"description"`
		Set         Set                `json:"set"`
		Others      []Set              `json:"other_sets,omitempty"`
		Route       Route              `json:"route,omitzero"`
		ReadOnly    bool               `json:"read_only"`
		Destructive bool               `json:"destructive"`
		Idempotent  bool               `json:"idempotent"`
		Input       *jsonschema.Schema `json:"input_schema"`
		Output      *jsonschema.Schema `json:"output_schema"`
	}{
		t.Name, t.Title, t.Description, t.Sets[0], t.Sets[1:], route,
		op.ReadOnly, op.Destructive, op.Idempotent, t.Input(), t.Output(),
	})
	return text.Bytes(), err
}

// FindTool returns the tool of this name. For another name it is kb.NotFound, with
// the nearest one as a hint.
func FindTool(name string) (*Tool, error) {
	all := Tools()
	names := make([]string, len(all))
	for i, t := range all {
		if t.Name == name {
			return t, nil
		}
		names[i] = t.Name
	}
	e := kb.Errorf(kb.NotFound, "unknown tool %q", name).With("tools", names)
	if near := Nearest(name, names); near != "" {
		return nil, e.WithHint("Did you mean %s?", near)
	}
	return nil, e.WithHint("cairn tools-json lists them.")
}
