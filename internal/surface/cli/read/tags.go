package read

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newTags(p *command.Program) *cobra.Command {
	var req read.TagsRequest
	cmd := &cobra.Command{
		Use:   "tags [REF]",
		Short: "List the tags of the space or of a page",
		Long:  `List the tags of the space with the number of pages that have each, or those of one page.`,
		Example: `  cairn tags
  cairn tags people/ada
  cairn tags --type decision --where status=open
  cairn tags --format brief | sort`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Ref = strings.Join(args, "")
			return runTags(cmd.Context(), p, req)
		},
	}
	addWithin(cmd, &req.Within, "tags of pages")
	return cmd
}

func runTags(ctx context.Context, p *command.Program, req read.TagsRequest) error {
	return p.WithFresh(ctx, req.All, func(a *memory.Session) error {
		l, err := read.Tags(ctx, a, req)
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
