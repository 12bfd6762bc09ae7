package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
)

type dailyOptions struct {
	writing
	input
	app.DailyRequest
	path bool
}

func newDaily(p *program) *cobra.Command {
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
		Args: need("[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDaily(cmd, p, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Date, "date", "", "the note of this `day`: a date, yesterday or tomorrow")
	f.BoolVar(&o.path, "path", false, "print the path of the note's file instead of its text")
	o.input.addFlags(cmd, "the text")
	o.writing.addFlags(cmd)
	return cmd
}

func runDaily(cmd *cobra.Command, p *program, o *dailyOptions, args []string) error {
	if len(args) > 0 || o.file != "" {
		var text *string
		if len(args) > 0 {
			text = &args[0]
		}
		body, err := o.text(cmd.Context(), p, cmd, text)
		if err != nil {
			return err
		}
		o.Text = string(body)
	}
	var err error
	if o.WriteOptions, err = o.options(cmd); err != nil {
		return err
	}
	access := createSynced
	if o.writing.dryRun {
		access = synced
	}
	return p.withApp(cmd.Context(), access, func(a *app.App) error {
		d, err := a.Daily(cmd.Context(), o.DailyRequest)
		if err != nil {
			return err
		}
		switch {
		case o.path:
			return p.content([]byte(cmp.Or(d.Note.File, d.Note.Path)+"\n"), d, plainText)
		case o.Text == "" && !o.writing.dryRun:
			for _, pg := range d.Pages {
				p.note("%s %s", change(pg), pg.Path)
			}
			return showPage(cmd.Context(), p, a, app.GetRequest{Ref: d.Note.Ref})
		}
		if err := p.written(d.Written); err != nil {
			return err
		}
		return p.embedWritten(cmd.Context(), a, d.Written, o.wait)
	})
}
