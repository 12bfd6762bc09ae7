package httpapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/operation"
)

// Programs are written against this document: a change of it is to be seen.
// The schemas of answers are left out, since package operation has them.
func TestOpenAPI(t *testing.T) {
	b := newBed(t)
	document := b.must("GET", "/api/v1/openapi.json", "")
	schemas := 0
	for _, methods := range document["paths"].(map[string]any) {
		for _, m := range methods.(map[string]any) {
			for _, media := range at(t, m, "responses", "200", "content").(map[string]any) {
				delete(media.(map[string]any), "schema")
				schemas++
			}
		}
	}
	if schemas < len(operation.All()) {
		t.Errorf("only %d answers are described", schemas)
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
