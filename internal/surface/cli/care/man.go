package care

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newMan(p *command.Program) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write the manual pages",
		Long: `Write a manual page for each command and help topic into a directory, which is
made when it is missing. Without DIR, print the manual page of cairn itself. The
pages hold no date: the same cairn writes the same bytes.`,
		Example: `  cairn man | man -l -
  cairn man ~/.local/share/man/man1`,
		Args: command.Need("[DIR]"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			render, suffix := terminal.Man, ".1"
			if markdown {
				render, suffix = terminal.Markdown, ".md"
			}
			if len(args) == 0 {
				return p.Content(render(cmd.Root()), nil, command.PlainText)
			}
			if err := p.MayWrite(cmd.Context(), "man "+args[0], filepath.Join(args[0], terminal.FileName(cmd.Root())+suffix)); err != nil {
				return err
			}
			return writePages(cmd.Context(), p, cmd.Root(), args[0], func(c *cobra.Command) (string, string) {
				return terminal.FileName(c) + suffix, render(c)
			})
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write Markdown, as in docs/cli")
	if err := cmd.Flags().MarkHidden("markdown"); err != nil {
		panic(err) // the flag is named above
	}
	return cmd
}

// writePages writes the page of every command below root into dir.
func writePages(ctx context.Context, p *command.Program, root *cobra.Command, dir string, page func(*cobra.Command) (name, text string)) (err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Env.Dir, dir)
	}
	if err := fsys.MakeDir(dir); err != nil {
		return fsys.Explain(err, "make %s", dir)
	}
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	n := 0
	for _, c := range terminal.Commands(root) {
		name, text := page(c)
		if err := fsys.WriteAtomic(ctx, d, name, []byte(text), fsys.Any(), fsys.WriteOptions{}); err != nil {
			return fsys.Explain(err, "write %s", filepath.Join(dir, name))
		}
		n++
	}
	p.Note("wrote %s into %s", terminal.Count(n, "page"), dir)
	return nil
}
