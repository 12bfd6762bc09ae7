package read

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type graphOptions struct {
	api.GraphRequest
	as string
}

func newGraph(p *command.Program) *cobra.Command {
	var o graphOptions
	cmd := &cobra.Command{
		Use:   "graph REF",
		Short: "Show the pages around a page",
		Long: fmt.Sprintf(`Follow links from a page, and from the pages found there, up to --depth links
(at most %d). The nearest pages come first, and of those equally near the first
by name; what found no room is counted. Only links that hold today are followed,
unless --temporal or --at asks for others. --as dot is for Graphviz,
--as mermaid for Markdown.`, links.MaxDepth),
		Example: `  cairn graph people/ada
  cairn graph companies/brex --direction in --type works_at --at 2019
  cairn graph people/ada --depth 3 --as dot | dot -Tsvg -o ada.svg`,
		Args:              command.Need("REF"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = args[0]
			for name, n := range map[string]int{"depth": o.Depth, "limit": o.Limit} {
				if n < 1 {
					return command.UsageError(cmd, "--%s is at least 1", name)
				}
			}
			return runGraph(cmd.Context(), cmd, p, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Depth, "depth", links.DefaultDepth, "follow at most this `number` of links")
	f.IntVarP(&o.Limit, "limit", "n", links.DefaultNodes, "show at most this `number` of pages")
	f.StringVar((*string)(&o.Direction), "direction", string(api.Both), "follow links this `way`: out, in or both")
	f.StringArrayVar(&o.Types, "type", nil, "only links of this `type`; again for another")
	f.StringVar(&o.as, "as", "", "print it as `language`: dot, mermaid or text")
	addTimes(cmd, &o.Temporal, &o.At, &o.AsOf)
	return cmd
}

func runGraph(ctx context.Context, cmd *cobra.Command, p *command.Program, o graphOptions) error {
	return draw(ctx, cmd, p, o.as, true, func(a *memory.Session) (api.Graph, error) { return links.AroundRef(ctx, a, o.GraphRequest) })
}

// draw prints a graph in a language.
func draw(ctx context.Context, cmd *cobra.Command, p *command.Program, as string, all bool, read func(*memory.Session) (api.Graph, error)) error {
	languages := map[string]func(api.Graph) string{"": nil, "text": nil, "dot": DOT, "mermaid": Mermaid}
	language, known := languages[as]
	switch {
	case !known:
		return command.UsageError(cmd, "--as takes dot, mermaid or text, not %q", as)
	case cmd.Flags().Changed("as") && p.Flags.Format != "":
		return command.UsageError(cmd, "--as %s goes without --json and --format", as)
	case p.Flags.Format != "":
		language = nil
	case as == "text":
		p.Flags.Format = string(command.FormatHuman)
	}
	return p.WithFresh(ctx, all, func(a *memory.Session) error {
		g, err := read(a)
		if err != nil {
			return err
		}
		if language != nil {
			return p.Content(language(g), g, command.PlainText)
		}
		return p.Record(g, func(out *terminal.Page) { printGraph(out, g) }, func(out *terminal.Page) { printGraphLines(out, g) })
	})
}

func newMap(p *command.Program) *cobra.Command {
	var (
		o  links.MapPagesRequest
		as string
	)
	cmd := &cobra.Command{
		Use:   "map",
		Short: "Draw the pages of a space and the links between them",
		Long: `Write the pages of the space, and the links between them that hold today: as
text on a terminal, else in DOT for Graphviz; --as chooses, also Mermaid. Index
files, and files in the directory of sources, are not pages and in no map. For
the pages around one page use cairn graph.`,
		Example: `  cairn map | dot -Tsvg -o map.svg
  cairn map --project emacs --tag procedure
  cairn map --status contested --as mermaid`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Limit < 1 {
				return command.UsageError(cmd, "--limit is at least 1")
			}
			if as == "" && !p.Env.StdoutTTY {
				as = "dot"
			}
			return draw(cmd.Context(), cmd, p, as, o.All, func(a *memory.Session) (api.Graph, error) { return links.MapPages(cmd.Context(), a, o) })
		},
	}
	addPages(cmd, &o.Within, "pages")
	f := cmd.Flags()
	f.StringArrayVar(&o.Projects, "project", nil, "only pages of this `project`; again for another that they must be of too")
	f.IntVarP(&o.Limit, "limit", "n", links.MaxNodes, "draw at most this `number` of pages")
	f.StringVar(&o.AsOf, "as-of", "", "the memory as it was at this `time` or date")
	f.StringVar(&as, "as", "", "write it as `language`: dot, mermaid or text")
	command.Complete(cmd, "as", cobra.FixedCompletions([]string{"dot", "mermaid", "text"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// printGraphLines prints a line for each link, and for each page without one.
func printGraphLines(o *terminal.Page, g api.Graph) {
	linked := map[string]bool{}
	for _, l := range g.Links {
		linked[l.From], linked[l.To] = true, true
		o.Linef("%s\t%s\t%s\t%s", l.From, l.Type, l.To, when(l.ValidFrom, l.ValidUntil, l.Ended))
	}
	for _, n := range g.Nodes {
		if !linked[n.Ref] {
			o.Linef("%s", n.Ref)
		}
	}
}

func printGraph(o *terminal.Page, g api.Graph) {
	nodes := terminal.NewTable("LINKS", "TITLE", "PAGE", "TYPE").Extra(3)
	if g.Root == "" {
		nodes = terminal.NewTable("TITLE", "PAGE", "TYPE", "STATUS").Extra(2).Usual(3, string(kb.Active))
	}
	for _, n := range g.Nodes {
		if g.Root == "" {
			nodes.Row(o.Style.Title(n.Title), command.RefName(n.Ref, n.ID), n.Type, status(o, n.Status))
			continue
		}
		nodes.Row(n.Distance, o.Style.Title(n.Title), command.RefName(n.Ref, n.ID), n.Type)
	}
	nodes.Print(o)
	if len(g.Nodes) == 0 {
		o.Linef("no pages")
	}
	if len(g.Links) > 0 {
		o.Linef("")
		titles, held := map[string]string{}, map[string]int{}
		for _, n := range g.Nodes {
			titles[n.Ref] = n.Title
			held[n.Title]++
		}
		end := func(ref string) string { // refs are in the table above
			if held[titles[ref]] == 1 {
				return titles[ref]
			}
			return ref
		}
		links := terminal.NewTable("FROM", "TYPE", "TO", "WHEN").Extra(3)
		for _, l := range g.Links {
			links.Row(end(l.From), l.Type, end(l.To), when(l.ValidFrom, l.ValidUntil, l.Ended))
		}
		links.Print(o)
	}
	if g.LeftOut > 0 {
		least := ""
		if g.AtLeast {
			least = "at least "
		}
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("%s%s left out; --limit shows more", least, terminal.Count(g.LeftOut, "page"))))
	}
	hidden(o, g.Hidden)
}
