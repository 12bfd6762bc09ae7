package spaces

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/presets"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newSpaceMigrate(p *command.Program) *cobra.Command {
	var (
		bring  []string
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Move pages from an older layout to where the policy has them",
		Long: `Move the pages of the current space that have a name of an older layout, as
[[alias]] in its policy lists them, to where these lead, such as user/profile to
identity/profile. Links follow. The moves are one write, which cairn undo takes
back; a second run finds nothing to do.

A page that the preset made, and that nobody changed since, gives way, in a
write of its own before. An index
that is generated now keeps the text of its older page below. Where both pages
have been written, and where a page does not fit the schema of its new place,
both stay and are listed as kept.

--bring makes a page of a file that was kept outside the directory.`,
		Example: `  cairn space migrate --space context --dry-run
  cairn space migrate --space context --bring ~/.agent/integrations.md=policies/integrations`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.PersonOnly("space migrate", "change the policy of a space"); err != nil {
				return err
			}
			req := presets.MigrateRequest{WriteOptions: api.WriteOptions{DryRun: dryRun}}
			for _, b := range bring {
				file, to, ok := strings.Cut(b, "=")
				if !ok || file == "" || to == "" {
					return command.UsageError(cmd, "--bring takes FILE=PAGE")
				}
				text, err := (&command.Input{File: file}).ReadText(cmd.Context(), p, cmd, nil)
				if err != nil {
					return err
				}
				req.Bring = append(req.Bring, presets.Brought{From: file, To: to, Text: text})
			}
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				done, err := presets.Migrate(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				line := func(m api.MigratedPage) string {
					if m.State == "kept" {
						return m.From + " stays: " + m.Why
					}
					text := m.State + " " + m.From + " to " + m.To
					if m.Why != "" {
						text += "; " + m.Why
					}
					return text
				}
				return p.Did(done, func(o *terminal.Page) {
					for _, m := range done.Items {
						o.Linef("%s", line(m))
					}
					if done.Total == 0 {
						o.Linef("all pages are where the policy has them")
					}
				}, func(o *terminal.Page) {
					for _, m := range done.Items {
						o.Linef("%s\t%s\t%s", m.State, m.From, m.To)
					}
				})
			})
		},
	}
	cmd.Flags().StringArrayVar(&bring, "bring", nil, "make a page of a file outside, as `FILE=PAGE`; repeatable")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "list what would be moved; write nothing")
	return cmd
}
