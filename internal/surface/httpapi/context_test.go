package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const atPaths = "/api/context/"

// vault is a server over a space of the preset context.
func vault(t *testing.T) *testServer {
	t.Helper()
	b := newServer(t)
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("context", map[string]string{".keep": ""}), Name: "context", Preset: "context"}))(t)
	return b
}

// ask is one request, and its answer as it comes.
func (b *testServer) ask(method, path, body string, headers ...string) *http.Response {
	b.T.Helper()
	r := request(method, atPaths+path, body)
	if body != "" {
		r.Header.Set("Content-Type", "text/markdown")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	if kind := w.Header().Get("Content-Type"); w.Code >= 400 && kind != "application/problem+json" {
		b.T.Errorf("%s %s answers %d as %s", method, path, w.Code, kind)
	}
	return w.Result()
}

var tableRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\| ([^|]*) \\|$")

// rows reads the table of permissions in docs/context.md: a path for each pattern, and
// the methods of agents there.
func rows(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/context.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| pages | agents may |")
	table, _, _ = strings.Cut(table, "\n\n")
	out := map[string]string{}
	for _, m := range tableRow.FindAllStringSubmatch(table, -1) {
		for _, pattern := range strings.Split(m[1], ", ") {
			path := strings.NewReplacer("`", "", "journal/daily/*", "journal/daily/2026-03-01", "journal/weekly/*", "journal/weekly/2026-W09", "journal/monthly/*", "journal/monthly/2026-03", "*", "a-page", "{date}", "2026-03-01", "{domain}", "work", "{type}", "meetings", "{slug}", "a-page").Replace(pattern)
			out[path] = m[2]
		}
	}
	if len(out) < 25 {
		t.Fatalf("docs/context.md has %d patterns", len(out))
	}
	out["knowledge/wiki/work/00_inbox/a-page"] = ""
	out["policies/skills/mine/SKILL"] = ""
	out["knowledge/repos/cairn/notes"] = ""
	out["notes/a-page"] = ""
	return out
}

// Every row of the table in docs/context.md holds for every method and actor.
func TestPermissionTable(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	b := vault(t)
	actors := map[string][]string{
		"an agent by the owner's token": {"Cairn-Actor", "claude-code"},
		"an agent by its own token":     {"Authorization", "Bearer " + agentToken},
		"a human":                       {"Cairn-Actor", "human:ada"},
	}
	for path, methods := range rows(t) {
		for who, headers := range actors {
			has := func(method string) bool {
				if who == "a human" {
					return path != "knowledge/wiki/work/00_inbox/a-page" && path != "policies/skills/mine/SKILL"
				}
				return strings.Contains(methods, method) || method == http.MethodPatch && strings.Contains(methods, "appending")
			}
			try := func(method, text string) {
				t.Helper()
				got := b.ask(method, path, text, headers...)
				switch {
				case has(method):
					once := path == "journal/agent" && method == http.MethodPut && got.StatusCode == http.StatusConflict
					absent := strings.Contains(methods, "of existing pages") && (got.StatusCode == http.StatusForbidden || got.StatusCode == http.StatusNotFound)
					if got.StatusCode >= 300 && !once && !absent {
						t.Errorf("%s: %s %s answers %d: %s", who, method, path, got.StatusCode, readAll(t, got))
					}
				case has("PUT") || has("PATCH"):
					if allow := got.Header.Get("Allow"); got.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(allow, "PATCH") && !strings.Contains(allow, "PUT") || strings.Contains(allow, method) {
						t.Errorf("%s: %s %s answers %d, and allows %q", who, method, path, got.StatusCode, allow)
					}
				case got.StatusCode != http.StatusForbidden:
					t.Errorf("%s: %s %s answers %d, want 403", who, method, path, got.StatusCode)
				default:
					if why := readAll(t, got); strings.Contains(why, "may not delete") && method != http.MethodDelete {
						t.Errorf("%s: %s %s: %s", who, method, path, why)
					}
				}
			}
			try(http.MethodPut, valid(path)+"\nText of "+who+".\n")
			try(http.MethodPatch, "- more\n")
			if got := b.ask(http.MethodGet, path, "", headers...); got.StatusCode != http.StatusOK && (has("PUT") || path == "journal/agent") && !strings.Contains(methods, "of existing pages") {
				t.Errorf("%s: GET %s answers %d", who, path, got.StatusCode)
			}
			if path != "journal/agent" && (who != "a human" || has("DELETE") && b.ask(http.MethodHead, path, "").StatusCode == http.StatusOK) {
				try(http.MethodDelete, "")
			}
		}
	}
}

// valid is a text that fits the schemas at a path.
func valid(path string) string {
	sections := func(head string, names ...string) string {
		return "---\n" + head + "---\n# A page\n\n## " + strings.Join(names, "\n\n## ") + "\n"
	}
	switch {
	case path == "state/today" || path == "state/yesterday":
		return sections("date: 2026-03-01\n", "User Schedule", "User Tasks", "Agent Plan", "Agent Notes", "Agent Log", "Handoff")
	case path == "plans/roadmap":
		return sections("owner: mixed\n", "Annual Goals", "Quarterly Focus", "Long-term Plans", "Agent Action Plan", "Recurring")
	case strings.HasPrefix(path, "plans/projects/"):
		return sections("state: active\n", "Goal")
	case strings.HasPrefix(path, "journal/daily/"):
		return sections("date: 2026-03-01\nweekday: Sunday\ntype: daily\nowner: agent\nagent_generated: true\ncalendar_events: 2\nmessages_handled: 0\nupdated: 2026-03-02T04:00:00Z\n",
			"Summary", "Schedule", "Tasks", "Conversations")
	case strings.HasPrefix(path, "knowledge/dossiers/"):
		return sections("owner: agent\n", "Standing checklist", "Focus this period", "Open items", "Last run")
	case strings.HasPrefix(path, "policies/routines/custom/"):
		return sections("cron: 0 9 * * 1\n", "Checks")
	}
	return "# A page\n"
}

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Where an agent may change what is the user's only when they asked, a header says that they
// did, for every method.
func TestContextMessage(t *testing.T) {
	t.Parallel()
	b := vault(t)
	file := filepath.Join(b.Home, "context", ".cairn", "space.toml")
	policy := string(apptest.OK(os.ReadFile(file))(t))
	if err := os.WriteFile(file, []byte(strings.Replace(policy, "mode = \"advisory\"\nasked", "mode = \"strict\"\nasked", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, body, kind string }{
		{"PATCH", "identity/profile", "- likes tea\n", "text/markdown"},
		{"PUT", "identity/people", "---\nowner: user\n---\n# People\n", "text/markdown"},
		{"PUT", "managed-tasks/Mail", `{"values":{"When":"daily"}}`, "application/json"},
	} {
		got := b.ask(c.method, c.path, c.body, "Cairn-Actor", "x", "Content-Type", c.kind)
		if text := readAll(t, got); got.StatusCode != 403 || !strings.Contains(text, "Cairn-Message") {
			t.Errorf("%s %s answers %d: %s", c.method, c.path, got.StatusCode, text)
		}
		if got := b.ask(c.method, c.path, c.body, "Cairn-Actor", "x", "Content-Type", c.kind, "Cairn-Message", "The user asked."); got.StatusCode != 200 {
			t.Errorf("%s %s answers %d where they asked: %s", c.method, c.path, got.StatusCode, readAll(t, got))
		}
	}
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	if h := apptest.OK(history.List(t.Context(), a, history.ListRequest{Ref: "context:identity/profile"}))(t).Items; h[0].Message != "The user asked." {
		t.Errorf("%+v", h[0])
	}
}

func TestContextPages(t *testing.T) {
	t.Parallel()
	b := vault(t)
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		holds              string // in the answer
		header             string // Name: value of the answer
	}{
		{"GET", "state/today", "", nil, 200, "## Agent Log", `Etag: "1"`},
		{"GET", "state/today", "", []string{"If-None-Match", `W/"7", "1"`}, 304, "", `Etag: "1"`},
		{"HEAD", "state/today", "", []string{"If-None-Match", "*"}, 304, "", ""},
		{"GET", "state/today", "", []string{"If-None-Match", `"2"`}, 200, "## Agent Log", `Etag: "1"`},
		{"GET", "managed-tasks", "", []string{"If-None-Match", "*"}, 304, "", ""},
		{"GET", "state/today.md", "", nil, 200, "## Agent Log", "Content-Type: text/markdown; charset=utf-8"},
		{"GET", "today", "", []string{"Accept", "application/json"}, 200, `"path":"state/today.md"`, "Content-Type: application/json"},
		{"HEAD", "user/profile", "", nil, 200, "", `Etag: "1"`},
		{"GET", "", "", nil, 200, `{"path":"identity/","pages":7}`, "Content-Type: application/json"},
		{"GET", "user/", "", nil, 200, `"path":"identity/profile.md"`, ""},
		{"GET", "user", "", nil, 200, `"path":"identity/profile.md"`, ""},
		{"PUT", "user", "a", nil, 403, "", ""},
		{"GET", "plans/projects/_active", "", nil, 200, "views:", "Content-Type: text/plain; charset=utf-8"},
		{"PUT", "plans/projects/_active", "views:\n  - type: table\n", nil, 200, `"path":"plans/projects/_active.base"`, ""},
		{"PATCH", "plans/projects/_active", "a", nil, 405, "", "Allow: GET, HEAD, PUT"},
		{"GET", "plans/projects", "", nil, 200, `"path":"plans/projects/_index.md"`, ""},
		{"GET", "plans/projects/none", "", nil, 404, "", ""},
		{"GET", "nowhere/", "", nil, 404, "", ""},
		{"GET", "state/today", "", []string{"Authorization", "Bearer wrong"}, 401, "", ""},
		{"GET", "state/today", "", []string{"Cairn-Space", "none"}, 404, "", ""},
		{"GET", "state/today?x=1", "", nil, 400, "", ""},
		{"GET", "state/today?limit=1", "", nil, 422, "for directories and tables", ""},
		{"GET", "state?limit=1", "", nil, 200, "", ""},
		{"GET", "managed-tasks?offset=0", "", nil, 200, "", ""},
		{"PUT", "agent/scratch/2026-03-01-a", "One.\n", nil, 201, `"path":"state/scratch/2026-03-01-a.md"`, `Etag: "1"`},
		{"PUT", "state/scratch/2026-03-01-a", "Two.\n", []string{"If-None-Match", "*"}, 409, "", ""},
		{"PUT", "state/scratch/2026-03-01-a", "Two.\n", []string{"If-Match", `"1"`}, 200, `"change":"changed"`, `Etag: "2"`},
		{"PUT", "state/scratch/2026-03-01-a", "Three.\n", []string{"If-Match", `"1"`}, 409, `"current_version":2`, ""},
		{"PUT", "state/scratch/2026-03-01-a", "Three.\n", []string{"If-Match", `one`}, 400, "", ""},
		{"PATCH", "state/scratch/2026-03-01-a", "More.\n", []string{"If-Match", "*"}, 200, "", `Etag: "3"`},
		{"PATCH", "state/scratch/2026-03-01-a", `{"edits":[{"do":"replace","find":"Two.","text":"2."}],"expected_version":3}`, []string{"Content-Type", "application/json"}, 200, "", `Etag: "4"`},
		{"PATCH", "state/today", `{"text":"- 09:00 began","section":"Agent Log"}`, []string{"Content-Type", "application/json"}, 200, "", ""},
		{"PATCH", "state/today", `{"edits":[{"do":"delete"}]}`, []string{"Content-Type", "application/json"}, 400, "", ""},
		{"PATCH", "state/today", `{"text":"a","edits":[{"do":"append","text":"b"}]}`, []string{"Content-Type", "application/json"}, 422, "", ""},
		{"PATCH", "state/today", `{}`, []string{"Content-Type", "application/json"}, 422, "", ""},
		{"PATCH", "state/scratch/none", "More.\n", nil, 404, "", ""},
		{"PUT", "state/scratch/b", " ", nil, 422, "", ""},
		{"PUT", "state/scratch/b", "a", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "", ""},
		{"PUT", "state/scratch/b", `{"txt":"a"}`, []string{"Content-Type", "application/json"}, 400, "", ""},
		{"PUT", "state/scratch/b", "\xff", nil, 400, "", ""},
		{"PUT", "state/scratch/b", "AKIAQ3EGRTYUIOPASDFG\n", nil, 422, `"code":"secret"`, ""},
		{"PUT", "journal/agent", "# Mine\n", nil, 409, "made once", ""},
		{"PATCH", "agent/journal", `{"edits":[{"do":"prepend","text":"b"}]}`, []string{"Content-Type", "application/json"}, 403, "appended to", ""},
		{"PATCH", "agent/journal", "- noted\n", nil, 200, "", ""},
		{"PUT", "notes/mine", "a", nil, 403, `"allowed":["GET","HEAD"]`, ""},
		{"DELETE", "state/today", "", nil, 405, "", "Allow: GET, HEAD, PUT, PATCH"},
		{"PUT", "state/", "a", nil, 405, "", "Allow: GET, HEAD"},
		{"POST", "state/today", "a", nil, 405, "", ""},
		{"DELETE", "state/scratch/2026-03-01-a", "", []string{"If-Match", `"3"`}, 409, "", ""},
		{"DELETE", "state/scratch/2026-03-01-a", "", []string{"If-Match", `"4"`}, 200, `"change":"deleted"`, ""},
		{"DELETE", "state/scratch/2026-03-01-a", "", nil, 404, "", ""},
	} {
		got := b.ask(c.method, c.path, c.body, c.headers...)
		text := readAll(t, got)
		name, value, _ := strings.Cut(c.header, ": ")
		if got.StatusCode != c.status || !strings.Contains(text, c.holds) || c.header != "" && got.Header.Get(name) != value {
			t.Errorf("%s %s %v answers %d %v: %s", c.method, c.path, c.headers, got.StatusCode, got.Header, text)
		}
	}
}

// A page that has an old name itself is the one that is meant.
func TestAliasYieldsToPage(t *testing.T) {
	t.Parallel()
	b := vault(t)
	human := []string{"Cairn-Actor", "human:ada"}
	if got := b.ask("GET", "roadmap", "", human...); got.StatusCode != http.StatusOK || !strings.Contains(readAll(t, got), "# Roadmap") {
		t.Fatalf("roadmap answers %d", got.StatusCode)
	}
	b.Dir("context", map[string]string{"roadmap.md": "# My own\n"})
	if text := readAll(t, b.ask("GET", "roadmap", "")); !strings.Contains(text, "# My own") {
		t.Errorf("roadmap is %q", text)
	}
	// The other ways to name a page know the names, too, and no rule is passed by them.
	if got := b.must("GET", "/api/v1/pages/rules/management", ""); got["path"] != nil && got["path"] != "policies/management.md" {
		t.Errorf("rules/management is %v", got)
	}
	status, answer := b.do(request("PUT", "/api/v1/pages/agent/journal", `{"text":"# Mine","expected_version":1}`))
	if status != http.StatusForbidden {
		t.Errorf("writing agent/journal answers %d %v", status, answer)
	}
	if made := b.must("PUT", "/api/v1/pages/monthly/2026-03", `{"text":"# March"}`); !strings.Contains(fmt.Sprint(made), "context:journal/monthly/2026-03") {
		t.Errorf("monthly/2026-03 was made as %v", made)
	}
}

func TestContextOfSeveral(t *testing.T) {
	t.Parallel()
	b := newServer(t)
	if got := b.ask("GET", "", ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("without a memory: %d", got.StatusCode)
	}
	a := apptest.OK(b.memory.Session(t.Context(), true))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("plain", map[string]string{".keep": ""}), Name: "plain"}))(t)
	if got := b.ask("GET", "", ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("with no space that is served: %d", got.StatusCode)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: b.Dir("one", map[string]string{".keep": ""}), Name: "one", Preset: "context"}))(t)
	var list struct{ Space string }
	if err := json.Unmarshal([]byte(readAll(t, b.ask("GET", "", ""))), &list); err != nil || list.Space != "one" {
		t.Errorf("the only one is %q, %v", list.Space, err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "two", Preset: "context", Database: true}))(t)
	if got := b.ask("GET", "", ""); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("of two: %d", got.StatusCode)
	}
	for space, status := range map[string]int{"one": 200, "two": 200, "plain": 404} {
		if got := b.ask("GET", "today", "", "Cairn-Space", space); got.StatusCode != status {
			t.Errorf("%s: %d, want %d", space, got.StatusCode, status)
		}
	}
	if got := b.ask("PUT", "state/scratch/a", "In a database.\n", "Cairn-Space", "two"); got.StatusCode != http.StatusCreated {
		t.Errorf("in a database: %d", got.StatusCode)
	}
	if got := readAll(t, b.ask("GET", "state/scratch/a", "", "Cairn-Space", "two")); got != "In a database.\n" {
		t.Errorf("what was written in a database is %q", got)
	}
	// No other space stands in for the one that is meant, when its policy cannot be read.
	apptest.OK(a.Spaces.Default(t.Context(), "one"))(t)
	if got := b.ask("GET", "state/today", ""); got.StatusCode != http.StatusOK {
		t.Errorf("of two, by default: %d", got.StatusCode)
	}
	b.Dir("one", map[string]string{".cairn/space.toml": "time_zone = \"Mars/Phobos\"\n"})
	for _, method := range []string{"GET", "PUT"} {
		if got := b.ask(method, "state/today", "# Mine\n"); got.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s with a policy that cannot be read: %d", method, got.StatusCode)
		}
	}
}
