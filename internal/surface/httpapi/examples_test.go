package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// exampleFile is what package httpapi embeds.
const exampleFile = "examples.json"

// example is a request of the document, and the answer to it.
type example struct {
	Operation string                     `json:"operation"`
	Path      map[string]string          `json:"path,omitempty"`
	Query     map[string]json.RawMessage `json:"query,omitempty"`
	Body      json.RawMessage            `json:"body,omitempty"`
	Answer    json.RawMessage            `json:"answer,omitempty"`
}

// guarded are the operations that only a space in git has, which the examples lack.
var guarded = []string{"commit", "index", "index_read", "pull", "push", "source_add"}

// longestAnswer keeps the document small: a longer answer is not an example.
const longestAnswer = 500

// Every operation has an example that works: the request is answered, and the answer that the
// document shows is of the schema beside it. With -update the answers are written again.
func TestExamples(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one request after the other, for each operation")
	b := newServer(t)
	b.must("PUT", "/api/v1/pages/people/byron", `{"text":"A poet."}`)
	for _, at := range []string{`"object":"Pisa"`, `"object":"Venice"`} {
		b.must("POST", "/api/v1/assertions", `{"subject":"people/byron","predicate":"lives_in",`+at+`,"since":"1821"}`)
		b.must("POST", "/api/v1/assertions", `{"subject":"people/byron","predicate":"born_in",`+at+`,"since":"1788"}`)
	}
	a := apptest.OK(b.memory.Session(t.Context(), false))(t)
	for _, add := range []space.AddRequest{
		{Root: b.Dir("vault", map[string]string{"state/scratch/a.md": "# A\n"}), Name: "vault", Preset: "context"},
		{Root: b.Dir("files", map[string]string{"notes/loom.txt": "Cards, laced.\n"}), Name: "files", Preset: "notes"},
	} {
		apptest.OK(gitsync.AddSpace(t.Context(), a, add))(t)
	}
	document := b.must("GET", "/api/v1/openapi.json", "")
	routes := map[string]described{}
	for path, methods := range document["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			if method != "head" {
				routes[operationtest.At(t, op, "operationId").(string)] = described{strings.ToUpper(method), path, op}
			}
		}
	}
	schemas := operationtest.At(t, document, "components", "schemas")

	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{} // that the server made, by those of the file
	for i := range all {
		e := &all[i]
		r, ok := routes[e.Operation]
		if !ok {
			t.Errorf("there is no operation %s", e.Operation)
			continue
		}
		delete(routes, e.Operation)
		status, answer := b.request(b.example(*e, r, ids))
		if status >= 300 && !slices.Contains(guarded, e.Operation) {
			t.Errorf("%s answers %d %s", e.Operation, status, answer)
			continue
		}
		if status >= 300 {
			e.Answer = nil
			continue
		}
		shown := e.Answer
		if *update {
			shown = b.hideHome(answer)
		} else if shown == nil {
			shown = answer
		}
		if e.Answer != nil {
			pairIDs(numbered(t, e.Answer), numbered(t, answer), ids)
		}
		schema := operationtest.At(t, r.op, "responses", "200", "content", "application/json", "schema")
		if schema != nil {
			operationtest.Valid(t, e.Operation, schema, schemas, decoded(t, shown))
		}
		if *update {
			if e.Answer = shown; len(shown) > longestAnswer && e.Operation != "check" { // whose ids are in requests
				e.Answer = nil
			}
		}
	}
	for name := range routes {
		if name != "events" {
			t.Errorf("%s has no example: add a request to %s", name, exampleFile)
		}
	}
	if *update {
		var out bytes.Buffer
		out.WriteString("[\n")
		for i, e := range all {
			line := string(apptest.OK(json.Marshal(e))(t))
			for old, new := range ids { // the ids of the answers are those of the requests after them
				line = strings.ReplaceAll(line, old, new)
			}
			out.WriteString(line + map[bool]string{true: "\n", false: ",\n"}[i == len(all)-1])
		}
		out.WriteString("]\n")
		if err := os.WriteFile(exampleFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// described is an operation of the document.
type described struct {
	method, path string
	op           any
}

// home is the home directory in examples.
const home = "/home/ada"

// example makes the request of an example, with ids as the server has them.
func (b *testServer) example(e example, r described, ids map[string]string) *http.Request {
	replace := func(text string) string {
		for old, new := range ids {
			text = strings.ReplaceAll(text, old, new)
		}
		return text
	}
	path := r.path
	for name, value := range e.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	query := url.Values{}
	for name, raw := range e.Query {
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			query[name] = list
			continue
		}
		var one string
		if json.Unmarshal(raw, &one) != nil {
			one = string(raw)
		}
		query[name] = []string{replace(one)}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	in := "memory"
	if strings.HasPrefix(r.path, "/api/context") {
		in = "vault"
	}
	return request(r.method, path, strings.ReplaceAll(replace(string(e.Body)), home, b.Home), "Cairn-Space", in, "Cairn-Actor", "human:ada", "Accept", "application/json")
}

// request answers a request, with the bytes of the answer.
func (b *testServer) request(r *http.Request) (int, json.RawMessage) {
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	return w.Code, bytes.TrimSpace(w.Body.Bytes())
}

// hideHome puts a person's directory into an answer instead of the test's.
func (b *testServer) hideHome(answer json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.ReplaceAll(string(answer), b.Home, home))
}

func decoded(t *testing.T, text json.RawMessage) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// numbered decodes with numbers as they are written.
func numbered(t *testing.T, text json.RawMessage) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// anID is a name that a server makes up.
var anID = regexp.MustCompile(`^[0-9a-f]{8}-|^[a-z]+-[0-9a-f]{4,}$|^[0-9a-f]{12,}$`)

// pairIDs notes which ids of the new answer are where the old one has its ids.
func pairIDs(old, new any, ids map[string]string) {
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			for k, v := range o {
				pairIDs(v, n[k], ids)
			}
		}
	case []any:
		if n, ok := new.([]any); ok {
			for i := range min(len(o), len(n)) {
				pairIDs(o[i], n[i], ids)
			}
		}
	case string, json.Number:
		if was, is := fmt.Sprint(old), fmt.Sprint(new); was != is && anID.MatchString(was) && anID.MatchString(is) {
			ids[was] = is
		}
	}
}
