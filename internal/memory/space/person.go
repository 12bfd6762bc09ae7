package space

import "github.com/cairn-kb/cairn/internal/kb"

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
