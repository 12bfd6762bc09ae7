package operation

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Set names the operations that a caller gets together.
type Set string

// The sets.
const (
	Core Set = "core" // what an agent needs; at most eight
	More Set = "more" // everything else
)

// Sets returns all sets.
func Sets() []Set { return []Set{Core, More} }

// Route is where HTTP has an operation. Path is relative to the API's root and
// may end in {name...} for an argument that comes from it; where the input
// does not need that one, the path without it is there, too. The rest of the
// input is the query's values with GET and DELETE, and a JSON object in the
// body otherwise.
type Route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Operation is one thing to ask for.
type Operation struct {
	Name        string `json:"name"`        // lower case with underscores
	Title       string `json:"title"`       // for people
	Description string `json:"description"` // for an agent that decides whether to call it
	Set         Set    `json:"set"`
	Route       Route  `json:"route"`

	ReadOnly    bool `json:"read_only"`   // changes nothing
	Destructive bool `json:"destructive"` // takes something away that was there
	Idempotent  bool `json:"idempotent"`  // doing it twice is doing it once

	Input  *jsonschema.Schema `json:"input_schema"`  // an object
	Output *jsonschema.Schema `json:"output_schema"` // an object

	nothing any  // the answer while nothing was ever stored; nil is the error that says so
	first   bool // can be the first to store something, and makes the memory then
	prepare func(input json.RawMessage, strict bool) (prepared, error)
}

// prepared is an operation whose input was read.
type prepared struct {
	do  func(context.Context, *app.App) (any, error)
	dry bool // only says what would happen
}

// dryRunner is input that can ask for what would happen only.
type dryRunner interface{ dryRun() bool }

// SpaceHeader is the header by which a client over HTTP, of MCP or of the
// routes, names the space that it works in.
const SpaceHeader = "Cairn-Space"

// Memory is where operations find what they work on: an app.Lazy, or what
// opened its App already.
type Memory interface {
	// App returns the open memory, with create making it when there is none.
	App(ctx context.Context, create bool) (*app.App, error)
}

// Run reads the input, which may be empty, and does the operation for the
// caller. It forgives what can only be meant in one way. The answer marshals
// to what Output describes. Errors are kb's; input that does not fit is
// kb.Usage with the detail "argument" and says what is accepted, and nothing
// was opened or made then.
func (op *Operation) Run(ctx context.Context, m Memory, c app.Caller, input json.RawMessage) (any, error) {
	p, err := op.prepare(input, false)
	if err != nil {
		return nil, err
	}
	return Call{op, p}.Run(ctx, m, c)
}

// Call is an operation with input that fits it.
type Call struct {
	op *Operation
	prepared
}

// Read reads the input as its schema says and no other way, for a program that
// has the schema and learns more from being told. The error is as Run's.
func (op *Operation) Read(input json.RawMessage) (Call, error) {
	p, err := op.prepare(input, true)
	return Call{op, p}, err
}

// Run does the operation for the caller, as Operation.Run does.
func (call Call) Run(ctx context.Context, m Memory, c app.Caller) (any, error) {
	var out any
	a, err := m.App(ctx, call.op.first && !call.dry)
	if err == nil {
		out, err = call.do(ctx, a.For(c))
	}
	switch {
	case err == nil:
		return out, nil
	case call.op.nothing != nil && app.NothingYet(err):
		return call.op.nothing, nil
	}
	return nil, err
}

// define makes an operation of a function with typed input and answer.
func define[In, Out any](op Operation, run func(context.Context, *app.App, In) (Out, error), shape ...shaping) *Operation {
	op.Input, op.Output = schemaOf[In](true), schemaOf[Out](false)
	for _, s := range shape {
		s(op.Input)
	}
	op.prepare = func(raw json.RawMessage, strict bool) (prepared, error) {
		var in In
		if err := (fitter{name: op.Name, strict: strict}).read(op.Input, raw, &in); err != nil {
			return prepared{}, err
		}
		w, ok := any(in).(dryRunner)
		return prepared{
			do:  func(ctx context.Context, a *app.App) (any, error) { return run(ctx, a, in) },
			dry: ok && w.dryRun(),
		}, nil
	}
	return &op
}

// All returns the table, the core set first. It is made at the first call,
// since most commands do not need it.
var All = sync.OnceValue(func() []*Operation {
	return slices.Concat(core(), more())
})

func core() []*Operation {
	return []*Operation{recall(), readPage(), writePage(), editPage(), remember(), linkPages(), browse(), status()}
}

func more() []*Operation {
	return []*Operation{
		history(), diffVersions(), restore(), undo(),
		movePage(), deletePage(), tagPage(), timeline(), timelineAdd(), unresolvedLinks(),
		listGaps(), gapLog(), gapNote(), gapApprove(), gapResolve(), gapRemove(),
		spaces(), syncFiles(), doctor(),
	}
}

// Find returns the operation of this name. For another name it is
// kb.NotFound, with the nearest one as a hint.
func Find(name string) (*Operation, error) {
	all := All()
	names := make([]string, len(all))
	for i, op := range all {
		if op.Name == name {
			return op, nil
		}
		names[i] = op.Name
	}
	e := kb.Errorf(kb.NotFound, "there is no tool %q", name).With("tools", names)
	if near := nearest(name, names); near != "" {
		return nil, e.WithHint("Did you mean %s?", near)
	}
	return nil, e.WithHint("cairn tools-json lists them.")
}
