package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// Lists declares that a command prints a list of T, with fields that --json can
// select.
func Lists[T any](p *Program, cmd *cobra.Command) *cobra.Command {
	if p.lists == nil {
		p.lists = map[*cobra.Command]func() []string{}
	}
	p.lists[cmd] = operation.Fields[T]
	return cmd
}

// Fields returns the fields that the items of a command's list have, nil where it
// prints none.
func (p *Program) Fields(cmd *cobra.Command) []string {
	if list, ok := p.lists[cmd]; ok {
		return list()
	}
	return nil
}

// checkFields refuses fields that the items of the command do not have.
func (p *Program) checkFields(cmd *cobra.Command) error {
	if len(p.Flags.JSON.Fields) == 0 {
		return nil
	}
	there := p.Fields(cmd)
	if there == nil {
		return kb.Errorf(kb.Usage, "%s prints no list, so --json takes no fields", cmd.CommandPath())
	}
	for _, name := range p.Flags.JSON.Fields {
		if !slices.Contains(there, name) {
			return kb.Errorf(kb.Usage, "%s has no field %q", cmd.CommandPath(), name).
				WithHint("Fields are %s.", strings.Join(there, ", ")).With("fields", there)
		}
	}
	return nil
}
