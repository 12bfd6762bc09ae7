package kt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

func newShow(p *command.Program) *cobra.Command {
	var links bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a node",
		Example: "  kt show kt-a1b2\n  kt show kt-a1b2 --with-links",
		Args:    command.Need("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
				nodes, err := importer.NodesOfKT(cmd.Context(), a, args, links)
				if err != nil {
					return err
				}
				return p.Record(nodes[0], func(o *terminal.Page) { whole(o, nodes[0]) }, func(o *terminal.Page) { line(o, nodes[0]) })
			})
		},
	}
	cmd.Flags().BoolVar(&links, "with-links", false, "show the links from it, too")
	return cmd
}

func newSearch(p *command.Program) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "search [QUESTION]",
		Short:   "Search nodes, or list those of a namespace",
		Example: "  kt search \"what do we know about client X's planning cycle\"\n  kt search --namespace ep-advisory",
		Args:    command.Need("[QUESTION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
				return list(cmd, p, retrieve.ListRequest{Limit: limit, Sort: "updated"})
			}
			all := p.Flags.Space == ""
			req := retrieve.SearchRequest{Query: args[0], All: all, Limit: limit}
			embeds, err := p.Embeds()
			if err != nil {
				return err
			}
			if embeds {
				req.Embed = p.EmbedAtOnce()
			}
			return p.WithFresh(cmd.Context(), all, func(a *memory.Session) error {
				found, err := read.Search(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				refs := make([]string, len(found.Items))
				for i, h := range found.Items {
					refs[i] = h.Ref
				}
				return print(cmd, p, a, refs)
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "k", 10, "show at most `N`")
	return cmd
}

func newList(p *command.Program) *cobra.Command {
	var (
		limit  int
		status string
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List nodes, those that changed last first",
		Args:  command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := retrieve.ListRequest{Limit: limit, Sort: "updated"}
			if status != "" {
				req.Statuses = []string{status}
			}
			return list(cmd, p, req)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "k", 0, "show at most `N`")
	cmd.Flags().StringVarP(&status, "status", "s", "", "only those in this `status`")
	return cmd
}

// list prints pages, without those that were compacted unless these are asked for.
func list(cmd *cobra.Command, p *command.Program, req retrieve.ListRequest) error {
	req.All = p.Flags.Space == ""
	if len(req.Statuses) == 0 {
		req.Statuses = []string{string(kb.Active), string(kb.Stale)}
	}
	return p.WithFresh(cmd.Context(), req.All, func(a *memory.Session) error {
		found, err := retrieve.Pages(cmd.Context(), a, req)
		if err != nil {
			return err
		}
		refs := make([]string, len(found.Items))
		for i, pg := range found.Items {
			refs[i] = pg.Ref
		}
		return print(cmd, p, a, refs)
	})
}

func newStale(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "stale",
		Short: "List stale nodes",
		Args:  command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return list(cmd, p, retrieve.ListRequest{Within: retrieve.Within{Statuses: []string{string(kb.Stale)}}, Sort: "updated"})
		},
	}
}

// print prints nodes.
func print(cmd *cobra.Command, p *command.Program, a *memory.Session, refs []string) error {
	nodes, err := importer.NodesOfKT(cmd.Context(), a, refs, false)
	if err != nil {
		return err
	}
	return p.Record(nodes, func(o *terminal.Page) {
		if len(nodes) == 0 {
			o.Linef("No results.")
		}
		for i, n := range nodes {
			if i > 0 {
				o.Linef("")
			}
			whole(o, n)
		}
	}, func(o *terminal.Page) {
		for _, n := range nodes {
			line(o, n)
		}
	})
}

// whole shows a node to a person.
func whole(o *terminal.Page, n importer.Node) {
	o.Linef("[%s] %s", n.ID, o.Style.Title(n.Title))
	o.Linef("  Status: %s  |  Namespace: %s  |  Updated: %s", n.Status, n.Namespace, n.UpdatedAt.Format(time.DateOnly))
	if len(n.Tags) > 0 {
		o.Linef("  Tags: %s", strings.Join(n.Tags, ", "))
	}
	o.Linef("")
	for text := range strings.Lines(n.Content) {
		o.Textf(0, "%s", strings.TrimRight(text, "\n"))
	}
	for i, l := range n.Links {
		if i == 0 {
			o.Linef("\nLinks:")
		}
		why := ""
		if l.Context != nil {
			why = " (" + *l.Context + ")"
		}
		o.Linef("  %s → %s%s", l.LinkType, l.TargetID, why)
	}
}

// line is a node as brief: title, status and a summary of one line.
func line(o *terminal.Page, n importer.Node) {
	summary, _, _ := strings.Cut(n.Content, "\n")
	o.Linef("%s\t%s\t%s\t%s", n.ID, n.Title, n.Status, summary)
}

func newContext(p *command.Program) *cobra.Command {
	var req brief.GistRequest
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print the present knowledge of this project",
		Example: `  kt context
  kt context --namespace ep-advisory
  kt context --recent --limit 3`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("limit") && req.Limit < 1 {
				return kb.Errorf(kb.Usage, "--limit %d names no node", req.Limit)
			}
			return open(cmd, p, command.Synced, func(a *memory.Session) error {
				b, err := brief.ComposeContext(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				if err := renamed(cmd, a, &b); err != nil {
					return err
				}
				return printContext(p, b)
			})
		},
	}
	cmd.Flags().BoolVar(&req.Recent, "recent", false, "list the newest nodes of all namespaces that allow it")
	cmd.Flags().IntVarP(&req.Limit, "limit", "l", 0, "name at most `N` nodes")
	return cmd
}

// renamed gives the nodes of a brief the ids that they have in kt.
func renamed(cmd *cobra.Command, a *memory.Session, b *api.Brief) error {
	var refs []string
	for _, n := range b.ActiveNodes {
		refs = append(refs, n.Ref)
	}
	for _, c := range b.Conflicts {
		refs = append(refs, c.RefA, c.RefB)
	}
	for _, s := range b.StaleAlerts {
		refs = append(refs, s.Ref)
	}
	nodes, err := importer.NodesOfKT(cmd.Context(), a, refs, false)
	if err != nil {
		return err
	}
	id := func(ref string) string {
		return nodes[slices.IndexFunc(nodes, func(n importer.Node) bool { return n.Ref == ref })].ID
	}
	for i := range b.ActiveNodes {
		b.ActiveNodes[i].ID = id(b.ActiveNodes[i].Ref)
	}
	for i := range b.Conflicts {
		b.Conflicts[i].NodeA, b.Conflicts[i].NodeB = id(b.Conflicts[i].RefA), id(b.Conflicts[i].RefB)
	}
	for i := range b.StaleAlerts {
		b.StaleAlerts[i].ID = id(b.StaleAlerts[i].Ref)
	}
	return nil
}

func printContext(p *command.Program, b api.Brief) error {
	return p.Record(b, func(o *terminal.Page) {
		o.Linef("Context: %s", cmp.Or(b.Namespace, "(all namespaces)"))
		for _, n := range b.ActiveNodes {
			o.Linef("  [%s] %s", n.ID, o.Style.Title(n.Title))
			o.Textf(4, "%s", n.Summary)
		}
		for _, c := range b.Conflicts {
			o.Textf(2, "%s contradicts %s: %s", c.NodeA, c.NodeB, c.Description)
		}
		for _, s := range b.StaleAlerts {
			o.Textf(2, "[%s] %s — %s (since %s)", s.ID, s.Title, s.Reason, s.StaleSince)
		}
	}, nil)
}
