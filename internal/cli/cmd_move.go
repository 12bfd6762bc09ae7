package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

type moveOptions struct {
	writing
	where
	app.MoveRequest
}

func newMove(p *program) *cobra.Command {
	var o moveOptions
	cmd := &cobra.Command{
		Use:   "mv REF TO",
		Short: "Move or rename a page or a directory, and the links to it",
		Long: `Move a page to another slug or path, or a directory with all pages below it.
Links to them are rewritten where they would no longer lead there, as one write
that one undo takes back; --keep-links leaves them as they are. A TO that ends
in / is a directory to move into; a REF that ends in / is always a directory.
Files that are not notes stay where they are.

With --where, all pages that meet its conditions move into the directory TO.
They keep their path below a directory that path: names.`,
		Example: `  cairn mv inbox/ada people/ada
  cairn mv people/ada people/archive/
  cairn mv "06 - Inbox" archive/ --dry-run
  cairn mv --where "path:inbox tag:done" archive/`,
		Aliases:           []string{"move"},
		Args:              o.need(need("TO"), need("REF", "TO")),
		ValidArgsFunction: p.refs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, rest := o.args(args)
			o.Ref, o.To = ref, rest[0]
			o.Where = o.list()
			return p.runWrite(cmd, &o.writing, func(a *app.App, w app.WriteOptions) (app.Written, error) {
				o.WriteOptions = w
				return a.Move(cmd.Context(), o.MoveRequest)
			})
		},
	}
	cmd.Flags().BoolVar(&o.KeepLinks, "keep-links", false, "leave the links to the page as they are")
	o.where.addFlags(cmd)
	o.writing.addFlags(cmd)
	return cmd
}

func newRemove(p *program) *cobra.Command {
	var (
		w  writing
		by where
	)
	cmd := &cobra.Command{
		Use:   "rm REF",
		Short: "Delete a page or a directory; undo and restore bring them back",
		Long: `Delete a page and its file, or all pages below a directory, or with --where all
that meet its conditions: one write, which one undo takes back. Their versions
stay in the history: restore brings a page back, and history --deleted lists
what can be brought back. Files that are no notes stay.`,
		Example: `  cairn rm inbox/scratch
  cairn rm inbox/old --dry-run
  cairn rm --where "path:inbox tag:done" --dry-run
  cairn rm inbox/scratch --expected-version 2 -m "moved to the wiki"`,
		Aliases:           []string{"delete"},
		Args:              by.need(need(), need("REF")),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, _ := by.args(args)
			return p.runWrite(cmd, &w, func(a *app.App, opts app.WriteOptions) (app.Written, error) {
				return a.Delete(cmd.Context(), app.DeleteRequest{WriteOptions: opts, Ref: ref, Where: by.list()})
			})
		},
	}
	by.addFlags(cmd)
	w.addFlags(cmd)
	return cmd
}
