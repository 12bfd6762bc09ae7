package history

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type sessionsOptions struct {
	command.Paging
	sessions.ListRequest
}

func newSessions(p *command.Program) *cobra.Command {
	var o sessionsOptions
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List past sessions of agents",
		Long: `List past sessions of agents, newest first, as their clients keep them, with
the files they changed, their open steps and the command line that opens each
again. A person attaches them with cairn space add --sessions; then search and
query find passages in them, and cairn sessions distil what they decided.

--project is a directory in or below which they ran, such as . for this one, or
the name of one. What agents wrote into the memory is in cairn unreviewed.`,
		Example: `  cairn sessions
  cairn sessions --project . --since "2 weeks"
  cairn query "why did we drop the cache" --space sessions`,
		Args: command.Subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			o.Limit, o.Offset = o.Show, o.Skip
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				l, err := sessions.List(cmd.Context(), a, o.ListRequest)
				if err != nil {
					return err
				}
				return printSessions(p, l)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Project, "project", "", "only sessions in this `dir`, or of this name")
	f.StringVar(&o.Since, "since", "", "only sessions that went on after this `time`")
	f.StringVar(&o.Client, "client", "", "only sessions of this `client`")
	o.AddFlags(cmd, 20)
	cmd.AddCommand(newDistil(p))
	return command.Lists[api.PastSession](p, cmd)
}

type distilOptions struct {
	limit int
	sessions.DistilRequest
}

func newDistil(p *command.Program) *cobra.Command {
	var o distilOptions
	cmd := &cobra.Command{
		Use:   "distil",
		Short: "Plan pages of what past sessions decided and taught",
		Long: `Find the turns of past sessions that look like decisions, corrections,
preferences and lessons, and plan a page for each, with the sentence, the
speaker, the turn and the time as its evidence. The rules are for English,
German, French and Spanish, and know no context: read the plan, and drop and
merge pages, before cairn ingest --pages carries it out. Nothing is written
otherwise.

Pages of the current space stay as they are: a sentence with a page is left out.`,
		Example: `  cairn sessions distil --since "1 week"
  cairn sessions distil --project . --json > plan.json
  cairn ingest --pages plan.json --dry-run`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Limit = o.limit; o.limit < 1 || o.limit > ingest.MaxPages {
				return command.UsageError(cmd, "--limit %d is not between 1 and %d", o.limit, ingest.MaxPages)
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				d, err := sessions.Distil(cmd.Context(), a, o.DistilRequest)
				if err != nil {
					return err
				}
				return printDistilled(p, d)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Project, "project", "", "only sessions in this `dir`, or of this name")
	f.StringVar(&o.Since, "since", "", "only sessions that went on after this `time`")
	f.StringVar(&o.Client, "client", "", "only sessions of this `client`")
	f.StringSliceVar(&o.Kinds, "kind", nil, "only these `kinds`: decision, correction, preference, lesson")
	f.IntVarP(&o.limit, "limit", "n", 50, "plan at most this `number` of pages")
	return cmd
}

// printDistilled prints a plan by its evidence, for people.
func printDistilled(p *command.Program, d api.Distilled) error {
	return p.Record(d, func(o *terminal.Page) {
		slug := ""
		for _, e := range d.Evidence {
			if e.Slug != slug {
				slug = e.Slug
				o.Linef("%s  %s", o.Style.Title(e.Quote), o.Style.Aside(e.Kind+", "+e.Rule))
			}
			when := ""
			if e.At != nil {
				when = "  " + terminal.Moment(*e.At)
			}
			o.Linef("  %s, turn %d (line %d), %s%s", e.Session, e.Turn, e.Line, e.By, when)
			if e.Before != "" {
				o.Linef("  %s", o.Style.Aside("after: "+e.Before))
			}
		}
		switch {
		case len(d.Pages) == 0 && d.Existing == 0:
			o.Linef("nothing that looks like a decision, correction, preference or lesson")
		case d.More:
			o.Linef("there are more: --limit plans more of them, --since and --project fewer")
		}
		if d.Existing > 0 {
			o.Linef("%s left out: the space has a page of that name", terminal.Count(d.Existing, "sentence"))
		}
	}, func(o *terminal.Page) {
		for _, e := range d.Evidence {
			o.Linef("%s\t%s\t%s\t%d\t%s", e.Slug, e.Kind, e.Session, e.Line, e.Quote)
		}
	})
}

func printSessions(p *command.Program, l api.PastSessions) error {
	return p.Record(l, func(o *terminal.Page) {
		for i, s := range l.Items {
			if i > 0 {
				o.Linef("")
			}
			o.Linef("%s  %s", o.Style.Title(s.Title), o.Style.Aside(terminal.Moment(s.Ended)+"  "+s.Client))
			t := terminal.NewTable("", "")
			if s.Project != "" {
				t.Row("project", strings.TrimSpace(s.Project+"  "+s.Branch))
			}
			if len(s.Files) > 0 {
				t.Row("files", few(s.Files, 5))
			}
			if len(s.Commits) > 0 {
				t.Row("commits", few(s.Commits, 3))
			}
			if len(s.Open) > 0 {
				t.Row("open", few(s.Open, 3))
			}
			t.Row("page", s.Ref)
			if s.Resume != "" && !s.Gone {
				t.Row("resume", s.Resume)
			}
			t.Print(o)
		}
		if len(l.Items) == 0 {
			o.Linef("no sessions (cairn space add --sessions attaches those of your clients)")
		}
		command.More(o, l.List, "session")
	}, func(o *terminal.Page) {
		for _, s := range l.Items {
			o.Linef("%s\t%s\t%s\t%s\t%s", s.Ref, s.Client, s.Ended.Format("2006-01-02T15:04:05Z07:00"), s.Project, s.Title)
		}
	})
}

// few joins the first texts of a list.
func few(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, "; ")
	}
	return strings.Join(all[:most], "; ") + "; and " + strconv.Itoa(len(all)-most) + " more"
}
