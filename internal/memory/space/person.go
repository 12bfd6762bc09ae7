package space

import (
	"context"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// PersonOnly refuses an agent what only a person may do: agents change pages, never what
// binds them. what completes "an agent may not"; command is the fact from which each
// surface makes the command line for the person.
func PersonOnly(a kb.Actor, command, what string) error {
	if a.Kind != kb.Agent {
		return nil
	}
	return kb.Errorf(kb.Refused, "an agent may not %s", what).WithHint("Nothing was changed.").
		WithReason(kb.PersonOnly).WithFact("command", command)
}

// MayFill refuses an agent to write files that are no pages, such as a copy, to a path
// inside or above the directory of a space, whose rules bind them.
func (r *Registry) MayFill(ctx context.Context, dir, command string) error {
	if r.Actor.Kind != kb.Agent {
		return nil
	}
	real, err := resolved(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	all, err := r.All(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Root != "" && (within(real, s.Root) || within(s.Root, real)) {
			return PersonOnly(r.Actor, command, "write files inside or above the space "+s.Name)
		}
	}
	return nil
}
