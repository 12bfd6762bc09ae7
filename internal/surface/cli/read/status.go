package read

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

func newStatus(p *command.Program) *cobra.Command {
	var w command.Writing
	cmd := &cobra.Command{
		Use:   "status [REF [STATE]]",
		Short: "Show the state of the memory, or read or set a page's status",
		Long: `Without arguments: the database, its spaces, their contents, the syncs of cairn
serve, and problems that show without reading every document, which cairn doctor
and cairn lint do. With REF: the page's status. With REF and STATE: set it, to
active, stale, compacted, contested or superseded, as far as the space allows
that. In a space with aging pages, active also records a review of the page.
(docs/capture.md)`,
		Example: `  cairn status
  cairn status people/ada
  cairn status people/ada stale -m "not confirmed since 2024"`,
		Args: command.Need("[REF]", "[STATE]"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return command.Statuses(), cobra.ShellCompDirectiveNoFileComp
			}
			return p.Refs(1)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return runState(cmd.Context(), p)
			case 1:
				return runStatus(cmd.Context(), p, args[0])
			}
			return p.RunWrite(cmd, &w, func(a *memory.Session, opts api.WriteOptions) (api.Written, error) {
				return ageing.ChangeStatus(cmd.Context(), a, ageing.StatusRequest{WriteOptions: opts, Ref: args[0], Status: args[1]})
			})
		},
	}
	w.AddFlags(cmd)
	return cmd
}

// runStatus prints the status of a page.
func runStatus(ctx context.Context, p *command.Program, ref string) error {
	return p.WithApp(ctx, command.Synced, func(a *memory.Session) error {
		text, err := read.Get(ctx, a, read.GetRequest{Ref: ref})
		if err != nil {
			return err
		}
		for _, w := range text.Warnings {
			if w.Code == freshness.WarnBehind {
				p.Note("note: %s", w.Text)
			}
		}
		return p.Record(text.Page, func(o *terminal.Page) {
			o.Linef("%s is %s", o.Style.Title(text.Ref), status(o, text.Status))
		}, func(o *terminal.Page) { o.Linef("%s\t%s", text.Ref, string(text.Status)) })
	})
}

// runState prints the state of the memory.
func runState(ctx context.Context, p *command.Program) error {
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		s, err := state.Describe(ctx, a)
		if err != nil {
			return err
		}
		return p.Record(s, func(o *terminal.Page) {
			o.Linef("%s  %s", o.Style.Title(s.Database), o.Style.Aside(terminal.Size(s.Stats.Database)))
			held := fmt.Sprintf("%s, %s, %s", terminal.Count(s.Stats.Pages, "page"), terminal.Count(s.Stats.Links, "link"), terminal.Count(s.Stats.Tags, "tag"))
			if s.Stats.Gaps > 0 {
				held += ", " + terminal.Count(s.Stats.Gaps, "open gap")
			}
			if s.Stats.Disputes > 0 {
				held += ", " + terminal.Count(s.Stats.Disputes, "contradiction")
			}
			o.Linef("%s", held)
			o.Linef("")
			command.SpaceTable(o, s.Spaces)
			if len(s.Spaces) == 0 {
				o.Linef("no spaces; cairn space add DIR makes one")
			}
			for _, g := range s.Git {
				showGit(o, g)
			}
			for _, c := range s.Curation {
				o.Linef("")
				o.Linef("curation %s: %s", o.Style.Title(c.Space), c.Summary())
			}
			if s.Maintained != nil {
				o.Linef("")
				o.Linef("%s", o.Style.Aside("last maintenance on "+terminal.Moment(*s.Maintained)))
			}
			if s.Serving != nil {
				o.Linef("")
				servingLines(o, *s.Serving)
			}
			if len(s.Problems) > 0 {
				o.Linef("")
				command.Checks(o, s.Problems)
			}
		}, func(o *terminal.Page) {
			o.Linef("%s\t%d\t%d", s.Database, s.Stats.Pages, len(s.Problems))
		})
	})
}

