package webui_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/webui"
)

// agents are clients of which one is set up.
type agents struct {
	projects map[string]bool // that have settings
}

func (agents) List(context.Context) []webui.Client {
	return []webui.Client{{Name: "one", Title: "One", Found: true, SetUp: true}, {Name: "two", Title: "Two", Found: true}, {Name: "far", Title: "Far"},
		{Name: "kept", Title: "Kept", SetUp: true}, {Name: "other", Title: "Other", Removable: true}}
}

func (a agents) Change(_ context.Context, name, project string, remove, dry bool) (out webui.ClientChange, err error) {
	if project != "" {
		out.Changes = a.projects[project] == remove
		if !dry {
			a.projects[project] = !remove
		}
		out.Files = []webui.ClientFile{{Path: project + "/.mcp.json", Action: "changed"}}
		return out, nil
	}
	out.Next = []string{"Restart it."}
	switch name {
	case "none":
		return out, kb.Errorf(kb.Usage, "unknown client")
	case "kept":
		out.Files = []webui.ClientFile{{Path: "/home/kept.json", Action: "kept", Note: "its entry is left alone"}}
		return out, nil
	case "other":
		out.Files = []webui.ClientFile{{Path: "/home/other.json", Action: "unchanged", Note: "its entry runs something else"}}
	}
	out.Changes = true
	out.Files = append(out.Files, webui.ClientFile{Path: "/home/settings.json", Action: fmt.Sprint("changed ", remove, " ", dry), Diff: "@@ -1 +1 @@\n+cairn aws_access_key_id = AKIAIOSFODNN7EXAMPLQ\n"})
	return out, nil
}

func (agents) Check(_ context.Context, name string) (bool, string) { return true, "tools of " + name }

// The notes of a directory are listed before anything is written, and added by a form only.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.Clients = agents{} })
	dir := b.Dir("my notes", map[string]string{"a.md": "# A\n\nWords.\n", "deep/b.md": "# B <i>\n", ".cairn/space.toml": "preset = \"notes\"\nskills = \"how\"\n"})
	b.signIn()
	if page := b.do("GET", "/").Body.String(); !strings.Contains(page, `href="/start"`) {
		t.Errorf("without a memory, the start page does not lead on: %s", page)
	}
	page := b.do("GET", "/start?dir="+url.QueryEscape(dir)).Body.String()
	for _, want := range []string{"2 notes", "a.md", "deep/", "Nothing has changed yet", "offer the skills in how to agents", "does nothing until you accept it", `action="/start"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the offer lacks %q: %s", want, page)
		}
	}
	if page := b.do("GET", "/spaces").Body.String(); strings.Contains(page, "my-notes") {
		t.Errorf("looking adds it: %s", page)
	}
	if w := b.do("GET", "/start?dir=/no/such/dir"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `value="/no/such/dir"`) {
		t.Errorf("a directory that is not there answers %d %s", w.Code, w.Body)
	}
	if _, err := os.Stat("/no/such/dir"); err == nil {
		t.Error("looking made a directory")
	}
	w := b.post("/start", "dir", dir, "name", "mine")
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "/start?space=mine" {
		t.Fatalf("adding answers %d %s %s", w.Code, to, w.Body)
	}
	page = b.do("GET", "/start?space=mine").Body.String()
	for _, want := range []string{"2 pages", "0 of 2 pages", "cairn setup two", "cairn setup one --check", `action="/check"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the next step lacks %q: %s", want, page)
		}
	}
	if strings.Contains(page, "Far") || strings.Contains(page, "tools of one") {
		t.Error("a client that is not there is shown, or one was started unasked")
	}
	if page = b.post("/check", "client", "one").Body.String(); !strings.Contains(page, "tools of one") {
		t.Errorf("the check shows %s", page)
	}
	if page = b.do("GET", "/spaces").Body.String(); !strings.Contains(page, "not accepted") || !strings.Contains(page, "offer the skills in how to agents") {
		t.Errorf("the policy is not in words: %s", page)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.md"))
	if err != nil || string(text) != "# A\n\nWords.\n" {
		t.Errorf("a note is %q, %v", text, err)
	}
}

