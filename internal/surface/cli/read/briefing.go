package read

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newBriefing(p *command.Program) *cobra.Command {
	var req brief.Request
	cmd := &cobra.Command{
		Use:   "briefing",
		Short: "Print what needs attention today",
		Long: `Print what needs attention, as Markdown: today's meetings with participants,
active deals, commitments due within a week, open actions, shifts since --since
(relations that ended, other states and due dates), tasks due, certain
contradictions, open gaps, recent changes, people in play and stale pages. Empty
sections are left out. docs/memory.md defines which pages count.

Each section shows as much as fits --budget, and reports how much is left out.`,
		Example: `  cairn briefing
  cairn briefing --since "last friday" --budget 800
  cairn briefing --all --json
  cairn briefing --format human | cairn put sources/briefing-2026-11-23 -`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBriefing(cmd.Context(), p, req)
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.Since, "since", "", "show what changed since this `date` (default: a day ago)")
	f.IntVar(&req.Budget, "budget", brief.DefaultBudget, "print at most `N` tokens")
	f.BoolVarP(&req.All, "all", "a", false, "cover all spaces")
	return cmd
}

func runBriefing(ctx context.Context, p *command.Program, req brief.Request) error {
	if req.Budget < 1 {
		return kb.Errorf(kb.Usage, "a budget of %d tokens holds nothing", req.Budget)
	}
	return p.WithFresh(ctx, req.All, func(a *memory.Session) error {
		b, err := brief.CompileBriefing(ctx, a, req)
		if err != nil {
			return err
		}
		return p.Record(b, func(out *terminal.Page) { printBriefing(out, b) }, func(out *terminal.Page) {
			for _, s := range b.Sections {
				for _, i := range s.Items {
					out.Linef("%s\t%s\t%s\t%s\t%s\t%s", s.Name, i.Date, i.Ref, i.ID, i.Title, i.Text)
				}
			}
		})
	})
}

// printBriefing prints Markdown, so that it can be kept as a page or sent.
func printBriefing(out *terminal.Page, b api.Briefing) {
	if len(b.Sections) == 0 {
		out.Linef("nothing needs attention")
	}
	var without []string // sections with no entry that fit
	for i, s := range b.Sections {
		least := ""
		if s.AtLeast {
			least = "at least "
		}
		if len(s.Items) == 0 {
			without = append(without, fmt.Sprintf("%s (%s%d)", s.Title, least, s.Total))
			continue
		}
		if i > 0 {
			out.Linef("")
		}
		out.Linef("%s", out.Style.Title("## "+s.Title))
		for _, item := range s.Items {
			for _, line := range item.Lines() {
				out.Linef("%s", line)
			}
		}
		if s.LeftOut > 0 {
			out.Linef("%s", out.Style.Aside(fmt.Sprintf("- %s%d more", least, s.LeftOut)))
		}
	}
	if len(without) > 0 {
		out.Linef("")
		out.Linef("%s", out.Style.Aside("No room for: "+strings.Join(without, ", ")))
	}
}
