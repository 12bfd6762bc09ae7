package care

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type checkOptions struct {
	command.Paging
	command.Writing
	contradiction.Request
	dismiss, note        string
	resolve, keep, until string
}

func newCheck(p *command.Program) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [REF]",
		Short: "List statements that contradict each other",
		Long: `List the contradictions in the space, or on one page: predicates with two
objects, or two subjects, that may have one at a time (cross_page), open
relations that a text or an entry reports as ended (temporal), relations that
overlap in time (overlap), pages with a truth much older than their newest entry
(stale), assertions and frontmatter keys that a relation ended (assertion),
assertions with a quote that is not in the page (evidence), and pages with a
relation contradicts (conflict). Each names its subject, and has both sides with
line, quote, kind, date, authority and source. Certain ones come first and are
counted; possible ones may be harmless.
The space's policy decides which is which: see docs/memory.md.

--resolve keeps one side, A or B as listed, and ends the other: a relation or an
assertion ends on --until or, without it, at the start of the kept side or at
the end that it reports, else today; a frontmatter key becomes an ended
relation; equal statements elsewhere end in the same write; of two overlapping
relations, the other one loses the common time, and its line if no time is left;
of a conflict B keeps both pages and ends the relation. undo reverts it.
Sentences that report an end, and stale truths, are not rewritten: edit the
page.

Exits with 0 for any findings. --dismiss takes one off the list until one of its
sides changes.`,
		Example: `  cairn check
  cairn check people/ada --json
  cairn check --all --type temporal,stale
  cairn check --resolve 3f2a9c01d4e5 --keep B --until 2025-03
  cairn check --dismiss 3f2a9c01d4e5 --note "two jobs, half a day each"`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Ref = args[0]
			}
			switch {
			case o.resolve != "" || o.keep != "":
				return runResolve(cmd, p, o)
			case o.dismiss != "" || o.note != "":
				return runDismiss(cmd, p, o)
			}
			if err := without(cmd, "--%s is for --resolve", settling); err != nil {
				return err
			}
			return runCheck(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.All, "all", "a", false, "check all spaces")
	f.StringSliceVar(&o.Types, "type", nil, "only this `type`: assertion, conflict, cross_page, temporal, overlap, stale or evidence; may be repeated")
	f.BoolVar(&o.Dismissed, "dismissed", false, "list those that were dismissed instead")
	f.StringVar(&o.resolve, "resolve", "", "settle the contradiction with this `id`; needs --keep")
	f.StringVar(&o.keep, "keep", "", "the `side` that holds: A, B or the page of it")
	f.StringVar(&o.until, "until", "", "the other side held until this `date`")
	f.StringVar(&o.dismiss, "dismiss", "", "dismiss the contradiction with this `id`; needs --note")
	f.StringVar(&o.note, "note", "", "why it does not matter")
	o.Paging.AddFlags(cmd, 50)
	o.Writing.AddFlags(cmd)
	return cmd
}

func runCheck(ctx context.Context, p *command.Program, o checkOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, o.All || o.Ref != "", func(a *memory.Session) error {
		l, err := contradiction.List(ctx, a, o.Request)
		if err != nil {
			return err
		}
		return p.Record(l, func(out *terminal.Page) {
			for _, c := range l.Items {
				showContradiction(out, c)
			}
			out.Linef("%s", tally(l))
			command.More(out, l.List, "contradiction")
		}, func(out *terminal.Page) {
			for _, c := range l.Items {
				out.Linef("%s\t%s\t%s\t%s\t%s", c.ID, sure(c), c.Type, cmp.Or(c.SubjectRef, c.A.Ref), c.Text)
			}
		})
	})
}

func runResolve(cmd *cobra.Command, p *command.Program, o checkOptions) error {
	if o.resolve == "" || o.keep == "" {
		return command.UsageError(cmd, "--resolve and --keep go together")
	}
	if o.Ref != "" {
		return command.UsageError(cmd, "--resolve takes an id, and no REF")
	}
	if err := without(cmd, "--%s does not go with --resolve", listing, []string{"dismiss", "note"}); err != nil {
		return err
	}
	return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
		return change.Resolve(cmd.Context(), a, contradiction.ResolveRequest{WriteOptions: w, ID: o.resolve, Keep: o.keep, Until: o.until})
	})
}

// The flags of the list, and those with which a contradiction is resolved.
var (
	listing  = []string{"all", "type", "dismissed", "limit", "offset"}
	settling = []string{"until", "expected-version", "dry-run", "message", "diff", "wait", "allow-secret", "rewrite-timeline"}
)

// without refuses flags that go with something else.
func without(cmd *cobra.Command, format string, flags ...[]string) error {
	for _, name := range slices.Concat(flags...) {
		if cmd.Flags().Changed(name) {
			return command.UsageError(cmd, format, name)
		}
	}
	return nil
}

func runDismiss(cmd *cobra.Command, p *command.Program, o checkOptions) error {
	if o.dismiss == "" || o.note == "" {
		return command.UsageError(cmd, "--dismiss and --note go together")
	}
	if o.Ref != "" {
		return command.UsageError(cmd, "--dismiss takes an id, and no REF")
	}
	if err := without(cmd, "--%s does not go with --dismiss", listing, settling); err != nil {
		return err
	}
	ctx := cmd.Context()
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		c, err := contradiction.Dismiss(ctx, a, o.dismiss, o.note)
		if err != nil {
			return err
		}
		return p.Did(c, func(out *terminal.Page) { out.Linef("dismissed %s: %s", c.ID, c.Text) }, func(out *terminal.Page) { out.Linef("%s", c.ID) })
	})
}

// showContradiction prints a contradiction with both sides, a line each: where it is, the
// quote, and what it is, of when, from whom.
func showContradiction(out *terminal.Page, c api.Contradiction) {
	out.Linef("%s  %s  %s: %s", out.Style.Title(c.ID), sure(c), c.Type, c.Text)
	for i, s := range []api.Side{c.A, c.B} {
		out.Linef("    %c %s", 'A'+i, s.Line())
	}
	if c.Dismissed != nil {
		out.Linef("    dismissed by %s: %s", c.Dismissed.By, c.Dismissed.Note)
	}
}

func sure(c api.Contradiction) string {
	if c.Certain {
		return "certain"
	}
	return "possible"
}

// tally counts a list in words.
func tally(l api.Contradictions) string {
	out := "no contradictions"
	if l.Certain > 0 {
		out = terminal.Count(l.Certain, "contradiction")
	}
	if l.Possible > 0 {
		out += fmt.Sprintf(", %d possible", l.Possible)
	}
	if l.Dismissed > 0 {
		out += fmt.Sprintf(", %d dismissed", l.Dismissed)
	}
	return out
}
