package agents

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newLSP(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor over standard input and output (LSP)",
		Long: `Serve one editor by the Language Server Protocol 3.17 over standard input and
output, until the editor ends the session. Editors start it themselves; set-up
for Neovim, Helix, Zed, Emacs, Kate and VS Code is in docs/lsp.md.

It works on Markdown and Org files in the directories of spaces, with the text
as it is in the editor. Files elsewhere get empty answers. It writes nothing by
itself.`,
		Example: `  cairn lsp
  cairn lsp --space notes`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runLSP(cmd.Context(), p) },
	}
	// The protocol recommends it for every server, and clients add it unasked.
	cmd.Flags().Bool("stdio", false, "serve over standard input and output: the default, and the only way")
	return cmd
}

func runLSP(ctx context.Context, p *command.Program) error {
	if p.Env.LSP == nil {
		return kb.Errorf(kb.Usage, "this build of cairn does not serve editors")
	}
	return withMemory(ctx, p, false, func(m *memory.Lazy, c memory.Caller) error {
		return ended(ctx, p.Env.LSP(ctx, command.LSPSession{
			Memory: m, Stdin: p.Env.Stdin, Stdout: p.Env.Stdout, Caller: c, Version: p.Env.Build.Version,
			Web: func(ctx context.Context, id kb.ID) error { return openWeb(ctx, p, id) },
		}))
	}, command.Watching)
}

// openWeb opens a page in the web UI. It starts no server, which would end with the editor.
func openWeb(ctx context.Context, p *command.Program, id kb.ID) error {
	if err := p.PersonOnly("web", "sign in to the web UI"); err != nil {
		return err
	}
	opts, err := p.Options()
	if err != nil {
		return err
	}
	address, err := p.WebAddress(ctx, opts.Place)
	if err != nil {
		return err
	}
	if address == "" || p.Env.Browse == nil {
		return kb.Errorf(kb.NotFound, "no web UI runs for this memory").WithHint("Start it with cairn serve --http, or run cairn web %s.", id)
	}
	link, err := p.WebLink(ctx, opts, address, "", command.PageAt(string(id)))
	if err != nil {
		return err
	}
	return p.OpenWeb(ctx, opts.Place, link)
}
