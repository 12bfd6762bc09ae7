package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

// whereHelp is what the flag --where of every command says of its value.
const whereHelp = "that meet `CONDITIONS`, such as stage=design or path:inbox; again for more"

// where is the flag of commands that change many pages at once.
type where struct{ texts []string }

func (w *where) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&w.texts, "where", "w", nil, "instead of REF: all pages "+whereHelp)
}

// args returns the arguments without REF, and REF, "" where conditions take its
// place.
func (w *where) args(args []string) (ref string, rest []string) {
	if len(w.texts) > 0 || len(args) == 0 {
		return "", args
	}
	return args[0], args[1:]
}

// need is the check of arguments of which REF is the first.
func (w *where) need(rest cobra.PositionalArgs, all cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(w.texts) > 0 {
			return rest(cmd, args)
		}
		return all(cmd, args)
	}
}

// list is what the conditions say, nil where there are none.
func (w *where) list() *app.ListRequest {
	if len(w.texts) == 0 {
		return nil
	}
	return &app.ListRequest{Within: app.Within{Where: w.texts}}
}
