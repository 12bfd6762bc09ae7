package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/webui"
)

// Only a server that has the token is believed, and a program that listens learns nothing of it:
// neither the name of the host nor a link.
func TestOnlyTheServerOfTheMemoryIsReached(t *testing.T) {
	t.Parallel()
	const token = "the-token-of-these-tests"
	ui, err := webui.New(webui.Options{Secret: func() string { return token }, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	serve := func(do http.HandlerFunc) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Host+r.URL.String())
			do(w, r)
		}))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	own := serve(ui.Prove)
	for _, tt := range []struct {
		name, address, token string
		want                 bool
	}{
		{"the server", own, token, true},
		{"that of another memory", own, "another-token-of-these-tests", false},
		{"no token", own, "", false},
		{"whatever answers", serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }), token, false},
		{"one that leads there", serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+own+r.URL.String(), http.StatusFound)
		}), token, false},
		{"one that passes it on", serve(func(w http.ResponseWriter, r *http.Request) {
			next, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+own+r.URL.String(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := http.DefaultClient.Do(next)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(w, answer.Body)
			_ = answer.Body.Close()
		}), token, false},
		{"nobody", "127.0.0.1:1", token, false},
	} {
		if got := reaches(t.Context(), tt.address, tt.token); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
	for _, a := range asked {
		if strings.Contains(a, login.Host(token)) || strings.Contains(a, token) || strings.Contains(a, "ticket") {
			t.Errorf("a server is told %s", a)
		}
	}
}
