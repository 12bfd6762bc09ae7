package operation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// The table of tools in docs/mcp.md is made from the tools.
func TestDocs(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| Tool | Set | Changes | What it does |\n|---|---|---|---|\n")
	for _, tool := range operation.Tools() {
		changes := "yes"
		if tool.Operation.ReadOnly {
			changes = "no"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", tool.Name, tool.Sets[0], changes, tool.Description)
	}
	operationtest.Table(t, "../../../docs/mcp.md", "tools", table.String(), *update)
}
