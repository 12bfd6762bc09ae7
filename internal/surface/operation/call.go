package operation

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// dryRunner is input that can ask for what would happen only.
type dryRunner interface{ Dry() bool }

// SpaceHeader is the header by which a client over HTTP, of MCP or of the
// routes, names the space that it works in.
const SpaceHeader = "Cairn-Space"

// AgentHeader is the header in which the HTTP server passes the agent of a
// request's token to the MCP server. A value sent by a client is dropped.
const AgentHeader = "Cairn-Agent"

// Memory is where operations find what they work on: an memory.Lazy, or what
// opened its App already.
type Memory interface {
	// App returns the open memory, with create making it when there is none.
	Session(ctx context.Context, create bool) (*memory.Session, error)
}

// Call is an operation, or a tool, with input that fits it.
type Call struct {
	name    string // that was called, for errors
	create  bool   // makes the memory where there is none
	do      func(context.Context, *memory.Session) (any, error)
	nothing func() (any, error) // answers while nothing was ever stored; nil leaves it at the error
}

// prepare makes a call of an operation with its input. Answer shapes what the
// operation answers.
func prepare(op *Operation, in any, answer func(any) (any, error)) Call {
	dry, ok := in.(dryRunner)
	call := Call{
		create: op.first && !(ok && dry.Dry()),
		do: func(ctx context.Context, a *memory.Session) (any, error) {
			out, err := op.do(ctx, a, in)
			if err != nil {
				return nil, err
			}
			return answer(out)
		},
	}
	if op.nothing != nil {
		call.nothing = func() (any, error) { return answer(op.nothing) }
	}
	return call
}

// Run performs the operation on behalf of the caller. The answer marshals to
// the operation's answer schema. Errors are kb's.
func (call Call) Run(ctx context.Context, m Memory, c memory.Caller) (any, error) {
	var out any
	a, err := m.Session(ctx, call.create)
	if err == nil {
		a = a.For(c)
		defer a.Begin()()
		if out, err = call.do(ctx, a); err != nil {
			err = noted(err, a.Notes())
		}
	}
	if call.nothing != nil && space.NothingYet(err) {
		out, err = call.nothing()
	}
	if err != nil {
		return nil, named(call.name, err)
	}
	return out, nil
}

// noted adds notes to an error, such as that a page may be in a file that could
// not be read.
func noted(err error, notes []string) error {
	if len(notes) == 0 {
		return err
	}
	return kb.AsError(err).With("notes", notes)
}

// misuse is an invalid argument that fits the schema. It becomes an error under
// the name that was called, which the operation does not know.
type misuse struct {
	argument string
	why      error
}

func (m misuse) Error() string { return m.why.Error() }

// named returns the error under the name that was called.
func named(name string, err error) error {
	if m := (misuse{}); errors.As(err, &m) {
		return kb.Errorf(kb.Usage, "%s: %w", name, m.why).With("argument", m.argument)
	}
	return err
}
