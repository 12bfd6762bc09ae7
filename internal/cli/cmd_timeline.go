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
		Use:   "timeline REF",
		Short: "List the dated entries of a page",
		Long: `List the timeline entries of a page in the order in which they stand. --after
and --before are about the dates of the entries; see: cairn help dates`,
		Example: `  cairn timeline people/ada
  cairn timeline people/ada --after "last month"
  cairn timeline people/ada --after 1833 --before 1844 --json`,
		Args:              need("REF"),
		ValidArgsFunction: p.refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Ref = args[0]
			return runTimeline(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.After, "after", "", "only entries at or after this `date`")
	f.StringVar(&o.Before, "before", "", "only entries before this `date`")
	o.addFlags(cmd, 50)
	return cmd
}

func runTimeline(ctx context.Context, p *program, o timelineOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.limit, o.offset
	return p.withApp(ctx, synced, func(a *app.App) error {
		l, err := a.Timeline(ctx, o.TimelineRequest)
		if err != nil {
			return err
		}
		l = listed(l)
		return p.record(l, func(out *terminal.Page) {
			for _, e := range l.Items {
				source := ""
				if e.Source != "" {
					source = "  (" + e.Source + ")"
				}
				out.Linef("%s  %s%s", out.Style.Title(e.Date), e.Text, out.Style.Aside(source))
				for line := range strings.Lines(e.Detail) {
					out.Linef("            %s", strings.TrimSpace(line))
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
