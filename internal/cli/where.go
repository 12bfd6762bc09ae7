package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

// where is the flag of commands that change many pages at once.
type where struct{ text string }

func (w *where) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.text, "where", "", "instead of REF: all pages that these `filters` find, such as \"path:inbox tag:idea\"")
}

// args returns the arguments without REF, and REF, "" where filters take its
// place.
func (w *where) args(args []string) (ref string, rest []string) {
	if w.text != "" || len(args) == 0 {
		return "", args
	}
	return args[0], args[1:]
}

// need is the check of arguments of which REF is the first.
func (w *where) need(rest cobra.PositionalArgs, all cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if w.text != "" {
			return rest(cmd, args)
		}
		return all(cmd, args)
	}
}

// list is what the filters say, nil where there are none.
func (w *where) list(p *program) (*app.ListRequest, error) {
	if w.text == "" {
		return nil, nil
	}
	return app.Where(w.text, p.env.Now())
}
