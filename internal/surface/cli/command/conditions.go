package command

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// WhereHelp is the help text for the value of the flag --where of every
// command.
const WhereHelp = "that meet `CONDITIONS`, such as stage=design or path:inbox; again for more"

// Conditions are the flag of commands that change many pages at once.
type Conditions struct{ texts []string }

// AddFlags adds --where to a command.
func (w *Conditions) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&w.texts, "where", "w", nil, "instead of REF: all pages "+WhereHelp)
}

// Args returns the arguments without REF, and REF, "" where conditions take its
// place.
func (w *Conditions) Args(args []string) (ref string, rest []string) {
	if len(w.texts) > 0 || len(args) == 0 {
		return "", args
	}
	return args[0], args[1:]
}

// Need is the check of arguments that begin with REF.
func (w *Conditions) Need(rest cobra.PositionalArgs, all cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(w.texts) > 0 {
			return rest(cmd, args)
		}
		return all(cmd, args)
	}
}

// List is what the conditions say, nil where there are none.
func (w *Conditions) List() *retrieve.ListRequest {
	if len(w.texts) == 0 {
		return nil
	}
	return &retrieve.ListRequest{Within: retrieve.Within{Where: w.texts}}
}