// A client is set up by a form, after its changes were shown; credentials next to them are not.
func TestConnect(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.Clients = agents{} })
	b.signIn()
	page := b.do("GET", "/connect?client=two").Body.String()
	for _, want := range []string{"Nothing has changed yet", "/home/settings.json", "changed false true", "+cairn aws_access_key_id = xxxx", "Restart it.", `action="/connect"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the preview lacks %q: %s", want, page)
		}
	}
	if w := b.post("/connect", "client", "two"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/setup?changed=two&done=set-up#agents" {
		t.Errorf("it answers %d %v", w.Code, w.Header())
	}
	if page := b.do("GET", "/connect?client=one&remove=1").Body.String(); !strings.Contains(page, "true true") || !strings.Contains(page, `name="remove" value="1"`) {
		t.Errorf("taking it out shows %s", page)
	}
	if w := b.do("GET", "/connect?client=none"); w.Code != http.StatusBadRequest {
		t.Errorf("a client that is unknown answers %d", w.Code)
	}
	if w := b.post("/connect", "client", "none"); w.Code != http.StatusBadRequest {
		t.Errorf("a client that is unknown answers %d", w.Code)
	}
	r := newBed(t, func(o *webui.Options) { o.Clients, o.ReadOnly = agents{}, true })
	r.signIn()
	if w := r.post("/connect", "client", "two"); w.Code != http.StatusMethodNotAllowed && w.Code != http.StatusNotFound {
		t.Errorf("a server that only reads answers %d", w.Code)
	}
	if page := r.do("GET", "/setup").Body.String(); strings.Contains(page, "/connect") {
		t.Error("a server that only reads offers it")
	}
}

// A client is set up for a project as well: the directory of a space, and no other.
func TestConnectProject(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.Clients = agents{projects: map[string]bool{}} })
	dir := b.Dir("notes", map[string]string{"a.md": "# A\n"})
	b.attach("notes")
	b.signIn()
	if page := b.do("GET", "/connect?client=two").Body.String(); !strings.Contains(page, `<option value="`+dir+`">everyone who works in `) {
		t.Errorf("the project is not offered: %s", page)
	}
	page := b.do("GET", "/connect?client=two&project="+url.QueryEscape(dir)).Body.String()
	if !strings.Contains(page, dir+"/.mcp.json") || !strings.Contains(page, `name="project" value="`+dir+`"`) {
		t.Errorf("the preview of a project is %s", page)
	}
	to := b.post("/connect", "client", "two", "project", dir).Header().Get("Location")
	if page := b.do("GET", strings.TrimSuffix(to, "#agents")).Body.String(); !strings.Contains(page, "It is set up for everyone who works in "+dir) {
		t.Errorf("%s shows %s", to, page)
	}
	if w := b.post("/connect", "client", "two", "project", "/etc"); w.Code != http.StatusBadRequest {
		t.Errorf("a directory that is no space answers %d", w.Code)
	}
	for _, link := range []string{"project=/etc&done=set-up", "project=" + url.QueryEscape(dir) + "&done=taken-out"} {
		if page := b.do("GET", "/setup?changed=two&"+link).Body.String(); strings.Contains(page, "everyone who works in") || strings.Contains(page, "It is taken out") {
			t.Errorf("a link alone, %s, shows %s", link, page)
		}
	}
}

// The result of a form is told by the form, with the notes on entries that were left alone; where
// nothing changes there is no button.
func TestConnectLeavesAlone(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *webui.Options) { o.Clients = agents{} })
	b.signIn()
	page := b.do("GET", "/connect?client=kept&remove=1").Body.String()
	if !strings.Contains(page, "its entry is left alone") || !strings.Contains(page, "Nothing would change.") || strings.Contains(page, `action="/connect"`) || strings.Contains(page, "Restart it.") {
		t.Errorf("a removal that changes nothing shows %s", page)
	}
	for _, tt := range []struct {
		client, remove, to, says, note string
	}{
		{"one", "", "set-up", "It is set up.", ""},
		{"two", "", "set-up", "does not have the tools", ""},
		{"other", "", "set-up", "does not have the tools", "its entry runs something else"},
		{"other", "1", "taken-out", "It is taken out. Restart Other.", "its entry runs something else"},
		{"kept", "1", "nothing", "Nothing was changed.", ""},
	} {
		to := b.post("/connect", "client", tt.client, "remove", tt.remove).Header().Get("Location")
		if want := "/setup?changed=" + tt.client + "&done=" + tt.to + "#agents"; to != want {
			t.Errorf("%s %s leads to %s, want %s", tt.client, tt.remove, to, want)
		}
		page := b.do("GET", strings.TrimSuffix(to, "#agents")).Body.String()
		if !strings.Contains(page, tt.says) || !strings.Contains(page, tt.note) {
			t.Errorf("%s %s lacks %q or %q: %s", tt.client, tt.remove, tt.says, tt.note, page)
		}
	}
	if page := b.do("GET", "/setup").Body.String(); !strings.Contains(page, `href="/connect?remove=1&amp;client=other"`) {
		t.Errorf("what is left of one without the tools cannot be taken out: %s", page)
	}
}

// Where embedding is off nothing goes on; a directory that is a space leads to it; and the foot
// has only commands that exist.
func TestFirstRunOfWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	dir := b.Dir("mine", map[string]string{"a.md": "# A\n"})
	b.signIn()
	if page := b.do("GET", "/start?dir="+url.QueryEscape(dir)).Body.String(); !strings.Contains(page, `action="/start"`) || strings.Contains(page, "cairn call space_create") {
		t.Errorf("the offer is %s", page)
	}
	b.post("/start", "dir", dir, "name", "notes-of-mine")
	settings := space.Path(b.Opts.Place)
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("embed = \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/start?space=notes-of-mine", "/start?dir=" + url.QueryEscape(dir), "/start?dir=" + url.QueryEscape(dir+"/"), "/health"} {
		w := b.do("GET", path)
		page := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(page, "Embedding is off: 0 of 1 pages") || strings.Contains(page, "data-again") {
			t.Errorf("%s shows %d %s", path, w.Code, page)
		}
		if path != "/health" && !strings.Contains(page, "notes-of-mine is in the memory") {
			t.Errorf("%s does not lead to the space: %s", path, page)
		}
	}
}

// Words to complete what is typed are those of the space.
func TestWords(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("a", "A", "---\nborn: 1815\ntags: [maths]\n---\n- near [[b]]\n")
	b.put("b", "B", "Text.\n")
	b.signIn()
	w := b.do("GET", "/words.json?space=memory")
	for _, want := range []string{`"maths"`, `"near"`, `"born"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the words lack %s: %s", want, w.Body)
		}
	}
}

