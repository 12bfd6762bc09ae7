package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type moveOptions struct {
	command.Writing
	command.Conditions
	change.MoveRequest
}

func newMove(p *command.Program) *cobra.Command {
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
They keep their path below a directory that path: names.

Without REF and TO, a person at a terminal picks the page from a list, and types
where to.`,
		Example: `  cairn mv inbox/ada people/ada
  cairn mv people/ada people/archive/
  cairn mv "06 - Inbox/" archive/ --dry-run
  cairn mv --where "path:inbox tag:done" archive/`,
		Aliases:           []string{"move"},
		Args:              o.Need(command.Need("TO"), p.Picks(command.Need("REF", "TO"))),
		ValidArgsFunction: p.Refs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				ref, err := p.RefOf(cmd.Context(), args)
				if err != nil {
					return err
				}
				to, err := p.Ask(cmd.Context(), "Move "+ref+" to:")
				if err != nil {
					return err
				}
				if to == "" {
					return command.UsageError(cmd, "nothing says where to move %s", ref)
				}
				args = []string{ref, to}
			}
			ref, rest := o.Args(args)
			o.Ref, o.To = ref, rest[0]
			o.Where = o.List()
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return change.Move(cmd.Context(), a, o.MoveRequest)
			})
		},
	}
	cmd.Flags().BoolVar(&o.KeepLinks, "keep-links", false, "leave the links to the page as they are")
	o.Conditions.AddFlags(cmd)
	o.Writing.AddFlags(cmd)
	return cmd
}

func newRemove(p *command.Program) *cobra.Command {
	var (
		w  command.Writing
		by command.Conditions
	)
	cmd := &cobra.Command{
		Use:   "rm REF",
		Short: "Delete a page or a directory; undo and restore bring them back",
		Long: `Delete a page and its file, or all pages below a directory, or with --where all
that meet its conditions: one write, which one undo takes back. Their versions
stay in the history: restore brings a page back, and history --deleted lists
what can be brought back. Other files stay.`,
		Example: `  cairn rm inbox/scratch
  cairn rm inbox/old --dry-run
  cairn rm --where "path:inbox tag:done" --dry-run
  cairn rm inbox/scratch --expected-version 2 -m "moved to the wiki"`,
		Aliases:           []string{"delete"},
		Args:              by.Need(command.Need(), command.Need("REF")),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, _ := by.Args(args)
			return p.RunWrite(cmd, &w, func(a *memory.Session, opts api.WriteOptions) (api.Written, error) {
				return change.Delete(cmd.Context(), a, change.DeleteRequest{WriteOptions: opts, Ref: ref, Where: by.List()})
			})
		},
	}
	by.AddFlags(cmd)
	w.AddFlags(cmd)
	return cmd
}
