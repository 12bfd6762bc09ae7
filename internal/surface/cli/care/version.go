package care

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newVersion(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of cairn",
		Long: `Print the version of cairn, the revision that it was built from, and for what.
--json has json_version, too: the version of the JSON that all commands, tools
and routes print. See docs/compatibility.md.`,
		Example: "  cairn version\n  cairn version --json",
		Args:    command.Need(),
		RunE: func(*cobra.Command, []string) error {
			b := p.Env.Build
			b.JSON = api.JSONVersion
			text := "cairn " + b.Version
			if b.Revision != "" {
				text += " (" + b.Revision + ")"
			}
			return p.Content(text+"\n"+b.Go+" "+b.Platform+"\n", b, command.PlainText)
		},
	}
}
