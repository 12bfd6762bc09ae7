package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// There are so many sessions over HTTP at most: a new one ends the one that was not used for
// longest, and none with a request that runs.
func TestSessionsOverHTTPAreBounded(t *testing.T) {
	t.Parallel()
	s := New(Options{Memory: newMemory(t)})
	defer s.Close()
	handler := s.Handler()
	web := httptest.NewServer(handler)
	defer web.Close()
	send := func(method, id, body string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		if id != "" {
			r.Header.Set(sessionID, id)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	post := func(id, body string) (int, http.Header) {
		answer := send(http.MethodPost, id, body)
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header
	}
	begin := func() string {
		code, header := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if code != http.StatusOK {
			t.Fatalf("a session: %d", code)
		}
		id := header.Get(sessionID)
		post(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return id
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	listening, used := begin(), begin()
	stream := send(http.MethodGet, listening, "")
	defer stream.Body.Close()
	idle := begin()
	for range maxSessions - 3 {
		begin()
	}
	if code, _ := post(used, ping); code != http.StatusOK {
		t.Fatalf("within the limit: %d", code)
	}
	last := begin()
	n := 0
	for range s.mcp.Sessions() {
		n++
	}
	if n != maxSessions {
		t.Errorf("%d sessions", n)
	}
	for what, c := range map[string]struct {
		id   string
		code int
	}{
		"with a stream": {listening, http.StatusOK}, "used since": {used, http.StatusOK}, "idle": {idle, http.StatusNotFound}, "the last": {last, http.StatusOK},
	} {
		if code, _ := post(c.id, ping); code != c.code {
			t.Errorf("%s: %d, want %d", what, code, c.code)
		}
	}
}
