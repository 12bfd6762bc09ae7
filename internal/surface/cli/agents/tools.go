package agents

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

func newToolsJSON(p *command.Program) *cobra.Command {
	var o command.Toolsets
	cmd := &cobra.Command{
		Use:   "tools-json",
		Short: "Print the tools that agents have, with their schemas and cost",
		Long: `Print the tools as JSON: names, descriptions, schemas of arguments and answers,
and what the list costs an agent in tokens of the built-in model.`,
		Example: `  cairn tools-json
  cairn tools-json --toolsets all | jq '.cost'`,
		Args: command.Need(),
		RunE: func(*cobra.Command, []string) error { return runToolsJSON(p, o) },
	}
	o.AddFlags(cmd)
	return cmd
}

// Tools prints the tools that agents have unless they ask for others.
func Tools(p *command.Program) error {
	return runToolsJSON(p, command.Toolsets{Names: []string{string(operation.Core)}})
}

func runToolsJSON(p *command.Program, o command.Toolsets) error {
	sets, err := o.Sets()
	if err != nil {
		return err
	}
	out := struct {
		Tools []*operation.Tool `json:"tools"`
		Cost  operation.Cost    `json:"cost"`
	}{Tools: []*operation.Tool{}}
	for _, t := range operation.Tools() {
		if t.Offered(sets, o.ReadOnly) {
			out.Tools = append(out.Tools, t)
		}
	}
	if out.Cost, err = operation.Count(out.Tools); err != nil {
		return err
	}
	return p.JSON(out)
}
