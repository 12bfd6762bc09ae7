package kt

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// cluster is the output of kt compact --dry-run for nodes that would be merged
// into one.
type cluster struct {
	Namespace string   `json:"namespace"`
	NodeCount int      `json:"node_count"`
	NodeIDs   []string `json:"node_ids"`
	Nodes     []member `json:"nodes"`
}

type member struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// compacted is a summary that kt compact made.
type compacted struct {
	SummaryID      string   `json:"summary_id"`
	SummaryTitle   string   `json:"summary_title"`
	CompactedCount int      `json:"compacted_count"`
	CompactedIDs   []string `json:"compacted_ids"`
}

// previewed is what kt compact --dry-run answers.
type previewed struct {
	Clusters   []cluster `json:"clusters"`
	TotalNodes int       `json:"total_nodes"`
}

// done is what kt compact answers.
type done struct {
	Compacted []compacted `json:"compacted"`
}

func newCompact(p *command.Program) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "compact",
		Short:   "Make one node of stale ones that belong together",
		Example: "  kt compact --namespace clients --dry-run\n  kt compact --namespace clients",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := p.Flags.Space == ""
			return p.WithFresh(cmd.Context(), all, func(a *memory.Session) error {
				r, err := compact.Compact(cmd.Context(), a, compact.Request{All: all, WriteOptions: api.WriteOptions{DryRun: dryRun}})
				if err != nil {
					return err
				}
				for _, note := range r.Notes {
					p.Note("note: %s", note)
				}
				for _, c := range r.Clusters {
					if c.Reason != "" {
						p.Note("note: cluster %d is %s: %s", c.Number, c.State, c.Reason)
					}
				}
				// Skipped and waiting ones are reported in notes only.
				r.Clusters = slices.DeleteFunc(r.Clusters, func(c api.ClusterDone) bool { return c.Reason != "" })
				if dryRun {
					return preview(cmd, p, a, r)
				}
				return printCompacted(cmd, p, a, r)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing; list the clusters")
	return cmd
}

func preview(cmd *cobra.Command, p *command.Program, a *memory.Session, r compact.Result) error {
	out := previewed{Clusters: []cluster{}}
	for _, c := range r.Clusters {
		nodes, err := importer.NodesOfKT(cmd.Context(), a, c.Members, false)
		if err != nil {
			return err
		}
		one := cluster{Namespace: c.Space, NodeCount: len(nodes), NodeIDs: []string{}, Nodes: []member{}}
		for _, n := range nodes {
			one.NodeIDs = append(one.NodeIDs, n.ID)
			one.Nodes = append(one.Nodes, member{n.ID, n.Title, n.Content})
		}
		out.Clusters = append(out.Clusters, one)
		out.TotalNodes += len(nodes)
	}
	return p.Record(out, func(o *terminal.Page) {
		o.Linef("Found %d cluster(s) with %d total nodes", len(out.Clusters), out.TotalNodes)
		for i, c := range out.Clusters {
			o.Linef("Cluster %d: %d nodes (%s)", i+1, c.NodeCount, c.Namespace)
			for _, n := range c.Nodes {
				o.Linef("  [%s] %s", n.ID, o.Style.Title(n.Title))
			}
		}
	}, nil)
}

func printCompacted(cmd *cobra.Command, p *command.Program, a *memory.Session, r compact.Result) error {
	out := done{Compacted: []compacted{}}
	for _, c := range r.Clusters {
		nodes, err := importer.NodesOfKT(cmd.Context(), a, append([]string{c.Summary}, c.Members...), false)
		if err != nil {
			return err
		}
		one := compacted{SummaryID: nodes[0].ID, SummaryTitle: nodes[0].Title, CompactedCount: len(nodes) - 1, CompactedIDs: []string{}}
		for _, n := range nodes[1:] {
			one.CompactedIDs = append(one.CompactedIDs, n.ID)
		}
		out.Compacted = append(out.Compacted, one)
	}
	return p.Did(out, func(o *terminal.Page) {
		for _, c := range out.Compacted {
			o.Linef("Created summary: %s %q of %d nodes", c.SummaryID, c.SummaryTitle, c.CompactedCount)
		}
		o.Linef("Done: %d cluster(s) compacted.", len(out.Compacted))
	}, nil)
}