// showGit prints the state of the repository of a guarded space.
func showGit(o *terminal.Page, s api.GitState) {
	o.Linef("")
	o.Linef("git %s: %s", o.Style.Title(s.Space), s.BranchStatus())
	for _, t := range s.Troubles() {
		if t.Text != s.BranchStatus() {
			o.Linef("  %s", o.Style.Bad(t.Text))
		}
	}
	if at := s.PushedAt; at != nil && s.PushError == "" {
		o.Linef("  %s", o.Style.Aside("last push "+terminal.Moment(*at)))
	}
}

// lastEvents is how many events of a server people see.
const lastEvents = 5

// servingLines prints what the server of the memory has synced.
func servingLines(o *terminal.Page, s api.Serving) {
	is := "cairn serve does not run; the last one began on "
	if s.Running {
		is = "cairn serve runs since "
	}
	o.Linef("%s%s: %s synced, %s", is, terminal.Moment(s.Since), terminal.Count(s.Files, "file"), terminal.Count(s.Errors, "error"))
	for _, e := range s.Events[:min(len(s.Events), lastEvents)] {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("  %s  %s %s", terminal.Moment(e.At), e.Change, e.Space+command.Optional(":", e.Path))+command.Optional(" from ", e.From)))
	}
	if left := len(s.Events) - lastEvents; left > 0 {
		o.Linef("%s", o.Style.Aside(fmt.Sprintf("  %d more: --json", left)))
	}
}

func newStats(p *command.Program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what the space holds",
		Long: `Count the pages, links, observations, timeline entries, tags, open gaps,
contradictions, assertions, sidecar data and embedded passages of the space, or
of all spaces; the pages also by type, status, space, and the days since they
were changed.`,
		Example: `  cairn stats
  cairn stats --all --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runStats(cmd.Context(), p, all) },
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "count all spaces")
	return cmd
}

// inBrackets is a text in brackets, "" for none.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func runStats(ctx context.Context, p *command.Program, all bool) error {
	return p.WithFresh(ctx, all, func(a *memory.Session) error {
		s, err := state.CountStats(ctx, a, all)
		if err != nil {
			return err
		}
		if s.Types == nil {
			s.Types = []api.Count{}
		}
		if s.Statuses == nil {
			s.Statuses = []api.Count{}
		}
		return p.Record(s, func(o *terminal.Page) {
			t := terminal.NewTable("WHAT", "NUMBER")
			t.Row("pages", s.Pages)
			t.Row("documents", fmt.Sprintf("%d (%s)", s.Documents, terminal.Size(s.Bytes)))
			t.Row("links", fmt.Sprintf("%d (%d lead nowhere, %d ambiguous)", s.Links, s.Unresolved, s.Ambiguous))
			t.Row("observations", s.Observations)
			t.Row("timeline entries", s.Entries)
			t.Row("tags", s.Tags)
			t.Row("open gaps", s.Gaps)
			t.Row("contradictions", s.Disputes)
			t.Row("assertions", s.Assertions)
			t.Row("raw data", s.RawData)
			t.Row("embedded passages", strings.TrimSpace(fmt.Sprintf("%d %s", s.Chunks, inBrackets(s.Model))))
			for _, c := range s.Types {
				t.Row("type "+cmp.Or(c.Value, "(none)"), c.Count)
			}
			for _, c := range s.Statuses {
				t.Row("status "+c.Value, c.Count)
			}
			for _, c := range s.PerSpace {
				t.Row("space "+c.Value, c.Count)
			}
			for _, c := range s.Ages {
				t.Row("changed "+c.Value+" days ago", c.Count)
			}
			t.Row("database", terminal.Size(s.Database))
			t.Print(o)
		}, func(o *terminal.Page) {
			o.Linef("%d\t%d\t%d\t%d\t%d", s.Pages, s.Links, s.Observations, s.Entries, s.Tags)
		})
	})
}
