package operation

import (
	"context"
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/app"
)

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
