package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/operation"
)

func newToolsJSON(p *program) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "tools-json",
		Short: "Print the tools that agents have, with their schemas and cost",
		Long: `Print the tools as JSON: names, descriptions, schemas of arguments and answers,
and what the list costs an agent in tokens of the built-in model.`,
		Example: `  cairn tools-json
  cairn tools-json --toolsets all | jq '.cost'`,
		Args: need(),
		RunE: func(*cobra.Command, []string) error { return runToolsJSON(p, o) },
	}
	o.addFlags(cmd)
	return cmd
}

func runToolsJSON(p *program, o mcpOptions) error {
	sets, err := o.sets()
	if err != nil {
		return err
	}
	out := struct {
		Tools []*operation.Operation `json:"tools"`
		Cost  operation.Cost         `json:"cost"`
	}{Tools: []*operation.Operation{}}
	for _, op := range operation.All() {
		if slices.Contains(sets, op.Set) && (op.ReadOnly || !o.readOnly) {
			out.Tools = append(out.Tools, op)
		}
	}
	if out.Cost, err = operation.Count(out.Tools); err != nil {
		return err
	}
	return p.json(out)
}
