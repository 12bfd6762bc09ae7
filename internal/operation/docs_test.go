package operation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/operation"
)

// The table of tools in docs/mcp.md is made from the operations.
func TestDocs(t *testing.T) {
	const file, from, to = "../../docs/mcp.md", "<!-- tools -->\n", "<!-- /tools -->\n"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	var table strings.Builder
	table.WriteString("| Tool | Set | Changes | What it does |\n|---|---|---|---|\n")
	for _, op := range operation.All() {
		changes := "yes"
		if op.ReadOnly {
			changes = "no"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", op.Name, op.Set, changes, op.Description)
	}
	want := head + from + table.String() + to + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(old) {
		t.Errorf("the tools in %s are not those of the table; write them with -update", file)
	}
}
