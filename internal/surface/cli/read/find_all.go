package read

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newFindAll(p *command.Program) *cobra.Command {
	o := searchOptions{mode: string(api.ModeHybrid), exhaustive: true}
	cmd := &cobra.Command{
		Use:   "find-all [QUESTION...]",
		Short: "Find every page that bears on a question",
		Long: `Find every page that bears on a question, for lists, counts and contradictions,
where the best ten pages are not enough. The answer comes in parts: --offset
continues it.

A page bears on a question if its name is the question, if it has half of the
question's words, or 30 % of them by how rare they are, or if a passage of it
has a similarity of 0.6 or more to the question (on the scale of the built-in
model).
The answer ends with a statement of completeness: how this was decided, how many
pages were left out, how close the best of these came, and which pages could not
be compared. find-all takes the same filters as search.`,
		Example: `  cairn find-all "which restaurants did we try?"
  cairn find-all pricing decisions --after 2026-01-01 --limit 50
  cairn find-all "who works on the parser" --offset 20 --json`,
		Args: command.AtLeast(0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.words = strings.Join(args, " "); strings.TrimSpace(o.words) == "" && !o.filtered() {
				return command.UsageError(cmd, "%s needs QUESTION, or a filter", cmd.CommandPath())
			}
			return runSearch(cmd.Context(), p, o, true)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.AddFlags(cmd, 20)
	o.addFilters(cmd)
	cmd.Flags().BoolVar(&o.noEmbed, "no-embed", false, "do not embed pages first")
	cmd.Flags().BoolVar(&o.explain, "explain", false, "show the ranking of each hit")
	return cmd
}
