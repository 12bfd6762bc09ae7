package read

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newProject(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "project [DIR]",
		Short: "Say which project a directory is of",
		Long: `Print the slug by which pages name the project of a directory, by default of the
working directory: the name of the git repository around it, in lower case,
without a dot at the start and without .d or .git at the end. A directory in no
repository is of no project, which is called general; so is the home directory.
New pages of a space of the preset guarded name the project that they are
written in by the same rule.`,
		Example: `  cairn project
  cairn project ~/.emacs.d
  cairn query --where projects=$(cairn project) release`,
		Args: command.Need("[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := p.Env.Dir
			if len(args) > 0 {
				dir = args[0]
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(p.Env.Dir, dir)
				}
			}
			return runProject(cmd.Context(), p, filepath.Clean(dir))
		},
	}
}

func runProject(ctx context.Context, p *command.Program, dir string) error {
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		of := a.Spaces.ProjectAt(ctx, dir)
		return p.Record(of, func(out *terminal.Page) { out.Linef("%s", of.Slug) }, func(out *terminal.Page) { out.Linef("%s", of.Slug) })
	})
}
