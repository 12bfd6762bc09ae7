package write

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

func newSource(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "source", Short: "Keep what pages are made from",
		Long: `Store the sources of pages, in the directory that the space's policy names for
them. Sources are not pages: no search finds them.`,
	}, newSourceAdd(p))
}

func newSourceAdd(p *command.Program) *cobra.Command {
	var (
		req  api.SourceRequest
		file string
	)
	cmd := &cobra.Command{
		Use:   "add --url URL [--file FILE | -]",
		Short: "Keep the address of a source, with an excerpt",
		Long: `Keep a source: its address, the day, and an excerpt of at most 16 KB from FILE
or standard input. With --full all of it is kept, in a file of its own. Nothing
is fetched, and existing files are not replaced.

Pages that are made from it name its path: --set source=PATH.`,
		Example: `  cairn source add --url https://go.dev/doc/effective_go --title "Effective Go" --file excerpt.txt
  pdftotext paper.pdf - | cairn source add --url https://example.org/paper.pdf --full -`,
		Args: command.Need("[-]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case req.URL == "":
				return command.UsageError(cmd, "%s needs --url", cmd.CommandPath())
			case len(args) == 1 && (args[0] != "-" || file != ""):
				return command.UsageError(cmd, "the text comes from --file, or from standard input with -")
			case len(args) == 1:
				file = "-"
			}
			if file != "" {
				in := command.Input{File: file}
				text, err := in.ReadText(cmd.Context(), p, cmd, nil)
				if err != nil {
					return err
				}
				req.Text = string(text)
				if file != "-" {
					req.Name = filepath.Base(file)
				}
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				s, err := gitsync.AddSource(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				for _, w := range s.Warnings {
					p.Note("note: %s", w)
				}
				return p.Did(s, func(out *terminal.Page) {
					out.Linef("%s", out.Style.Title(s.Path))
					if s.File != "" {
						out.Linef("%s", s.File)
					}
				}, func(out *terminal.Page) { out.Linef("%s", s.Path) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&req.URL, "url", "", "its `address`")
	f.StringVar(&req.Title, "title", "", "what it is called, in a `line`")
	f.StringVar(&file, "file", "", "take the text from this `file`")
	f.BoolVar(&req.Full, "full", false, "keep all of the text, in a file of its own")
	f.BoolVar(&req.DryRun, "dry-run", false, "only show the result")
	return cmd
}
