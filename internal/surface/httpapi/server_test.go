package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/httpapi"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A program keeps a page through its life: named in the path, in the body or
// by the server, in whatever space it says.
func TestPages(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/people/ada", `{"text":"Wrote the first program.","title":"Ada","tags":["poet"]}`)
	if m := b.must("GET", "/api/v1/pages/people/ada", ""); m["ref"] != "memory:people/ada" || m["version"] != 1.0 {
		t.Errorf("read answers %v", m)
	}
	// As programs write a name into a path that has a slash and more in it.
	if m := b.must("GET", "/api/v1/pages/memory%3Apeople%2Fada", ""); m["title"] != "Ada" {
		t.Errorf("read answers %v", m)
	}
	m := b.must("POST", "/api/v1/pages", `{"text":"Of Jacquard.","title":"A/B looms?"}`)
	slug := operationtest.At(t, m, "pages", 0, "ref")
	if slug != "memory:a-b-looms" {
		t.Errorf("a page without a name is %v", slug)
	}
	if m := b.must("GET", "/api/v1/recall?query=program&tags=poet&limit=3", ""); operationtest.At(t, m, "items", 0, "ref") != "memory:people/ada" {
		t.Errorf("recall answers %v", m)
	}
	b.must("POST", "/api/v1/tags/people/ada", `{"add":["countess"]}`, "Cairn-Actor", "human:byron")
	if m := b.must("GET", "/api/v1/history/people/ada?limit=1", ""); operationtest.At(t, m, "items", 0, "actor") != "human:byron" || m["total"] != 2.0 {
		t.Errorf("the history is %v", m)
	}
	b.must("PATCH", "/api/v1/pages/people/ada", `{"edits":[{"do":"append","text":"More."}]}`)
	b.must("DELETE", "/api/v1/pages/people/ada?expected_version=3&diff=true", "")
	if m := b.must("GET", "/api/v1/history", ""); operationtest.At(t, m, "items", 0, "ref") != "memory:people/ada" || operationtest.At(t, m, "items", 0, "actor") != "agent:http" {
		t.Errorf("what is gone is %v", m)
	}

	a, err := b.memory.Session(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "other"}); err != nil {
		t.Fatal(err)
	}
	m = b.must("POST", "/api/v1/remember", `{"text":"In the space of the first page."}`)
	if operationtest.At(t, m, "pages", 0, "space") != "memory" {
		t.Errorf("without a space it leads to %v", m)
	}
	m = b.must("POST", "/api/v1/remember", `{"text":"Somewhere else."}`, "Cairn-Space", "other")
	if operationtest.At(t, m, "pages", 0, "space") != "other" {
		t.Errorf("the header leads to %v", m)
	}
	m = b.must("POST", "/api/v1/remember", `{"text":"In the first again.","space":"memory"}`, "Cairn-Space", "other")
	if operationtest.At(t, m, "pages", 0, "space") != "memory" {
		t.Errorf("the argument leads to %v", m)
	}
}

