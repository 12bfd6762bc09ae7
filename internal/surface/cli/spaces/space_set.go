package spaces

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newSpaceSet(p *command.Program) *cobra.Command {
	var (
		req          space.SetRequest
		unset, about string
	)
	cmd := &cobra.Command{
		Use:   "set [NAME] KEY VALUE",
		Short: "Change a setting of a space",
		Long: `Change a setting of a space's policy, of the current space without NAME. In a
directory this edits .cairn/space.toml and leaves its comments and order alone.

  days           how Logseq calls the page of a day, such as "EEEE, dd.MM.yyyy"
  description    what the space is about, in a line; --description TEXT sets it, too
  folder         where new pages without a path go, such as inbox
  format         of new pages: markdown or org
  gap_hash_only  keep no words of questions that are noted as gaps: true or false
  gap_threshold  questions that are answered with less confidence, from 0 to 1, are
                 noted as gaps; 0 notes none
  names          how their files are named after the title: slug (the-slow-loom.md)
                 or title (The slow loom.md)
  syntax         how notes are written where programs differ: dendron or logseq;
                 pages are read again
  time_zone      in which its days begin, such as Europe/Berlin; timezone, too
  type           of new pages that name no type

Keys of tables are set as well: brief.elsewhere, brief.limit, capture.auto_link,
capture.auto_tags, capture.on_similar, capture.record, capture.similar,
compact.every, compact.max_pages, compact.min_cluster, compact.similarity,
lifecycle.stale_after, lifecycle.unlinked_after, search.mode. docs/capture.md
explains them; cairn space edit changes all of a policy.`,
		Example: `  cairn space set folder inbox
  cairn space set notes names title
  cairn space set notes gap_threshold 0.25
  cairn space set vault timezone Europe/Berlin
  cairn space set clients lifecycle.stale_after 45
  cairn space set notes --unset folder`,
		Args: command.Need("[NAME]", "[KEY]", "[VALUE]"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			names, done := p.Spaces(cmd, args, typed)
			switch {
			case len(args) == 0:
				return append(names, policy.Keys()...), done
			case len(args) == 1 && !slices.Contains(policy.Keys(), args[0]):
				return policy.Keys(), done
			}
			return nil, done
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := 2
			if req.Key = unset; cmd.Flags().Changed("unset") {
				wanted, req.Unset = 0, true
			}
			if cmd.Flags().Changed("description") {
				if req.Unset {
					return command.UsageError(cmd, "%s takes one of --description and --unset", cmd.CommandPath())
				}
				wanted, req.Key, req.Value = 0, "description", about
			}
			if len(args) > wanted {
				req.Name, args = args[0], args[1:]
			}
			if len(args) != wanted {
				return command.UsageError(cmd, "%s needs KEY and VALUE, --description TEXT, or --unset KEY", cmd.CommandPath())
			}
			if wanted > 0 {
				req.Key, req.Value = args[0], args[1]
			}
			return oneSpace(cmd.Context(), p, command.Existing, req.DryRun, func(a *memory.Session) (api.Space, error) {
				return a.Spaces.Set(cmd.Context(), req)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&about, "description", "", "describe the space, in a `line`")
	f.StringVar(&unset, "unset", "", "take this `key` out of the policy")
	f.BoolVar(&req.DryRun, "dry-run", false, "change nothing; print the space as it would be")
	return cmd
}
