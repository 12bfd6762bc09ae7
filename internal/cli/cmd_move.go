package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

type moveOptions struct {
	writing
	app.MoveRequest
}

func newMove(p *program) *cobra.Command {
	var o moveOptions
	cmd := &cobra.Command{
		Use:   "mv REF TO",
		Short: "Move or rename a page, and the links to it",
		Long: `Move a page to another slug or path. Links to it are rewritten where they would
no longer lead to it, as one change that undo takes back; --keep-links leaves
them as they are. A TO that ends in / is a directory.`,
		Example: `  cairn mv inbox/ada people/ada
  cairn mv people/ada people/archive/
  cairn mv people/ada people/lovelace --dry-run`,
		Aliases:           []string{"move"},
		Args:              need("REF", "TO"),
		ValidArgsFunction: p.refs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref, o.To = args[0], args[1]
			return p.runWrite(cmd, &o.writing, func(a *app.App, w app.WriteOptions) (app.Written, error) {
				o.WriteOptions = w
				return a.Move(cmd.Context(), o.MoveRequest)
			})
		},
	}
	cmd.Flags().BoolVar(&o.KeepLinks, "keep-links", false, "leave the links to the page as they are")
	o.addFlags(cmd)
	return cmd
}

func newRemove(p *program) *cobra.Command {
	var w writing
	cmd := &cobra.Command{
		Use:   "rm REF",
		Short: "Delete a page; restore brings it back",
		Long: `Delete a page and its file. Its versions stay in the history: restore brings it
back, and history --deleted lists what can be brought back.`,
		Example: `  cairn rm inbox/scratch
  cairn rm inbox/scratch --expected-version 2 -m "moved to the wiki"`,
		Aliases:           []string{"delete"},
		Args:              need("REF"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.runWrite(cmd, &w, func(a *app.App, opts app.WriteOptions) (app.Written, error) {
				return a.Delete(cmd.Context(), app.DeleteRequest{WriteOptions: opts, Ref: args[0]})
			})
		},
	}
	w.addFlags(cmd)
	return cmd
}