// What is wrong is said with the status that fits, and changes nothing.
func TestFailures(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/a", `{"text":"one"}`)
	b.must("PUT", "/api/v1/pages/a", `{"text":"two","expected_version":1}`)
	b.must("PUT", "/api/v1/pages/b", `{"text":"three"}`)
	for _, tc := range []struct {
		method, path, body string
		header             []string
		status             int
		code               string
	}{
		{"GET", "/api/v1/pages/none", "", nil, 404, "not_found"},
		{"GET", "/api/v1/pages/", "", nil, 422, "usage"},
		{"GET", "/api/v1/nothing", "", nil, 404, "not_found"},
		{"GET", "/", "", nil, 404, "not_found"},
		{"GET", "/api/v1/status", "", []string{"Cairn-Space", "none"}, 404, "not_found"},
		{"PUT", "/api/v1/pages/a", `{"text":"x","expected_version":1}`, nil, 409, "conflict"},
		{"PUT", "/api/v1/pages/c", `{"text":"password: hV7#kQ2` + `!wZ9pLx4"}`, nil, 422, "secret"},
		{"PUT", "/api/v1/pages/a%00", `{"text":"x"}`, nil, 422, "invalid"},
		{"GET", "/api/v1/recall?query=x&after=whenever", "", nil, 422, "usage"},
		{"GET", "/api/v1/recall", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&query=y", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&limit=1.5", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&detail=1", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&depth=FULL", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&colour=red", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=%zz", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=%ff", "", nil, 400, "usage"},
		{"GET", "/api/v1/recall?query=x&tags=a&tags=caf%e9", "", nil, 400, "usage"},
		{"GET", "/api/v1/pages/caf%e9", "", nil, 400, "usage"},
		{"POST", "/api/v1/remember", "{\"text\":\"caf\xe9\"}", nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":"\ud800"}`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":"x"}`, []string{"Cairn-Space", "caf\xe9"}, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":5}`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":"x","tags":"one"}`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":"x","title":null}`, nil, 400, "usage"},
		{"POST", "/api/v1/remember?text=x", `{"text":"x"}`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `["text"]`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `null`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":`, nil, 400, "usage"},
		{"POST", "/api/v1/remember", ``, nil, 400, "usage"},
		{"POST", "/api/v1/remember", `{"text":"x"}`, []string{"Content-Type", "text/plain"}, 415, "usage"},
		{"POST", "/api/v1/remember", `{"text":"x"}`, []string{"Cairn-Actor", "robot:x"}, 400, "usage"},
		{"PUT", "/api/v1/pages/a", `{"text":"x","ref":"b"}`, nil, 400, "usage"},
		{"PATCH", "/api/v1/pages/a", `{}`, nil, 400, "usage"},
		{"POST", "/api/v1/pages/a", `{}`, nil, 405, "usage"},
		{"POST", "/api/v1/status", `{}`, nil, 405, "usage"},
	} {
		status, answer := b.do(request(tc.method, tc.path, tc.body, tc.header...))
		if status != tc.status || answer["code"] != tc.code {
			t.Errorf("%s %s %s answers %d %v, want %d %s", tc.method, tc.path, tc.body, status, answer, tc.status, tc.code)
		}
	}
	if m := b.must("GET", "/api/v1/status", ""); m["pages"] != 2.0 {
		t.Errorf("what failed left %v pages", m["pages"])
	}
	_, answer := b.do(request("PUT", "/api/v1/pages/a", `{"text":"x","expected_version":1}`))
	if operationtest.At(t, answer, "details", "current_version") != 2.0 || !strings.Contains(operationtest.At(t, answer, "details", "diff").(string), "+two") {
		t.Errorf("a stale write answers %v", answer)
	}
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, request("POST", "/api/v1/pages/a", ""))
	if got := w.Header().Get("Allow"); got != "DELETE, GET, HEAD, PATCH, PUT" {
		t.Errorf("Allow is %q", got)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, request("HEAD", "/api/v1/status", ""))
	if w.Code != http.StatusOK {
		t.Errorf("HEAD answers %d", w.Code)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	r := httptest.NewRequest("GET", "/healthz", nil)
	r.Host = "localhost:80"
	if _, m := b.do(r); m["status"] != "ready" || m["version"] != "v0.0.0-test" {
		t.Errorf("health is %v", m)
	}
	if _, m := b.do(r); operationtest.At(t, m, "sync", "running") != true || operationtest.At(t, m, "sync", "files") != 0.0 {
		t.Errorf("health is %v", m)
	}
	at := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	b.synced = api.Activity{Since: at, Errors: 1, Files: 2, Events: []api.FileEvent{{At: at, Change: "added", Path: "private.md"}}}
	if _, m := b.do(r); operationtest.At(t, m, "sync", "since") != "2026-11-26T08:00:00Z" || operationtest.At(t, m, "sync", "errors") != 1.0 ||
		!reflect.DeepEqual(operationtest.At(t, m, "sync", "events", 0), map[string]any{"at": "2026-11-26T08:00:00Z", "change": "added"}) {
		t.Errorf("health is %v", m)
	}
	b.faults = []string{"directory"}
	if _, m := b.do(r); m["status"] != "degraded" || operationtest.At(t, m, "faults", 0) != "directory" {
		t.Errorf("health is %v", m)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	b := newServer(t, func(o *httpapi.Options) { o.ReadOnly = true })
	for _, r := range []*http.Request{request("PUT", "/api/v1/pages/a", `{"text":"x"}`), request("POST", "/api/v1/undo", "")} {
		if status, _ := b.do(r); status != http.StatusMethodNotAllowed && status != http.StatusNotFound {
			t.Errorf("%s %s answers %d", r.Method, r.URL, status)
		}
	}
	if m := b.must("GET", "/api/v1/recall?query=x", ""); operationtest.At(t, m, "notes", 0) == "" {
		t.Errorf("recall answers %v", m)
	}
}

// A request that nobody waits for does not go on.
func TestCancelledRequest(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, answer := b.do(request("PUT", "/api/v1/pages/a", `{"text":"x"}`).WithContext(ctx))
	if status != http.StatusServiceUnavailable {
		t.Errorf("it answers %d %v", status, answer)
	}
	if m := b.must("GET", "/api/v1/status", ""); m["pages"] != 0.0 {
		t.Errorf("it wrote: %v", m)
	}
}

// The body is handed on as it is written.
func TestDataStaysAsItIsWritten(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	const data = "{ \"z\" : \"a<b\", \"a\":1.0, \"a\": 2,\n \"n\":null }"
	for _, r := range []*http.Request{
		request("PUT", "/api/v1/pages/ada", `{"text":"Ada."}`), request("POST", "/api/v1/raw/ada", `{"source":"crm","data":`+data+`}`),
		request("POST", "/api/v1/raw/ada", `{"source":"none","data":null}`),
	} {
		if status, answer := b.do(r); status != http.StatusOK {
			t.Fatal(answer)
		}
	}
	a := apptest.OK(b.memory.Session(t.Context(), false))(t)
	for source, want := range map[string]string{"crm": data, "none": "null"} {
		got := apptest.OK(read.ReadSources(t.Context(), a, read.SourcesRequest{Ref: "ada", Source: source}))(t)
		if string(got.Items[0].Data) != want {
			t.Errorf("%s became %s", want, got.Items[0].Data)
		}
	}
}
