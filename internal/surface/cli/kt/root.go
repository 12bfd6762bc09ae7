package kt

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// Meant reports whether a program that was started under this name is to be kt.
func Meant(name string) bool {
	name = filepath.Base(name)
	return strings.EqualFold(strings.TrimSuffix(strings.ToLower(name), ".exe"), "kt")
}

// New returns the commands of kt.
func New(p *command.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "kt",
		Short: "The commands of kt, over the memory of cairn",
		Long: `The command lines of kt, the knowledge tracker, over the memory of cairn: what
they print is as kt prints it. A namespace is a space of that name.

cairn import kt brings the knowledge of kt; cairn itself has many more commands.`,
		Example: `  kt capture "Client X rejected the sprint format" --namespace clients
  kt search "planning cycle"
  kt context`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          command.Subcommand,
	}
	root.SetIn(p.Env.Stdin)
	root.SetErr(p.Env.Stderr)
	root.SetFlagErrorFunc(command.FlagError)
	root.CompletionOptions.DisableDefaultCmd = true
	f := root.PersistentFlags()
	f.StringVarP(&p.Flags.Space, "namespace", "n", "", "the `namespace`: of the working directory where it is left out")
	f.StringVarP(&p.Flags.Format, "format", "f", "", "print as json, human or brief (default: human on a terminal, else json)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return p.Check(cmd) }
	root.AddCommand(
		newCapture(p), newSearch(p), newShow(p), newList(p), newContext(p),
		newStatus(p), newDelete(p), newLink(p), newStale(p), newCompact(p),
		newNamespaces(p), newMap(p), newEmbed(p), newStats(p),
	)
	return root
}

// open opens the memory with the space that kt means: that of --namespace, else the one
// that .kt/config of the project names, else as cairn chooses.
func open(cmd *cobra.Command, p *command.Program, need command.Access, do func(*memory.Session) error) error {
	return p.WithApp(cmd.Context(), need, func(a *memory.Session) error {
		if p.Flags.Space == "" {
			project, err := importer.ProjectOfKT(a)
			if err != nil {
				return err
			}
			if project.Namespace != "" {
				a = a.In(project.Namespace)
			}
		}
		return do(a)
	})
}
