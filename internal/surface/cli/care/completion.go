package care

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell",
		Long: `Print a script that completes commands, flags, refs, spaces and settings in
bash, zsh, fish or powershell.`,
		Example: `  source <(cairn completion bash)
  cairn completion zsh > "${fpath[1]}/_cairn"
  cairn completion fish > ~/.config/fish/completions/cairn.fish
  cairn completion powershell | Out-String | Invoke-Expression`,
		Args:              command.Need("SHELL"),
		ValidArgsFunction: cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompletion(p, cmd.Root(), args[0])
		},
	}
}

func runCompletion(p *command.Program, root *cobra.Command, shell string) error {
	var b bytes.Buffer
	write := map[string]func() error{
		"bash":       func() error { return root.GenBashCompletionV2(&b, true) },
		"zsh":        func() error { return root.GenZshCompletion(&b) },
		"fish":       func() error { return root.GenFishCompletion(&b, true) },
		"powershell": func() error { return root.GenPowerShellCompletionWithDesc(&b) },
	}[shell]
	if write == nil {
		return kb.Errorf(kb.Usage, "no completion for the shell %q", shell).
			WithHint("Shells are bash, zsh, fish and powershell.")
	}
	if err := write(); err != nil {
		return kb.Errorf(kb.Internal, "cannot write the completion: %w", err)
	}
	return p.Write(b.Bytes())
}
