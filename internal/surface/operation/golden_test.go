package operation_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Programs are written against these schemas: a change of one is to be seen.
func TestSchemas(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tool := range operation.Tools() {
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(tool); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", "schemas", tool.Name+".json")
		seen[name] = true
		if *update {
			if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v; make it with -update", err)
		} else if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s is not the schema of %s any more; if that is meant, write it with -update", name, tool.Name)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "schemas", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no snapshots: %v", err)
	}
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s is of no tool", f)
		}
	}
}

// What holds for every operation, whoever adds it: it has a route of its own,
// and package httpapi serves them all.
func TestOperations(t *testing.T) {
	t.Parallel()
	names, routes := map[string]bool{}, map[operation.Route]bool{}
	for _, op := range operation.All() {
		if names[op.Name] || routes[op.Route] {
			t.Errorf("%s or its route %v is there twice", op.Name, op.Route)
		}
		names[op.Name], routes[op.Route] = true, true
		if op.Title == "" || op.Description == "" || op.Group == "" {
			t.Errorf("%s has no title, description or group", op.Name)
		}
		if !strings.HasPrefix(op.Route.Path, "/") {
			t.Errorf("%s has the route %v", op.Name, op.Route)
		}
		reads := op.Route.Method == "GET" || op.Route.Method == "POST" && op.ReadOnly && op.Input().Properties["text"] != nil // a text is too long for a query
		if op.ReadOnly && op.Destructive || op.ReadOnly != reads {
			t.Errorf("%s contradicts itself: read only %t, destructive %t, %s", op.Name, op.ReadOnly, op.Destructive, op.Route.Method)
		}
		checkShape(t, op.Name, op.Input(), op.Output())
	}
	if len(names) == 0 {
		t.Error("there are no operations")
	}
}

// What holds for every tool, whoever adds it.
func TestTools(t *testing.T) {
	t.Parallel()
	checkTools(t, operation.Tools())
	if got := len(operation.Tools()); got < len(operation.All()) {
		t.Errorf("there are %d tools for %d operations", got, len(operation.All()))
	}
}

// checkTools holds what an agent relies on in a list of tools, and that all of
// them are operations that programs can reach.
func checkTools(t *testing.T, tools []*operation.Tool) {
	t.Helper()
	names := map[string]bool{}
	for _, tool := range tools {
		if names[tool.Name] {
			t.Errorf("%s is there twice", tool.Name)
		}
		names[tool.Name] = true
		if tool.Title == "" || tool.Description == "" || len(tool.Sets) == 0 {
			t.Errorf("%s has no title, description or set", tool.Name)
		}
		if !slices.Contains(operation.All(), tool.Operation) {
			t.Errorf("%s is no operation of the table", tool.Name)
		}
		checkShape(t, tool.Name, tool.Input(), tool.Output())
	}
}

func checkShape(t *testing.T, name string, input, output *jsonschema.Schema) {
	t.Helper()
	if input.Type != "object" || output.Type != "object" {
		t.Errorf("%s takes or answers something that is no object", name)
	}
	for _, required := range input.Required {
		if input.Properties[required] == nil {
			t.Errorf("%s requires %s, which it does not have", name, required)
		}
	}
}
