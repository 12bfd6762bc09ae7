package read

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type assertionsOptions struct {
	command.Paging
	api.AssertionsRequest
	status string
	all    bool
}

func newAssertions(p *command.Program) *cobra.Command {
	var o assertionsOptions
	cmd := &cobra.Command{
		Use:   "assertions [REF]",
		Short: "List assertions and their times",
		Long: `List the current assertions of the page REF or of the space, including relations
and the frontmatter keys that the space's policy names. --subject and --object
take a page, by any of its names, or a text. --at lists those of a date,
--status those that have ended, were superseded by another, are yet to come
(future), or all. --as-of lists the assertions of the memory at a time: the two
combine.`,
		Example: `  cairn assertions people/ada
  cairn assertions --subject "Ada Lovelace" --predicate works_at --status all
  cairn assertions --object companies/brex --at 2019-06 --json`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.On != "" {
					return command.UsageError(cmd, "REF and --on are the same; give one")
				}
				o.On = args[0]
			}
			if o.all {
				o.Space = "*"
			}
			o.Status = api.AssertionStatus(o.status)
			return runAssertions(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "list those of all spaces")
	f.StringVar(&o.On, "on", "", "only those of this page, as REF")
	f.StringVar(&o.Subject, "subject", "", "only those about this `page` or text")
	f.StringVar(&o.Predicate, "predicate", "", "only those that say this of it")
	f.StringVar(&o.Object, "object", "", "only those that name this `page` or text")
	f.StringVar(&o.status, "status", "", "current, future, ended, superseded or all (default: current)")
	f.StringVar(&o.AsOf, "as-of", "", "as the memory had it at this `time` or date")
	f.StringVar(&o.At, "at", "", "as it was on this `date` (default: today)")
	o.AddFlags(cmd, 50)
	return cmd
}

func runAssertions(ctx context.Context, p *command.Program, o assertionsOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, o.All() || o.On != "", func(a *memory.Session) error {
		l, err := assertion.List(ctx, a, o.AssertionsRequest)
		if err != nil {
			return err
		}
		return p.Record(l, func(out *terminal.Page) {
			for _, x := range l.Items {
				showAssertion(out, x)
			}
			if len(l.Items) == 0 {
				out.Linef("no assertions")
			}
			if l.Hidden > 0 {
				out.Linef("%s of another status; --status all lists them", terminal.Count(l.Hidden, "assertion"))
			}
			command.More(out, l.List, "assertion")
		}, func(out *terminal.Page) {
			for _, x := range l.Items {
				out.Linef("%d\t%s\t%s\t%s\t%s\t%s\t%s", x.ID, x.Status, x.Subject, x.Predicate, x.Object, interval(x), x.Ref)
			}
		})
	})
}

func interval(x api.Assertion) string {
	return kb.Interval{From: x.ValidFrom, Until: x.ValidUntil}.String()
}

// showAssertion prints an assertion, followed by its source and reasons.
func showAssertion(out *terminal.Page, x api.Assertion) {
	line := fmt.Sprintf("%s %s %s", x.Subject, x.Predicate, x.Object)
	if i := interval(x); i != "" {
		line += " @" + i
	}
	if x.Status != api.Holds {
		line += "  " + string(x.Status)
	}
	id := "-"
	if x.ID != 0 {
		id = fmt.Sprint(x.ID)
	}
	out.Linef("%s  %s", out.Style.Title(id), line)
	said := x.Ref
	for _, part := range []string{x.AssertedBy, x.Source, string(x.Derived)} {
		if part != "" {
			said += "  " + part
		}
	}
	if x.Confidence != 1 {
		said += fmt.Sprintf("  confidence %g", x.Confidence)
	}
	out.Linef("    %s", out.Style.Aside(said))
	if x.Evidence != "" {
		where := "lost"
		if len(x.Lines) > 0 {
			where = fmt.Sprintf("line %d", x.Lines[0])
		}
		out.Linef("    %s: %s", where, x.Evidence)
	}
}
