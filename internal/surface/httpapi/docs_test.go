package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// The table of routes in docs/http.md is made from the document that the
// server gives out.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| method | path | tool |\n|---|---|---|\n")
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			op := document.Paths[path][method]
			name := strings.TrimSuffix(strings.TrimSuffix(op.OperationID, "_unnamed"), "_read")
			if strings.HasPrefix(path, "/api/v1/") && slices.ContainsFunc(operation.All(), func(op *operation.Operation) bool { return op.Name == name }) {
				fmt.Fprintf(&table, "| %s | `%s` | `%s` |\n", strings.ToUpper(method), path, name)
			}
		}
	}

	operationtest.Table(t, "../../../docs/http.md", "routes", table.String(), *update)
}
