package write

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type dailyOptions struct {
	command.Writing
	command.Input
	day.NoteRequest
	path bool
}

func newDaily(p *command.Program) *cobra.Command {
	var o dailyOptions
	cmd := &cobra.Command{
		Use:   "daily [TEXT]",
		Short: "Add to today's note, or print it",
		Long: `Add TEXT to the end of today's note, or print the note without it. A note that
is missing is made: where .obsidian/daily-notes.json says, with its format,
folder and template, in the journal of Logseq, Dendron or Foam, else as
daily/YYYY-MM-DD, where org-roam-dailies looks as well.`,
		Example: `  cairn daily "Call Ada about the loom."
  cairn daily
  cairn daily --date yesterday --path
  git log --oneline -5 | cairn daily -`,
		Args: command.Need("[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDaily(cmd, p, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Date, "date", "", "the note of this `day`: a date, yesterday or tomorrow")
	f.BoolVar(&o.path, "path", false, "print the path of the note's file instead of its text")
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

func runDaily(cmd *cobra.Command, p *command.Program, o *dailyOptions, args []string) error {
	if len(args) > 0 || o.File != "" {
		var text *string
		if len(args) > 0 {
			text = &args[0]
		}
		body, err := o.ReadText(cmd.Context(), p, cmd, text)
		if err != nil {
			return err
		}
		o.Text = string(body)
	}
	var err error
	if o.WriteOptions, err = o.Options(cmd); err != nil {
		return err
	}
	access := command.CreateSynced
	if o.Writing.DryRun {
		access = command.Synced
	}
	return p.WithApp(cmd.Context(), access, func(a *memory.Session) error {
		d, err := day.Note(cmd.Context(), a, o.NoteRequest)
		if err != nil {
			return err
		}
		switch {
		case o.path:
			return p.Content(cmp.Or(d.Note.File, d.Note.Path)+"\n", d, command.PlainText)
		case o.Text == "" && !o.Writing.DryRun:
			for _, pg := range d.Pages {
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
