package read

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newBuildContext(p *command.Program) *cobra.Command {
	var o api.ContextRequest
	cmd := &cobra.Command{
		Use:   "build-context URI",
		Short: "Show a page with the pages around it",
		Long: fmt.Sprintf(`Show a page, its observations and the pages around it: those to which links
lead, either way and into any space, up to --depth links (at most %d). The
nearest come first, and of those equally near the newest; what found no room is
counted.

A URI is memory://path, memory://space/path, memory://id/UUID or any other ref.
With * for a part of a path, or ** for several, it names several pages. The
permalinks of observations and relations lead to their line.`, note.MaxContextDepth),
		Example: `  cairn build-context memory://people/ada
  cairn build-context 'memory://projects/**' --depth 2 --timeframe 7d`,
		Args:              command.Need("URI"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.URI = args[0]
			for name, n := range map[string]int{"depth": o.Depth, "page": o.Page, "page-size": o.PageSize, "max-related": o.MaxRelated} {
				if n < 1 {
					return command.UsageError(cmd, "--%s is at least 1", name)
				}
			}
			return runBuildContext(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Depth, "depth", 1, "follow at most this `number` of links")
	f.StringVar(&o.Timeframe, "timeframe", "", "only pages that changed since this `time`: 7d, last week")
	f.IntVar(&o.Page, "page", 1, "show this `page` of the pages that a pattern names")
	f.IntVar(&o.PageSize, "page-size", 10, "show this `number` of them")
	f.IntVar(&o.MaxRelated, "max-related", 10, "show this `number` of pages around each")
	return cmd
}

func runBuildContext(ctx context.Context, p *command.Program, o api.ContextRequest) error {
	return p.WithFresh(ctx, true, func(a *memory.Session) error {
		c, err := note.BuildContext(ctx, a, o)
		if err != nil {
			return err
		}
		return p.Record(c, func(out *terminal.Page) { printAround(out, c) }, nil)
	})
}

func printAround(o *terminal.Page, c note.Context) {
	for i, r := range c.Results {
		if i > 0 {
			o.Linef("")
		}
		o.Linef("%s  %s", o.Style.Title(r.Primary.Title), o.Style.Aside(r.Primary.Ref))
		if r.Primary.Line > 0 {
			o.Linef("%s", o.Style.Aside(fmt.Sprintf("line %d", r.Primary.Line)))
		}
		o.Linef("")
		for line := range strings.Lines(r.Primary.Content) {
			o.Linef("%s", strings.TrimRight(line, "\r\n"))
		}
		if len(r.Related) == 0 {
			continue
		}
		o.Linef("")
		around := terminal.NewTable("LINKS", "WAY", "RELATION", "PAGE", "TITLE").Extra(2)
		for _, p := range r.Related {
			around.Row(p.Distance, p.Way, p.Relation, terminal.Name{Full: p.Ref}, p.Title)
		}
		around.Print(o)
	}
	left := c.Metadata.LeftOut
	if left.Primary > 0 {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%s left out; --page shows more", terminal.Count(left.Primary, "page"))))
	}
	if left.Related > 0 {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%s around left out; --max-related shows more", terminal.Count(left.Related, "page"))))
	}
}
