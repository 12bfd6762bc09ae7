package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// Tables of the policy are there by their names, and their rows by their keys.
func TestTablesByName(t *testing.T) {
	t.Parallel()
	b := vault(t)
	asJSON := func(method, path, body string, more ...string) *http.Response {
		return b.ask(method, path, body, append([]string{"Content-Type", "application/json", "Cairn-Actor", "claude-code"}, more...)...)
	}
	if got := asJSON("PUT", "managed-tasks/Check%20mail", `{"values":{"When":"every day","What":"sort"}}`); got.StatusCode != http.StatusOK || got.Header.Get("ETag") != `"3"` {
		t.Fatalf("PUT answers %d, %s", got.StatusCode, readAll(t, got))
	}
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
	}{
		{"GET", "managed-tasks", "", nil, 200, `"items":[{"key":"Check mail","values":{"Output":"","Task":"Check mail","What":"sort","When":"every day"},"line":21}],"total":1`},
		{"GET", "managed-tasks/check mail", "", nil, 200, `{"key":"Check mail"`},
		{"GET", "managed-tasks/nothing", "", nil, 404, "has no row"},
		{"PATCH", "managed-tasks/Check mail", `{"values":{"When":"hourly"}}`, nil, 200, `"version":4`},
		{"GET", "policies/management", "", nil, 200, "| Check mail | hourly    | sort | |\n"},
		{"PUT", "managed-tasks/Check mail", `{"values":{"When":"now"}}`, []string{"If-Match", `"3"`}, 409, ""},
		{"PUT", "managed-tasks/Check mail", `{"values":{"When":"now"}}`, nil, 200, ""},
		{"GET", "managed-tasks", "", nil, 200, `"What":"","When":"now"`},
		{"PATCH", "managed-tasks/nothing", `{"values":{"When":"hourly"}}`, nil, 404, "has no row"},
		{"PUT", "managed-tasks/x", `{"values":{"Who":"me"}}`, nil, 422, "no column"},
		{"PUT", "managed-tasks/x", `{"value":{}}`, nil, 400, ""},
		{"PUT", "managed-tasks/x", "text", []string{"Content-Type", "text/markdown"}, 415, ""},
		{"PUT", "managed-tasks", `{"values":{}}`, nil, 405, ""},
		{"DELETE", "managed-tasks", "", nil, 405, ""},
		{"PUT", "integrations/Mail", `{"values":{"Mode":"often"}}`, nil, 422, "not one of native"},
		{"PUT", "integrations/Mail", `{"values":{"Mode":"native"}}`, nil, 200, ""},
		{"PUT", "sot-bindings/tasks", `{"values":{"Source of truth":"Org","Mirror":"state/today"}}`, nil, 200, ""},
		{"DELETE", "sot-bindings/tasks", "", nil, 200, ""},
		{"DELETE", "sot-bindings/tasks", "", nil, 404, ""},
		{"GET", "sot-bindings", "", nil, 200, `"items":[],"total":0`},
	} {
		got := asJSON(c.method, strings.ReplaceAll(c.path, " ", "%20"), c.body, c.headers...)
		if text := readAll(t, got); got.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s %s answers %d: %s", c.method, c.path, got.StatusCode, text)
		}
	}
}
