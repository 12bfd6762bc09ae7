package cli

import "github.com/spf13/cobra"

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of cairn",
		Long:    `Print the version of cairn, the revision that it was built from, and for what.`,
		Example: "  cairn version\n  cairn version --json",
		Args:    need(),
		RunE: func(*cobra.Command, []string) error {
			b := p.env.Build
			text := "cairn " + b.Version
			if b.Revision != "" {
				text += " (" + b.Revision + ")"
			}
			return p.content([]byte(text+"\n"+b.Go+" "+b.Platform+"\n"), b, plainText)
		},
	}
}
