package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/inbox"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newInbox(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "List the pages that wait for somebody to sort them",
		Long: `List the pages and other files of the space that wait for somebody to sort
them, as [inbox] in its policy says. They stay until they are done: see cairn
inbox done.`,
		Example: "  cairn inbox\n  cairn inbox --format brief",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				waiting, err := inbox.List(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.Record(waiting, func(o *terminal.Page) {
					t := terminal.NewTable("TITLE", "PAGE", "DATE").Extra(2)
					for _, pg := range waiting.Items {
						t.Row(o.Style.Title(pg.Title), command.Name(pg, false), pg.Date)
					}
					t.Print(o)
					if len(waiting.Items) == 0 {
						o.Linef("nothing waits")
					}
				}, func(o *terminal.Page) {
					for _, pg := range waiting.Items {
						o.Linef("%s\t%s", pg.Ref, pg.Title)
					}
				})
			})
		},
	}
	cmd.AddCommand(newInboxDone(p))
	return cmd
}

func newInboxDone(p *command.Program) *cobra.Command {
	var o command.Writing
	cmd := &cobra.Command{
		Use:   "done REF",
		Short: "Move a page that was sorted out of the inbox",
		Long: `Move a page that was sorted to where [inbox] in the space's policy says. In
spaces of the preset context that is state/scratch/inbox-NAME, where it is
deleted 48 hours later and can be restored for 30 days.`,
		Example: "  cairn inbox done state/inbox/2026-03-01-idea",
		Args:    command.Need("REF"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				return inbox.Done(cmd.Context(), a, inbox.DoneRequest{WriteOptions: w, Ref: args[0]})
			})
		},
	}
	o.AddFlags(cmd)
	return cmd
}
