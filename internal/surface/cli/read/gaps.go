package read

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type gapsOptions struct {
	command.Paging
	gap.ListRequest
}

func newGaps(p *command.Program) *cobra.Command {
	var o gapsOptions
	cmd := &cobra.Command{
		Use:   "gaps",
		Short: "List the questions that the memory could not answer",
		Long: `List the gaps of the space that are open, oldest first: how often each was
asked, its sensitivity, and findings. See: cairn gap --help`,
		Example: `  cairn gaps
  cairn gaps --resolved --all --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runGaps(cmd.Context(), p, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.Resolved, "resolved", false, "list those that are resolved, too")
	f.BoolVarP(&o.All, "all", "a", false, "list those of all spaces")
	o.AddFlags(cmd, 20)
	return cmd
}

func runGaps(ctx context.Context, p *command.Program, o gapsOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		l, err := gap.List(ctx, a, o.ListRequest)
		if err != nil {
			return err
		}
		return p.Record(l, func(out *terminal.Page) {
			t := terminal.NewTable("GAP", "SPACE", "ASKED", "LAST", "SENSITIVITY", "QUESTION", "ANSWER")
			for _, g := range l.Items {
				t.Row(out.Style.Title(strconv.FormatInt(g.ID, 10)), g.Space, strconv.Itoa(g.Count)+"x", terminal.Day(g.Last), string(g.Sensitivity), command.AboutGap(g), gapAnswer(g))
			}
			t.Print(out)
			if len(l.Items) == 0 {
				out.Linef("no gaps")
			}
			command.More(out, l, "gap")
		}, func(out *terminal.Page) {
			for _, g := range l.Items {
				command.GapBrief(out, g)
			}
		})
	})
}

func gapAnswer(g api.Gap) string {
	if g.ResolvedAt != nil && g.Page == "" {
		return "(a page that is gone)"
	}
	if g.Candidate != "" {
		return "perhaps " + g.Candidate
	}
	return g.Page
}
