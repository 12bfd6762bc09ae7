package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/surface/login"
	"github.com/cairn-kb/cairn/internal/surface/webui"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Only a server that has the token is believed, and a program that listens learns nothing of it:
// neither the name of the host nor a link.
func TestOnlyTheServerOfTheMemoryIsReached(t *testing.T) {
	t.Parallel()
	const token = "the-token-of-these-tests"
	ui, err := webui.New(webui.Options{Secret: func() string { return token }, Host: login.Host(token), Now: time.Now})
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

// A form of the web UI may have as much as the web UI takes, also where the HTTP server reads
// it: one that is too large comes back with its text, as a page.
func TestLargeForms(t *testing.T) {
	t.Parallel()
	const token = "the-token-of-these-tests"
	b := apptest.New(t)
	ui, err := webui.New(webui.Options{
		Memory: b.Lazy(), Secret: func() string { return token }, Host: login.Host(token), Now: time.Now, Ledger: login.Ledger{Dir: filepath.Join(t.TempDir(), "tickets")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(httpapi.New(httpapi.Options{
		Memory: b.Lazy(), MCP: overHTTP{Handler: http.NotFoundHandler()}, Web: ui, Tokens: func() []httpapi.Token { return []httpapi.Token{{Text: token}} }, Version: "v0.0.0-test",
		Report: func(err error) { t.Errorf("the server reports %v", err) }, Now: time.Now, After: time.After,
	}))
	t.Cleanup(s.Close)
	ada := kb.Actor{Kind: kb.Human, Name: "ada"}
	current, expired := login.New(token, login.Session, ada, time.Now()), login.New(token, login.Session, ada, time.Now().Add(-login.SessionTime))
	for _, tt := range []struct {
		name, session string
		size, want    int
		shows         string
	}{
		{"small", current, 1 << 10, http.StatusOK, "the end"},
		{"2 MB", current, 2 << 20, http.StatusOK, "the end"},
		{"9 MB", current, 9 << 20, http.StatusRequestEntityTooLarge, "the end</textarea>"},
		{"33 MB", current, 33 << 20, http.StatusRequestEntityTooLarge, ""},
		{"2 MB, expired", expired, 2 << 20, http.StatusUnauthorized, "the end</textarea>"},
		{"2 MB of a stranger", "", 2 << 20, http.StatusUnauthorized, "Sign in"},
	} {
		form := url.Values{"ref": {"memory:a"}, "version": {"1"}, "text": {strings.Repeat("x", tt.size) + "\nthe end"}}.Encode()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/preview", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = login.Host(token)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if tt.session != "" {
			r.AddCookie(&http.Cookie{Name: "cairn_session", Value: tt.session})
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			if tt.session != "" && tt.shows != "" {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue // it was answered before all of it was sent
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != tt.want || !strings.Contains(string(text), tt.shows) {
			t.Errorf("%s: %d, %d bytes %.300s, %v", tt.name, answer.StatusCode, len(text), text, err)
		}
	}
}
