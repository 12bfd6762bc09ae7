package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newContest(p *command.Program) *cobra.Command {
	var (
		o   command.Writing
		req change.ContestRequest
	)
	cmd := &cobra.Command{
		Use:   "contest A B --reason WHY",
		Short: "Mark two pages as contested that cannot both hold",
		Long: `Mark two pages as contested and link each to the other with "contradicts", in
one write. Which of them holds is for a person to decide: change the status of
one back to active, and that of the other to superseded.`,
		Example:           `  cairn contest use-tabs use-spaces --reason "The user now indents with spaces."`,
		Args:              command.Need("A", "B"),
		ValidArgsFunction: p.Refs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.A, req.B = args[0], args[1]
			if req.Reason == "" {
				return command.UsageError(cmd, "%s needs --reason", cmd.CommandPath())
			}
			return p.RunWrite(cmd, &o, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				req.WriteOptions = w
				return change.Contest(cmd.Context(), a, req)
			})
		},
	}
	cmd.Flags().StringVar(&req.Reason, "reason", "", "`why` both cannot hold, in a line")
	o.AddFlags(cmd)
	if err := cmd.Flags().MarkHidden("expected-version"); err != nil { // each page has its own
		panic(err)
	}
	return cmd
}
