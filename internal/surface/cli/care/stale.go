package care

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type staleOptions struct {
	command.Paging
	all, due, apply, dryRun bool
}

func newStale(p *command.Program) *cobra.Command {
	var o staleOptions
	cmd := &cobra.Command{
		Use:   "stale",
		Short: "List stale pages with the reason, or mark those that are due",
		Long: `List the stale pages of the space: since when, and why. --due lists the active
pages instead that will be stale, the next first. Active pages that contradict
each other are named after them; they do not age.

--apply makes pages stale by the rules of the space: a page that another one
supersedes, that is too old, or too old for one that no page links to. A page
without a present reason is active again. It is one write, which undo takes
back. cairn maintain and cairn serve do the same every day, and this list does
before it is printed; none of them marks a page where it would be more than half
of 20 or more. (docs/capture.md)`,
		Example: `  cairn stale
  cairn stale --due
  cairn stale --apply --dry-run`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.dryRun && !o.apply:
				return command.UsageError(cmd, "--dry-run is for --apply")
			case o.apply && o.due:
				return command.UsageError(cmd, "--due does not go with --apply")
			case o.apply:
				return runPass(cmd.Context(), p, o)
			}
			return runStale(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "look at all spaces")
	f.BoolVar(&o.due, "due", false, "list the active pages that will be stale")
	f.BoolVar(&o.apply, "apply", false, "mark the pages that are due, and unmark those without a present reason")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing; show the effects of --apply")
	o.Paging.AddFlags(cmd, 50)
	return cmd
}

func runStale(ctx context.Context, p *command.Program, o staleOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	return p.WithFresh(ctx, o.all, func(a *memory.Session) error {
		l, err := ageing.Stale(ctx, a, ageing.StaleRequest{All: o.all, Due: o.due, Limit: o.Show, Offset: o.Skip, Pass: true})
		if err != nil {
			return err
		}
		return p.Record(l, func(out *terminal.Page) {
			t := terminal.NewTable("PAGE", "SINCE", "REASON")
			if o.due {
				t = terminal.NewTable("PAGE", "DUE", "REASON")
			}
			for _, s := range l.Items {
				t.Row(out.Style.Title(s.Ref), s.StaleSince+s.Due, s.Reason)
			}
			switch {
			case len(l.Items) > 0:
				t.Print(out)
			case o.due:
				out.Linef("no page will be stale")
			default:
				out.Linef("no stale pages")
			}
			unresolved(out, l.Conflicts, l.Circles)
			command.More(out, l.List, "page")
		}, func(out *terminal.Page) {
			for _, s := range l.Items {
				out.Linef("%s\t%s\t%s", s.Ref, s.StaleSince+s.Due, s.Reason)
			}
		})
	})
}

// unresolved names what keeps pages from ageing.
func unresolved(out *terminal.Page, conflicts []api.PageConflict, circles [][]string) {
	for _, c := range conflicts {
		out.Linef("%s %s and %s", out.Style.Bad("conflict"), c.A, c.B)
	}
	for _, c := range circles {
		out.Linef("%s %s supersede each other, which has no effect", out.Style.Bad("circle"), strings.Join(c, ", "))
	}
}

// runPass marks the pages that are due.
func runPass(ctx context.Context, p *command.Program, o staleOptions) error {
	return p.WithFresh(ctx, o.all, func(a *memory.Session) error {
		r, err := ageing.Pass(ctx, a, ageing.PassRequest{All: o.all, DryRun: o.dryRun, Anyway: true})
		if err != nil {
			return err
		}
		return p.Did(r, func(out *terminal.Page) {
			stale, again := "stale", "active again"
			if r.DryRun {
				stale, again = "would be stale", "would be active again"
			}
			nothing := true
			for _, s := range r.Spaces {
				for _, x := range s.Stale {
					out.Linef("%s %s: %s", x.Ref, stale, x.Reason)
				}
				for _, x := range s.Again {
					out.Linef("%s %s", x.Ref, again)
				}
				for _, path := range s.Left {
					out.Linef("%s:%s left as it is: it cannot be changed now", s.Space, path)
				}
				unresolved(out, s.Conflicts, s.Circles)
				nothing = nothing && len(s.Stale)+len(s.Again)+len(s.Left) == 0
			}
			if nothing {
				out.Linef("no page is due")
			}
		}, func(out *terminal.Page) {
			for _, s := range r.Spaces {
				for _, x := range s.Stale {
					out.Linef("%s\tstale\t%s", x.Ref, x.Reason)
				}
				for _, x := range s.Again {
					out.Linef("%s\tactive\t", x.Ref)
				}
			}
		})
	})
}
