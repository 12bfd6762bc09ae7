package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Programs are written against this document: a change of it is to be seen.
// What it says of the arguments and answers of operations is held by the golden
// files of package operation, and left out here.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	document := b.must("GET", "/api/v1/openapi.json", "")
	routes := 0
	for _, methods := range document["paths"].(map[string]any) {
		for _, m := range methods.(map[string]any) {
			routes++
			if id, _ := operationtest.At(t, m, "operationId").(string); !strings.Contains(string(apptest.OK(json.Marshal(m))(t)), `"example":`) {
				t.Errorf("%s has no example", id)
			}
			if operationtest.At(t, m, "summary") == "" || operationtest.At(t, m, "description") == "" {
				t.Errorf("%v is not explained", m)
			}
			shape(m)
		}
	}
	if routes < len(operation.All()) {
		t.Errorf("only %d routes are described", routes)
	}
	tags, _ := document["tags"].([]any)
	for _, op := range operation.All() {
		if !slices.ContainsFunc(tags, func(tag any) bool { return operationtest.At(t, tag, "name") == op.Group }) {
			t.Errorf("the tag %s of %s is not described", op.Group, op.Name)
		}
	}
	schemas := operationtest.At(t, document, "components", "schemas").(map[string]any)
	for name := range schemas {
		schemas[name] = true // its fields are those of the answers' schemas
	}
	got, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the document is not that of %s any more; if that is meant, write it with -update", name)
	}
}

// shape takes schemas, explanations and the names of query parameters out of
// what the document says of a route.
func shape(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"schema", "summary", "description", "example"} {
			delete(v, name)
		}
		if list, ok := v["parameters"].([]any); ok {
			v["parameters"] = slices.DeleteFunc(list, func(p any) bool { return p.(map[string]any)["in"] == "query" })
		}
		for _, inner := range v {
			shape(inner)
		}
	case []any:
		for _, inner := range v {
			shape(inner)
		}
	}
}

// Generators for Go make a type of each component and of each schema: no two of them have one
// name, and none is of several types.
func TestOpenAPIForGo(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	newServer(t).server.ServeHTTP(w, request("GET", "/api/v1/openapi.json", ""))
	var document map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for kind, all := range document["components"].(map[string]any) {
		for name := range all.(map[string]any) {
			if other, ok := seen[name]; ok {
				t.Errorf("%s is in %s and in %s", name, other, kind)
			}
			seen[name] = kind
		}
	}
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if types, ok := v["type"].([]any); ok && len(types) > 1 && !slices.Contains(types, any("null")) {
				t.Errorf("%s is of the types %v", at, types)
			}
			for name, inner := range v {
				look(at+"/"+name, inner)
			}
		case []any:
			for i, inner := range v {
				look(fmt.Sprint(at, "/", i), inner)
			}
		}
	}
	look("", document)
}

// Programs load the document, and so do agents: it stays small.
func TestOpenAPISize(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	newServer(t).server.ServeHTTP(w, request("GET", "/api/v1/openapi.json", ""))
	if n := w.Body.Len(); n > 250_000 {
		t.Errorf("the document has %d bytes", n)
	}
}

// What a program sends is described as the operation takes it, each argument
// in one place.
func TestArgumentsAreDescribed(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	document := b.must("GET", "/api/v1/openapi.json", "")
	for _, tc := range []struct {
		path, method string
		want         string // place, name, whether it is required
	}{
		{"/api/v1/pages/{ref}", "get", "path ref true, query section false, query lines false, query version false, query as_of false, query budget false"},
		{"/api/v1/pages/{ref}", "put", "path ref true, body expected_version false, body message false, body dry_run false, body diff false, body text true, body title false, body type false, body tags false"},
		{"/api/v1/pages", "post", "body text true, body ref false"},
		{"/api/v1/links", "post", "body from true, body to true"},
	} {
		got := map[string]bool{}
		op := operationtest.At(t, document, "paths", tc.path, tc.method)
		parameters, _ := operationtest.At(t, op, "parameters").([]any)
		for _, p := range parameters {
			if at, ok := operationtest.At(t, p, "$ref").(string); ok {
				p = operationtest.At(t, document, "components", "parameters", path.Base(at))
			}
			got[fmt.Sprint(operationtest.At(t, p, "in"), " ", operationtest.At(t, p, "name"), " ", operationtest.At(t, p, "required") == true)] = true
		}
		if body := operationtest.At(t, op, "requestBody"); body != nil {
			schema := operationtest.At(t, body, "content", "application/json", "schema")
			required, _ := operationtest.At(t, schema, "required").([]any)
			for name := range operationtest.At(t, schema, "properties").(map[string]any) {
				got[fmt.Sprint("body ", name, " ", slices.Contains(required, any(name)))] = true
			}
			if operationtest.At(t, body, "required") != true {
				t.Errorf("%s %s does not need its body", tc.method, tc.path)
			}
		}
		for _, header := range []string{"Cairn-Space", "Cairn-Actor"} {
			if !got["header "+header+" false"] {
				t.Errorf("%s %s does not take %s", tc.method, tc.path, header)
			}
		}
		for want := range strings.SplitSeq(tc.want, ", ") {
			if !got[want] {
				t.Errorf("%s %s does not have %q but %v", tc.method, tc.path, want, got)
			}
		}
		if got["body ref false"] != (tc.path == "/api/v1/pages") {
			t.Errorf("%s %s has the ref in the body", tc.method, tc.path)
		}
	}
}
