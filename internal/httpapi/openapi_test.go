package httpapi_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Programs are written against this document: a change of it is to be seen.
func TestOpenAPI(t *testing.T) {
	b := newBed(t)
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, request("GET", "/api/v1/openapi.json", ""))
	name := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(name, w.Body.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, w.Body.Bytes()) {
		t.Errorf("the document is not that of %s any more; if that is meant, write it with -update", name)
	}
}
