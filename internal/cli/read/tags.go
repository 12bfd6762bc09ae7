package read

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func newTags(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "tags [REF]",
		Short: "List the tags of the space or of a page",
		Long:  `List the tags of the space with the number of pages that have each, or those of one page.`,
		Example: `  cairn tags
  cairn tags people/ada
  cairn tags --format brief | sort`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTags(cmd.Context(), p, strings.Join(args, ""))
		},
	}
}

func runTags(ctx context.Context, p *command.Program, ref string) error {
	return p.WithFresh(ctx, false, func(a *app.App) error {
		l, err := a.Tags(ctx, ref, false)
		if err != nil {
			return err
		}
		l = command.Listed(l)
		return p.Record(l, func(o *terminal.Page) {
			t := terminal.NewTable("TAG", "PAGES")
			for _, c := range l.Items {
				t.Row(o.Style.Title(c.Value), c.Count)
			}
			t.Print(o)
			if len(l.Items) == 0 {
				o.Linef("no tags")
			}
			command.More(o, l, "tag")
		}, func(o *terminal.Page) {
			for _, c := range l.Items {
				o.Linef("%s\t%d", c.Value, c.Count)
			}
		})
	})
}
