package spaces

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newSpaceMoveHost(p *command.Program) *cobra.Command {
	var req space.MoveHostRequest
	cmd := &cobra.Command{
		Use:   "move-host NAME [DIR]",
		Short: "Make this machine the host of a space",
		Long: `Several machines can have a memory in PostgreSQL open. The files of a directory
are on one of them, its host, which writes and syncs them; the others search and
read its pages. After the directory was copied to this machine, move-host makes
this machine the host. DIR is the directory here (default: the same path as on
the host). All documents must be the same as they were indexed.

The host is the name of the machine, or CAIRN_HOST.`,
		Example: "  cairn space move-host notes ~/notes\n  cairn space move-host notes --dry-run",
		Args:    command.Need("NAME", "[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name, req.Root = args[0], strings.Join(args[1:], "")
			if err := p.PersonOnly("space move-host "+req.Name, "make this machine the host of a space"); err != nil {
				return err
			}
			return oneSpace(cmd.Context(), p, command.Existing, false, func(a *memory.Session) (api.Space, error) {
				return a.Spaces.MoveHost(cmd.Context(), req)
			})
		},
		ValidArgsFunction: p.Spaces,
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "change nothing; compare the documents and print the space as it would be")
	return cmd
}
