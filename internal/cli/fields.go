package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/operation"
)

// jsonFlag is --json, alone or with the fields to print of each item.
type jsonFlag struct {
	asked  bool
	fields []string
}

func (f *jsonFlag) Type() string { return "bool" }

func (f *jsonFlag) String() string {
	switch {
	case !f.asked:
		return "false"
	case len(f.fields) == 0:
		return "true"
	}
	return strings.Join(f.fields, ",")
}

func (f *jsonFlag) Set(value string) error {
	*f = jsonFlag{asked: value != "false"}
	if value == "true" || value == "false" {
		return nil
	}
	for name := range strings.SplitSeq(value, ",") {
		f.fields = append(f.fields, strings.TrimSpace(name))
	}
	return nil
}

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
	if len(p.flags.json.fields) == 0 {
		return nil
	}
	if p.lists[cmd] == nil {
		return kb.Errorf(kb.Usage, "%s prints no list, so --json takes no fields", cmd.CommandPath())
	}
	there := p.lists[cmd]()
	for _, name := range p.flags.json.fields {
		if !slices.Contains(there, name) {
			return kb.Errorf(kb.Usage, "%s has no field %q", cmd.CommandPath(), name).
				WithHint("Fields are %s.", strings.Join(there, ", ")).With("fields", there)
		}
	}
	return nil
}
