package write

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/terminal"
)

type captureOptions struct {
	command.Writing
	command.Input
	app.RememberRequest
}

func newCapture(p *command.Program) *cobra.Command {
	var o captureOptions
	cmd := &cobra.Command{
		Use:     "capture [TEXT]",
		Aliases: []string{"remember"},
		Short:   "Remember a text as a page of its own",
		Long: `Store a text as a new page and say which pages are about the same, so that they
can be merged. The title is the first sentence, unless --title says otherwise.
When a page has that title already, nothing is written: that page is the answer,
and the exit code is 4. In a git repository the page gets the tag project/NAME.
On a machine without a memory this makes one.`,
		Example: `  cairn capture "We use SQLite: it needs no server." --tag decision
  cairn remember --title "Release checklist" --link projects/cairn - < list.md`,
		Args: command.Need("[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCapture(cmd, p, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "set the `title`")
	f.StringVarP(&o.Type, "type", "t", "", "set the `type`")
	f.StringArrayVarP(&o.Tags, "tag", "T", nil, "add a `tag`; again for another")
	f.StringArrayVar(&o.Links, "link", nil, "add a relation to the page of this `ref`; again for another")
	f.BoolVar(&o.New, "new", false, "make another page where one has the title")
	o.Input.AddFlags(cmd, "the text")
	o.Writing.AddFlags(cmd)
	return cmd
}

func runCapture(cmd *cobra.Command, p *command.Program, o *captureOptions, args []string) error {
	var text *string
	if len(args) > 0 {
		text = &args[0]
	}
	body, err := o.ReadText(cmd.Context(), p, cmd, text)
	if err != nil {
		return err
	}
	o.Text = string(body)
	if o.WriteOptions, err = o.Options(cmd); err != nil {
		return err
	}
	access := command.Create
	if o.Writing.DryRun {
		access = command.Existing
	}
	return p.WithApp(cmd.Context(), access, func(a *app.App) error {
		r, err := a.Remember(cmd.Context(), o.RememberRequest)
		if err != nil {
			return err
		}
		f, err := p.Format()
		if err != nil {
			return err
		}
		if f == command.FormatJSON {
			err = command.Done(p.JSON(r))
		} else {
			err = printRemembered(p, r)
		}
		switch {
		case err != nil:
			return err
		case len(r.Existing) > 0:
			return command.ErrExists
		}
		return p.EmbedWritten(cmd.Context(), a, r.Written, o.Wait)
	})
}

// printRemembered prints what was stored, and what is like it.
func printRemembered(p *command.Program, r app.Remembered) error {
	if len(r.Existing) > 0 {
		return printExisting(p, r)
	}
	if err := p.Written(r.Written); err != nil {
		return err
	}
	for _, h := range r.Similar {
		p.Note("%s", fmt.Sprintf("similar: %s (%s)", h.Ref, h.Title))
	}
	return nil
}

// printExisting prints the pages that have the title of what was to be stored.
func printExisting(p *command.Program, r app.Remembered) error {
	err := p.Did(r, func(o *terminal.Page) {
		for _, x := range r.Existing {
			o.Linef("nothing written: %s has this title already (version %d)", o.Style.Title(x.Ref), x.Version)
		}
	}, func(o *terminal.Page) {
		for _, x := range r.Existing {
			o.Linef("%s\texists\t%d", x.Ref, x.Version)
		}
	})
	p.Note("add to it with cairn edit %s --append TEXT, or make another page with --new", r.Existing[0].Ref)
	return err
}
