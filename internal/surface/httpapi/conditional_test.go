package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// A client that has an answer is spared it while nothing changed.
func TestConditionalReads(t *testing.T) {
	t.Parallel()
	b := vault(t)
	get := func(method, path, tag string) *httptest.ResponseRecorder {
		r := request(method, path, "", "Cairn-Actor", "human:ada")
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, r)
		return w
	}
	b.must("PUT", "/api/v1/pages/ada", `{"text":"Wrote the first program."}`, "Cairn-Actor", "human:ada")
	for _, path := range []string{"/api/v1/pages/ada", "/api/v1/browse?what=pages", "/api/context/ada", "/api/context", "/api/context/state"} {
		first := get("GET", path, "")
		tag := first.Header().Get("ETag")
		if first.Code != http.StatusOK || len(tag) < 3 {
			t.Fatalf("GET %s answers %d with ETag %q", path, first.Code, tag)
		}
		for _, given := range []string{tag, `"x", W/` + tag, "*"} {
			if again := get("GET", path, given); again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
				t.Errorf("GET %s with %s answers %d %s", path, given, again.Code, again.Body)
			}
		}
		if head := get("HEAD", path, ""); head.Code != http.StatusOK || head.Header().Get("ETag") != tag {
			t.Errorf("HEAD %s answers %d with ETag %q", path, head.Code, head.Header().Get("ETag"))
		}
		if other := get("GET", path, `"other"`); other.Code != http.StatusOK {
			t.Errorf("GET %s with another tag answers %d", path, other.Code)
		}
	}
	// The time of a request is no change.
	timed, tags := []string{"/api/v1/activity", "/api/v1/inject", "/api/v1/brief", "/api/v1/briefing", "/api/v1/build-context/ada"}, map[string]string{}
	for _, path := range timed {
		tags[path] = get("GET", path, "").Header().Get("ETag")
	}
	b.later.Store(int64(2 * time.Second))
	for _, path := range timed {
		tag := tags[path]
		if again := get("GET", path, tag); again.Code != http.StatusNotModified {
			t.Errorf("GET %s answers %d after two seconds: %s", path, again.Code, again.Body)
		}
	}
	// Text and JSON have tags of their own.
	text := get("GET", "/api/context/ada", "").Header().Get("ETag")
	r := request("GET", "/api/context/ada", "", "Accept", "application/json", "If-None-Match", text)
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	if asJSON := w.Header().Get("ETag"); w.Code != http.StatusOK || asJSON == text || asJSON == "" {
		t.Errorf("JSON with the tag %s of the text answers %d with %s", text, w.Code, asJSON)
	}
	tag := get("GET", "/api/v1/pages/ada", "").Header().Get("ETag")
	b.must("PATCH", "/api/v1/pages/ada", `{"edits":[{"do":"append","text":"More."}]}`, "Cairn-Actor", "human:ada")
	if got := get("GET", "/api/v1/pages/ada", tag); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "More.") {
		t.Errorf("the changed page answers %d %s", got.Code, got.Body)
	}
	for _, header := range []string{"If-Match", "If-None-Match"} {
		status, problem := b.do(request("PUT", "/api/v1/pages/ada", `{"text":"x"}`, header, tag))
		if status != http.StatusBadRequest || !strings.Contains(problem["hint"].(string), "expected_version") {
			t.Errorf("a write with %s answers %d %v", header, status, problem)
		}
	}
}

// Every list comes in parts, in one way.
func TestParts(t *testing.T) {
	t.Parallel()
	b := vault(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		b.must("PUT", "/api/v1/pages/plans/"+name, `{"text":"About looms."}`, "Cairn-Actor", "human:ada")
	}
	for _, path := range []string{"/api/v1/search?type=plan&query=looms", "/api/v1/search?query=looms", "/api/v1/browse?what=pages&path=plans", "/api/context/plans?"} {
		seen := map[any]bool{}
		next := "0"
		for n := 0; next != "" && n < 20; n++ {
			m := b.must("GET", path+"&limit=1&offset="+next, "")
			items := m["items"].([]any)
			for _, item := range items {
				name := item.(map[string]any)["ref"]
				if name == nil {
					name = item.(map[string]any)["path"]
				}
				if seen[name] || len(items) > 1 {
					t.Errorf("%s has %v twice, or %d items", path, name, len(items))
				}
				seen[name] = true
			}
			next, _ = m["next"].(string)
		}
		if total := b.must("GET", path+"&limit=1", "")["total"]; total != float64(len(seen)) {
			t.Errorf("%s has %d of %v items", path, len(seen), total)
		}
	}
	m := b.must("GET", "/api/v1/search?query=looms&page=2&page_size=1", "")
	if other := b.must("GET", "/api/v1/search?query=looms&limit=1&offset=1", ""); operationtest.At(t, m, "items", 0, "ref") != operationtest.At(t, other, "items", 0, "ref") || m["next"] != other["next"] {
		t.Errorf("the second page is %v, not %v", m, other)
	}
	if m["next_page"] != 3.0 {
		t.Errorf("the page after the second is %v", m["next_page"])
	}
	// An offset within a page has no next page: it would repeat results.
	if m := b.must("GET", "/api/v1/search?query=looms&limit=2&offset=1", ""); m["next_page"] != nil {
		t.Errorf("the page after an offset within a page is %v", m["next_page"])
	}
	for _, path := range []string{"/api/v1/search?query=looms", "/api/v1/build-context/plans/*?"} {
		for _, query := range []string{"&page=2&offset=1", "&page_size=1&limit=2"} {
			if status, problem := b.do(request("GET", path+query, "")); status != http.StatusUnprocessableEntity || !strings.Contains(problem["detail"].(string), "exclude each other") {
				t.Errorf("%s%s answers %d %v", path, query, status, problem)
			}
		}
	}
	if one := b.must("GET", "/api/v1/build-context/plans/*?limit=1", ""); one["next"] != "1" || len(one["results"].([]any)) != 1 {
		t.Errorf("the first of several contexts is %v", one)
	}
	for _, query := range []string{"limit=0", "limit=x", "offset=-1", "limit=1&limit=2", "colour=red"} {
		if status, _ := b.do(request("GET", "/api/context/plans?"+query, "")); status != http.StatusBadRequest {
			t.Errorf("%s answers %d", query, status)
		}
	}
}

// A GET changes nothing, also of an operation that can write.
func TestReadsByGet(t *testing.T) {
	t.Parallel()
	b := vault(t)
	b.must("PUT", "/api/v1/pages/plans/a", `{"text":"- [goal] a loom","type":"plan"}`, "Cairn-Actor", "human:ada")
	before := b.must("GET", "/api/v1/status", "")["pages"]
	for _, path := range []string{"inbox", "routine?all=true", "table?table=sot-bindings", "today", "lint", "schema/infer?type=plan"} {
		b.must("GET", "/api/v1/"+path, "")
	}
	for _, path := range []string{"inbox?done=x", "routine?done=Morning", "table?row=x", "today?text=x", "schema/infer?type=note&save=true", "lint?text=x"} {
		status, problem := b.do(request("GET", "/api/v1/"+path, ""))
		if status != http.StatusBadRequest || !strings.Contains(problem["hint"].(string), "POST") {
			t.Errorf("GET %s answers %d %v", path, status, problem)
		}
	}
	if after := b.must("GET", "/api/v1/status", "")["pages"]; after != before {
		t.Errorf("reading made pages: %v, then %v", before, after)
	}
}
