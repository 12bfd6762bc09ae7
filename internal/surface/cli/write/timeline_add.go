package write

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type timelineAddOptions struct {
	command.Writing
	command.Input
	change.AddEntryRequest
}

func newTimelineAdd(p *command.Program) *cobra.Command {
	var o timelineAddOptions
	cmd := &cobra.Command{
		Use:   "timeline-add REF [TEXT]",
		Short: "Add a dated entry to a page",
		Long: `Add an entry below the page's line, newest first; the line is made when the
page has none. The text is an argument, a file, or standard input.`,
		Example: `  cairn timeline-add people/ada "Published the notes on the engine" --date 1843-08
  cairn timeline-add people/ada "Called about the draft" --source meeting
  echo "Sent the proofs" | cairn timeline-add people/ada --date yesterday`,
		Args:              command.Need("REF", "[TEXT]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.OneOf(cmd, "file", "summary"); err != nil {
				return err
			}
			o.Ref = args[0]
			if !cmd.Flags().Changed("summary") {
				text, err := o.ReadText(cmd.Context(), p, cmd, command.Second(args))
				if err != nil {
					return err
				}
				o.Text = string(text)
			} else if len(args) > 1 {
				return command.UsageError(cmd, "--summary replaces TEXT: give one of them")
			}
			o.Text = strings.TrimSpace(o.Text)
			if o.Text == "" {
				return command.UsageError(cmd, "the entry has no text")
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return change.AddEntry(cmd.Context(), a, o.AddEntryRequest)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Date, "date", "", "`when` it was (default: today)")
	f.StringVar(&o.Text, "summary", "", "the `text`, instead of the argument")
	f.StringVar(&o.Source, "source", "", "`where` it is known from")
	f.StringVar(&o.More, "detail", "", "more `text`, below the entry")
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}
