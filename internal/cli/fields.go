package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/operation"
)

// lists says that a command prints a list of T, of whose fields --json can
// choose.
func lists[T any](p *program, cmd *cobra.Command) *cobra.Command {
	if p.lists == nil {
		p.lists = map[*cobra.Command]func() []string{}
	}
	p.lists[cmd] = operation.Fields[T]
	return cmd
}

// checkFields refuses fields that the items of the command do not have.
func (p *program) checkFields(cmd *cobra.Command) error {
	if len(p.flags.json.Fields) == 0 {
		return nil
	}
	if p.lists[cmd] == nil {
		return kb.Errorf(kb.Usage, "%s prints no list, so --json takes no fields", cmd.CommandPath())
	}
	there := p.lists[cmd]()
	for _, name := range p.flags.json.Fields {
		if !slices.Contains(there, name) {
			return kb.Errorf(kb.Usage, "%s has no field %q", cmd.CommandPath(), name).
				WithHint("Fields are %s.", strings.Join(there, ", ")).With("fields", there)
		}
	}
	return nil
}
