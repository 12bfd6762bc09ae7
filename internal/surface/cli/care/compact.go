package care

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type compactOptions struct {
	all, plan, dryRun bool
	apply, message    string
	cluster           int
}

func newCompact(p *command.Program) *cobra.Command {
	var o compactOptions
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Make one page of stale pages that belong together",
		Long: `Find clusters of stale pages of the space that a relation joins (related,
relates_to) or that are near in meaning, and make one summary page of each. Its
pages stay as they are, with the status compacted and a relation to the summary;
links to them lead to the summary from then on. Each cluster is one write, which
undo reverts.

The summary has sentences of the pages: the first one of each, then decisions,
reasons and the present state. A program or a server writes it where the
settings summary_command or summary_model name one. To write it yourself, or
have an agent write it, save the output of --plan, fill in title and summary of
each cluster, and give the file to --apply. A cluster with a page that changed
since then is skipped. (docs/capture.md)`,
		Example: `  cairn compact --dry-run
  cairn compact --cluster 2
  cairn compact --plan > plan.json
  cairn compact --apply plan.json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.plan && (o.dryRun || o.apply != "" || o.cluster != 0 || o.message != ""):
				return command.UsageError(cmd, "--plan only prints the clusters, and goes with --all alone")
			case o.apply != "" && o.all:
				return command.UsageError(cmd, "--apply says itself which pages it is about: leave --all out")
			case cmd.Flags().Changed("cluster") && o.cluster < 1:
				return command.UsageError(cmd, "clusters have numbers from 1 on")
			case o.plan:
				return runCompactPlan(cmd.Context(), p, o)
			}
			return runCompact(cmd, p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "compact all spaces")
	f.BoolVar(&o.plan, "plan", false, "print the clusters with their pages as JSON; change nothing")
	f.StringVar(&o.apply, "apply", "", "make the summaries that this `file` has, or standard input when it is -")
	f.IntVar(&o.cluster, "cluster", 0, "only the cluster with this `number`")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing; show the summaries")
	f.StringVarP(&o.message, "message", "m", "", "`why`, for the history")
	return cmd
}

func runCompactPlan(ctx context.Context, p *command.Program, o compactOptions) error {
	return p.WithFresh(ctx, o.all, func(a *memory.Session) error {
		plan, err := compact.MakePlan(ctx, a, compact.PlanRequest{All: o.all, DryRun: true})
		if err != nil {
			return err
		}
		return p.JSON(plan)
	})
}

func runCompact(cmd *cobra.Command, p *command.Program, o compactOptions) error {
	ctx := cmd.Context()
	req := compact.Request{All: o.all, Cluster: o.cluster, WriteOptions: api.WriteOptions{DryRun: o.dryRun, Message: o.message}}
	if o.apply != "" {
		in := command.Input{File: o.apply}
		text, err := in.ReadText(ctx, p, cmd, nil)
		if err != nil {
			return err
		}
		if req.Plan, err = compact.ReadPlan(text); err != nil {
			return err
		}
	}
	return p.WithFresh(ctx, o.all || req.Plan != nil, func(a *memory.Session) error {
		r, err := compact.Compact(ctx, a, req)
		if err != nil {
			return err
		}
		if r.DryRun {
			return p.Record(r, func(out *terminal.Page) { printCompacted(out, r) }, nil)
		}
		return p.Did(r, func(out *terminal.Page) { printCompacted(out, r) }, func(out *terminal.Page) {
			for _, c := range r.Clusters {
				out.Linef("%s\t%s\t%d", c.State, c.Summary, len(c.Members))
			}
		})
	})
}

// printCompacted prints the outcome for each cluster.
func printCompacted(out *terminal.Page, r compact.Result) {
	for _, c := range r.Clusters {
		switch {
		case c.Reason != "":
			out.Linef("cluster %d: %s, %s", c.Number, c.State, c.Reason)
		case r.DryRun:
			out.Linef("cluster %d would become %s", c.Number, out.Style.Title(c.Title))
		default:
			out.Linef("cluster %d is now %s", c.Number, out.Style.Title(c.Summary))
		}
		for _, ref := range c.Members {
			out.Linef("  %s", ref)
		}
		for _, ref := range c.Linking {
			out.Linef("  links of %s lead to it", ref)
		}
		for _, ref := range c.Left {
			out.Linef("  links of %s stay: it cannot be changed", ref)
		}
		for line := range strings.Lines(c.Text) {
			out.Linef("    %s", strings.TrimRight(line, "\n"))
		}
	}
	if len(r.Clusters) == 0 {
		out.Linef("no stale pages belong together")
	}
	for _, note := range r.Notes {
		out.Linef("note: %s", note)
	}
}
