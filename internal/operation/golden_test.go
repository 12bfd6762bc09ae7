package operation_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/operation"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Programs are written against these schemas: a change of one is to be seen.
func TestSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range operation.All() {
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(op); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", "schemas", op.Name+".json")
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
			t.Errorf("%s is not the schema of %s any more; if that is meant, write it with -update", name, op.Name)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "schemas", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no snapshots: %v", err)
	}
	for _, f := range files {
		if !seen[f] {
			t.Errorf("%s is of no operation", f)
		}
	}
}

// What holds for every tool, whoever adds it.
func TestTable(t *testing.T) {
	names, routes := map[string]bool{}, map[operation.Route]bool{}
	for _, op := range operation.All() {
		if names[op.Name] || routes[op.Route] {
			t.Errorf("%s or its route %v is there twice", op.Name, op.Route)
		}
		names[op.Name], routes[op.Route] = true, true
		if op.Title == "" || op.Description == "" || op.Route.Path == "" {
			t.Errorf("%s has no title, description or route", op.Name)
		}
		if op.ReadOnly && (op.Destructive || op.Route.Method != "GET") || !op.ReadOnly && op.Route.Method == "GET" {
			t.Errorf("%s contradicts itself: read only %t, destructive %t, %s", op.Name, op.ReadOnly, op.Destructive, op.Route.Method)
		}
		if op.Input.Type != "object" || op.Output.Type != "object" {
			t.Errorf("%s takes or answers something that is no object", op.Name)
		}
		for _, required := range op.Input.Required {
			if op.Input.Properties[required] == nil {
				t.Errorf("%s requires %s, which it does not have", op.Name, required)
			}
		}
	}
}