// Today names what agents wrote last with faults, and without links to pages that it names.
func TestTodayLooksAtWhatAgentsWrote(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.put("engine", "Analytical Engine", "Text.\n")
	b.byAgent("note", "---\ntags: [a\n---\n# Note\n\nAbout the Analytical Engine.\n")
	b.signIn()
	page := b.do("GET", "/today").Body.String()
	for _, want := range []string{"no link", "Analytical Engine</a>", ">lint<"} {
		if !strings.Contains(page, want) {
			t.Errorf("Today lacks %q: %s", want, page)
		}
	}
}

// A board is drawn: its cards lead to their pages, and their text is escaped.
func TestCanvas(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Dir("notes", map[string]string{"a.md": "# A\n", "board.canvas": `{"nodes":[{"id":"1","type":"text","text":"<script>alert(1)</script> & a long text that takes several lines of the card","x":0,"y":0,"width":200,"height":120},{"id":"2","type":"file","file":"a.md","x":300,"y":0,"width":200,"height":60},{"id":"3","type":"group","label":"Group <b>","x":-20,"y":-20,"width":600,"height":200}],"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"leads \"to\""}]}`})
	b.attach("notes")
	b.signIn()
	page := b.do("GET", "/page/notes:board.canvas").Body.String()
	for _, want := range []string{`<svg class="canvas"`, `<a href="/page/notes:a.md">`, "Group &lt;b&gt;", "&lt;script&gt;", "<line "} {
		if !strings.Contains(page, want) {
			t.Errorf("the board lacks %s: %s", want, page)
		}
	}
	if strings.Contains(page, "<script>alert") {
		t.Error("a card runs a script")
	}
	if w := b.do("GET", "/page/notes:a.md"); w.Code != http.StatusOK {
		t.Errorf("the card leads to %d", w.Code)
	}
}

// A board of any size is drawn within bounds, and as fast as another.
func TestCanvasWithinBounds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("word ", 40_000)
	b.Dir("notes", map[string]string{"board.canvas": `{"nodes":[{"id":"1","type":"text","text":"` + long + `","x":0,"y":0,"width":1e9,"height":1e9},
		{"id":"2","type":"text","text":"far","x":1e308,"y":-1e308,"width":1e308,"height":-5},{"id":"3","type":"group","label":"G","x":-1e308,"y":1e308,"width":1e308,"height":1e308}],
		"edges":[{"fromNode":"1","toNode":"2"}]}`})
	b.attach("notes")
	b.signIn()
	start := time.Now()
	page := b.do("GET", "/page/notes:board.canvas").Body.String()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it takes %v", took)
	}
	if !strings.Contains(page, `viewBox="-100024 -100024 300048 300048"`) || strings.Contains(page, "Inf") || strings.Contains(page, "NaN") || !strings.Contains(page, ">far<") {
		at := strings.Index(page, "viewBox")
		t.Errorf("the board is %.300s", page[max(at, 0):])
	}
}
