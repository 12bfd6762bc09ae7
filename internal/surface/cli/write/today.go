package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type todayOptions struct {
	command.Writing
	command.Input
	day.TodayRequest
}

func newToday(p *command.Program) *cobra.Command {
	var o todayOptions
	cmd := &cobra.Command{
		Use:   "today [KIND [TEXT]]",
		Short: "Add a line to the page of the day, or print it",
		Long: `Add TEXT to the section of the page of the day that is for lines of a KIND, or
print the page. [[rotate]] in the space's policy defines the page, when it
starts again, and its kinds of lines. In spaces of the preset context it is
state/today, and takes log, task and note. In a space without such a page it is
the note of the day, as with cairn daily, and takes the same kinds.`,
		Example: `  cairn today
  cairn today log "Sent the invoice to Ada."
  cairn today task "Call Byron"
  git log --oneline -5 | cairn today note -`,
		Args: command.Need("[KIND]", "[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runToday(cmd, p, &o, args) },
	}
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

func runToday(cmd *cobra.Command, p *command.Program, o *todayOptions, args []string) (err error) {
	if len(args) > 0 {
		o.Kind = args[0]
		var text *string
		if len(args) > 1 {
			text = &args[1]
		}
		body, err := o.ReadText(cmd.Context(), p, cmd, text)
		if err != nil {
			return err
		}
		o.Text = string(body)
	} else if o.File != "" {
		return command.UsageError(cmd, "a text needs a kind, such as log")
	}
	if o.WriteOptions, err = o.Options(cmd); err != nil {
		return err
	}
	return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
		d, err := day.AddToday(cmd.Context(), a, o.TodayRequest)
		if err != nil {
			return err
		}
		if o.Kind == "" {
			for _, pg := range d.Pages { // a note of the day that was missing
				p.Note("%s %s", command.Change(pg), pg.Path)
			}
			return command.ShowPage(cmd.Context(), p, a, read.GetRequest{Ref: d.Note.Ref})
		}
		if err := p.Written(d.Written); err != nil {
			return err
		}
		return p.EmbedWritten(cmd.Context(), a, d.Written, o.Wait)
	})
}
