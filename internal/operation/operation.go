package operation

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/app"
)

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
