package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// helpOrUnknown explains a command unless it holds only others and the one that
// was named is none of them: --help would explain the command above it then, as
// if that had been meant.
func helpOrUnknown(help func(*cobra.Command, []string), unknown func(error)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if rest := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && cmd.Args != nil && len(rest) > 0 {
			if err := cmd.ValidateArgs(rest); err != nil {
				unknown(err)
				return
			}
		}
		help(cmd, args)
	}
}

// newHelp replaces cobra's help command, which takes an unknown topic for a
// success.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND or TOPIC]",
		Short:   "Explain a command or a topic",
		Long:    `Explain a command, or one of the topics that cairn help lists at its end.`,
		Example: "  cairn help edit\n  cairn help space add\n  cairn help search-language",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return command.Subcommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, c.Name())
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
