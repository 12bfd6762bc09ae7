package write

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/presets"
)

type newOptions struct {
	command.Writing
	day.NewRequest
	set []string
}

func newNew(p *command.Program) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new TEMPLATE TITLE",
		Short: "Make a page of a template",
		Long: `Make a page of a template, one of

  ` + strings.Join(presets.Templates(), " ") + `

or of the space's own, in .cairn/templates/NAME.md or NAME.org, which win over
these; {{title}} and {{date}} in them are filled in. The page goes into the
directory that the space has for the template's type, else into its folder for
new pages. A page that has the title already is left alone.`,
		Example: `  cairn new person "Ada Lovelace"
  cairn new commitment "Proofs to the printer" --set owner=people/ada --set due=2026-12-01
  cairn new decision "Use SQLite" --set stakeholders=people/ada,people/babbage --dry-run`,
		Args:              command.Need("TEMPLATE", "TITLE"),
		ValidArgsFunction: cobra.FixedCompletions(presets.Templates(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Template, o.Title = args[0], args[1]
			o.Set = make(map[string]string, len(o.set))
			for _, text := range o.set {
				key, value, ok := strings.Cut(text, "=")
				if key = strings.TrimSpace(key); !ok || key == "" {
					return command.UsageError(cmd, "--set %s is not KEY=VALUE", text)
				}
				o.Set[key] = value
			}
			need := command.CreateSynced
			if o.Writing.DryRun {
				need = command.Synced
			}
			return p.RunWriteWith(cmd, &o.Writing, need, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return day.New(cmd.Context(), a, o.NewRequest)
			})
		},
	}
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "set a key of the metadata, as `KEY=VALUE`; again for another")
	o.Writing.AddFlags(cmd)
	return cmd
}
