package read

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newContext(p *command.Program) *cobra.Command {
	var (
		req    brief.GistRequest
		inject bool
		flow   string
	)
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print the present knowledge of this directory's space",
		Long: `Print the active pages of the space with their summaries, which pages contradict
each other, and which are stale and why. Pinned pages come first, then those
that changed last and those that most others link to; with --about, those that
are near to a text.

In a directory without a space, and with --recent, it lists the newest pages of
all spaces with the setting elsewhere under [brief] in their policy.

With --inject it prints the pages that the policy of the space gives to each
session, in [[inject]], as they are on disk now, each in its tag; with --flow
those for a flow of that name. Pages left out for their size are listed.`,
		Example: `  cairn context
  cairn context --space clients --limit 5
  cairn context --about "quarterly planning" --json
  cairn context --recent --limit 3
  cairn context --inject --flow routine.evening_review`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flow != "" && !inject {
				return command.UsageError(cmd, "--flow goes with --inject")
			}
			for _, other := range []string{"recent", "limit", "about"} {
				if inject && cmd.Flags().Changed(other) {
					return command.UsageError(cmd, "--inject does not go with --%s", other)
				}
			}
			if inject {
				return injected(cmd, p, flow)
			}
			if cmd.Flags().Changed("limit") && req.Limit < 1 {
				return kb.Errorf(kb.Usage, "invalid --limit %d: must be at least 1", req.Limit)
			}
			return p.WithFresh(cmd.Context(), req.Recent, func(a *memory.Session) error {
				b, err := brief.ComposeContext(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				return printContext(p, b)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.Recent, "recent", false, "list the newest pages of all spaces that allow it")
	f.IntVarP(&req.Limit, "limit", "n", 0, "name at most `N` pages (default: what the policy says)")
	f.StringVar(&req.About, "about", "", "put the pages near to this `text` first")
	f.BoolVar(&inject, "inject", false, "print the pages that the policy gives to each session")
	f.StringVar(&flow, "flow", "", "with --inject: the pages for the flow of this `name`")
	return cmd
}

func injected(cmd *cobra.Command, p *command.Program, flow string) error {
	return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
		in, err := brief.Inject(cmd.Context(), a, flow)
		if err != nil {
			return err
		}
		for _, w := range in.Warnings {
			p.Note("%s", w)
		}
		return p.Content(in.Text, in, command.PlainText)
	})
}

func printContext(p *command.Program, b api.Brief) error {
	return p.Record(b, func(o *terminal.Page) {
		if b.Namespace != "" {
			o.Linef("%s", o.Style.Title(b.Namespace))
		}
		for _, n := range b.ActiveNodes {
			o.Textf(0, "%s  %s", o.Style.Title(n.Title), o.Style.Aside(n.Ref+"  "+n.UpdatedAt+"  "+terminal.Count(n.LinksOut, "link")))
			if n.Summary != "" && n.Summary != n.Title {
				o.Textf(2, "%s", n.Summary)
			}
		}
		for _, c := range b.Conflicts {
			o.Textf(0, "%s  %s, %s: %s", o.Style.Bad("conflict"), c.RefA, c.RefB, c.Description)
		}
		for _, s := range b.StaleAlerts {
			o.Textf(0, "%s  %s %s %s", o.Style.Warn("stale"), s.Ref, s.StaleSince, s.Reason)
		}
		if len(b.ActiveNodes)+len(b.Conflicts)+len(b.StaleAlerts) == 0 {
			o.Linef("nothing is known here yet")
		}
	}, func(o *terminal.Page) {
		for _, n := range b.ActiveNodes {
			o.Linef("active\t%s\t%s\t%s\t%s", n.Ref, n.Title, n.Summary, strconv.Itoa(n.LinksOut))
		}
		for _, c := range b.Conflicts {
			o.Linef("conflict\t%s\t%s\t%s", c.RefA, c.RefB, c.Description)
		}
		for _, s := range b.StaleAlerts {
			o.Linef("stale\t%s\t%s\t%s\t%s", s.Ref, s.Title, s.StaleSince, s.Reason)
		}
	})
}
