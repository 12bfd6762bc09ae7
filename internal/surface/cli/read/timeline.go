package read

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type timelineOptions struct {
	command.Paging
	retrieve.TimelineRequest
	asOf string
}

func newTimeline(p *command.Program) *cobra.Command {
	var o timelineOptions
	cmd := &cobra.Command{
		Use:   "timeline [REF]",
		Short: "List dated entries, of a page or of all",
		Long: `List the timeline entries of a page in their order or, without REF, those of all
pages, the newest first. --after and --before are about the dates of the
entries; see: cairn help dates`,
		Example: `  cairn timeline people/ada
  cairn timeline people/ada --after "last month"
  cairn timeline --source meeting --path people --after 2026-01-01
  cairn timeline people/ada --after 1833 --before 1844 --json`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = strings.Join(args, "")
			return runTimeline(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.asOf, "as-of", "", "the memory as it was at this `time` or date")
	f.StringVar(&o.After, "after", "", "only entries at or after this `date`")
	f.StringVar(&o.Before, "before", "", "only entries before this `date`")
	f.StringVar(&o.Source, "source", "", "only entries known from this `source`, such as meeting")
	addPages(cmd, &o.Within, "entries of pages")
	o.AddFlags(cmd, 50)
	return cmd
}

func runTimeline(ctx context.Context, p *command.Program, o timelineOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	list := func(a *memory.Session) error {
		l, err := read.Timeline(ctx, a, o.TimelineRequest, o.asOf)
		if err != nil {
			return err
		}
		return entries(p, command.Listed(l), o.Ref == "")
	}
	if o.Ref == "" {
		return p.WithFresh(ctx, o.All, list)
	}
	return p.WithApp(ctx, command.Synced, list)
}

// entries prints timeline entries, with their pages where these are several.
func entries(p *command.Program, l api.List[api.Entry], ofMany bool) error {
	return p.Record(l, func(out *terminal.Page) {
		for _, e := range l.Items {
			var aside string
			if e.Source != "" {
				aside = "  (" + e.Source + ")"
			}
			if ofMany {
				aside += "  " + e.Page
			}
			out.Textf(0, "%s  %s%s", out.Style.Title(e.Date), e.Text, out.Style.Aside(aside))
			for line := range strings.Lines(e.Detail) {
				out.Textf(len("2026-03-01  "), "%s", strings.TrimSpace(line))
			}
		}
		if len(l.Items) == 0 {
			out.Linef("no entries")
		}
		command.More(out, l, "entry")
	}, func(out *terminal.Page) {
		for _, e := range l.Items {
			out.Linef("%s\t%s\t%s", e.Page, e.Date, e.Text)
		}
	})
}
