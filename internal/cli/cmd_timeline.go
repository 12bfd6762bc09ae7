package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/terminal"
)

type timelineOptions struct {
	paging
	app.TimelineRequest
}

func newTimeline(p *program) *cobra.Command {
	var o timelineOptions
	cmd := &cobra.Command{
		Use:   "timeline [REF]",
		Short: "List dated entries, of a page or of all",
		Long: `List the timeline entries of a page in the order in which they stand or, without
REF, those of all pages, the newest first. --after and --before are about the
dates of the entries; see: cairn help dates`,
		Example: `  cairn timeline people/ada
  cairn timeline people/ada --after "last month"
  cairn timeline --source meeting --path people --after 2026-01-01
  cairn timeline people/ada --after 1833 --before 1844 --json`,
		Args:              need("[REF]"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = strings.Join(args, "")
			return runTimeline(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.After, "after", "", "only entries at or after this `date`")
	f.StringVar(&o.Before, "before", "", "only entries before this `date`")
	f.StringVar(&o.Source, "source", "", "only entries known from this `source`, such as meeting")
	f.StringArrayVarP(&o.Types, "type", "t", nil, "only of pages of this `type`; again for another")
	f.StringArrayVarP(&o.Tags, "tag", "T", nil, "only of pages with this `tag`; again for another that they must have too")
	f.StringArrayVar(&o.Paths, "path", nil, "only of pages below this `path`, or that match it as a glob; again for another")
	f.BoolVarP(&o.All, "all", "a", false, "list all spaces")
	o.addFlags(cmd, 50)
	return cmd
}

func runTimeline(ctx context.Context, p *program, o timelineOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.limit, o.offset
	list := func(a *app.App) error {
		l, err := a.Timeline(ctx, o.TimelineRequest)
		if err != nil {
			return err
		}
		return entries(p, listed(l), o.Ref == "")
	}
	if o.Ref == "" {
		return p.withFresh(ctx, o.All, list)
	}
	return p.withApp(ctx, synced, list)
}

// entries prints timeline entries, with their pages where these are several.
func entries(p *program, l app.List[app.Entry], ofMany bool) error {
	return p.record(l, func(out *terminal.Page) {
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
		more(out, l, "entry")
	}, func(out *terminal.Page) {
		for _, e := range l.Items {
			out.Linef("%s\t%s\t%s", e.Page, e.Date, e.Text)
		}
	})
}

type timelineAddOptions struct {
	writing
	input
	app.TimelineAddRequest
}

func newTimelineAdd(p *program) *cobra.Command {
	var o timelineAddOptions
	cmd := &cobra.Command{
		Use:   "timeline-add REF [TEXT]",
		Short: "Add a dated entry to a page",
		Long: `Add an entry below the page's line, newest first; the line is made when the
page has none. The text is an argument, a file, or standard input.`,
		Example: `  cairn timeline-add people/ada "Published the notes on the engine" --date 1843-08
  cairn timeline-add people/ada "Called about the draft" --source meeting
  echo "Sent the proofs" | cairn timeline-add people/ada --date yesterday`,
		Args:              need("REF", "[TEXT]"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = args[0]
			text, err := o.text(cmd.Context(), p, cmd, second(args))
			if err != nil {
				return err
			}
			o.Text = strings.TrimSpace(string(text))
			if o.Text == "" {
				return usageError(cmd, "the entry has no text")
			}
			return p.runWrite(cmd, &o.writing, func(a *app.App, w app.WriteOptions) (app.Written, error) {
				o.WriteOptions = w
				return a.TimelineAdd(cmd.Context(), o.TimelineAddRequest)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Date, "date", "", "`when` it was (default: today)")
	f.StringVar(&o.Source, "source", "", "`where` it is known from")
	f.StringVar(&o.More, "detail", "", "more `text`, below the entry")
	o.input.addFlags(cmd, "the text")
	o.writing.addFlags(cmd)
	return cmd
}

// second returns the second argument, if there is one.
func second(args []string) *string {
	if len(args) < 2 {
		return nil
	}
	return &args[1]
}
