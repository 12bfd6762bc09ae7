package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/latest":
			_, _ = w.Write([]byte("v0.2.0\n"))
		case "/large":
			_, _ = w.Write([]byte(strings.Repeat("x", 2*fetchMost)))
		case "/moved":
			http.Redirect(w, r, "/latest", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	if text, err := fetch(t.Context(), server.URL+"/latest"); err != nil || string(text) != "v0.2.0\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := fetch(t.Context(), server.URL+"/large"); err != nil || len(text) != fetchMost {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	for path, says := range map[string]string{"/moved": "302", "/gone": "404"} {
		if text, err := fetch(t.Context(), server.URL+path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
