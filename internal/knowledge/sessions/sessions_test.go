package sessions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/transfer/foreign/foreigntest"
)

const line = `{"type":"user","message":{"role":"user","content":"TEXT"},"timestamp":"2026-11-20T10:00:00.000Z","cwd":"DIR","sessionId":"ID","gitBranch":"main"}` + "\n"

// said is a line in which a person wrote a text.
func said(id, dir, text string) string {
	return strings.NewReplacer("TEXT", text, "DIR", dir, "ID", id).Replace(line)
}

// bed is a home with a session of Claude Code in each of two directories.
func bed(t *testing.T) (b *apptest.Bed, transcripts string) {
	t.Helper()
	b = apptest.New(t)
	transcripts = filepath.Join(b.Home, ".claude", "projects")
	put(t, filepath.Join(transcripts, "-src-api", "one.jsonl"), said("one", "/src/api", "Make the retries back off"))
	put(t, filepath.Join(transcripts, "-src-web", "two.jsonl"), said("two", "/src/web", "Paint the button"))
	put(t, filepath.Join(transcripts, "-src-web", "two", "subagents", "agent-x.jsonl"), said("two", "/src/web", "A task of a sub-agent"))
	return b, transcripts
}

// put adds to a file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func attach(t *testing.T, a *memory.Session, req sessions.AttachRequest) {
	t.Helper()
	apptest.OK(sessions.Attach(t.Context(), a, req))(t)
}

// find returns the hits for words in the sessions, after a look for changes.
func find(t *testing.T, a *memory.Session, words string) []api.Hit {
	t.Helper()
	in := a.In(sessions.Name)
	apptest.OK(read.Freshen(t.Context(), in, read.FreshenRequest{}))(t)
	return apptest.OK(read.Search(t.Context(), in, retrieve.SearchRequest{Query: words}))(t).Items
}

func TestSessionsAreFound(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	hits := find(t, a, "retries")
	if len(hits) != 1 || hits[0].Said == nil || hits[0].Said.Resume != "claude --resume one" || hits[0].Said.Turn != 1 || hits[0].Said.At == nil {
		t.Fatalf("%+v", hits)
	}
	if hits := find(t, a, "sub-agent"); len(hits) > 0 {
		t.Errorf("a sub-agent has a page of its own: %+v", hits)
	}
	one := filepath.Join(transcripts, "-src-api", "one.jsonl")
	before := apptest.OK(os.ReadFile(one))(t)

	// An appended line is found once it is whole.
	text := said("one", "/src/api", "Use a jitter, the key is AKIA"+"Z2PLQ7VRXK4MDN6T")
	put(t, one, text[:len(text)-20])
	if hits := find(t, a, "jitter"); len(hits) > 0 {
		t.Errorf("half a line: %+v", hits)
	}
	put(t, one, text[len(text)-20:])
	hits = find(t, a, "jitter")
	if len(hits) != 1 || hits[0].Said.Turn != 2 {
		t.Fatalf("%+v", hits)
	}
	page := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: hits[0].Ref}))(t)
	if strings.Contains(page.Text, "Z2PLQ7") || !strings.Contains(page.Text, "the key is xxxx") || strings.Count(page.Text, "Make the retries") != 2 { // title and turn
		t.Errorf("page:\n%s", page.Text)
	}
	if after := string(apptest.OK(os.ReadFile(one))(t)); after != string(before)+text {
		t.Errorf("the transcript was written:\n%s", after)
	}

	// The page outlives the transcript.
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	if hits := find(t, a, "jitter"); len(hits) != 1 {
		t.Errorf("after the client deleted the transcript: %+v", hits)
	}
	l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Project: "/src/api"}))(t)
	if l.Total != 1 || !l.Items[0].Gone || l.Items[0].Title != "Make the retries back off" || l.Items[0].Ref != hits[0].Ref {
		t.Errorf("%+v", l)
	}
	if l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Project: "web", Since: "2026-11-01"}))(t); l.Total != 1 || l.Items[0].ID != "two" {
		t.Errorf("%+v", l)
	}
	if l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Since: "2026-11-21"}))(t); l.Total != 0 {
		t.Errorf("%+v", l)
	}
}

// A transcript that was written again is read from its start, also if it is longer than before. Its last
// line needs no line end.
func TestTranscriptsThatAreWrittenAgain(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	one := filepath.Join(transcripts, "-src-api", "one.jsonl")
	for _, text := range []string{
		said("one", "/src/api", "Cap the delay") + said("one", "/src/api", "Log each attempt"),
		strings.TrimSpace(said("one", "/src/api", "Measure the delay")),
	} {
		if err := os.WriteFile(one, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if hits := find(t, a, "retries"); len(hits) > 0 {
			t.Errorf("%s: the old text is found: %+v", text, hits)
		}
		hits := find(t, a, "delay")
		if len(hits) != 1 || hits[0].Said.Turn != 1 {
			t.Errorf("%s: %+v", text, hits)
		}
	}
	put(t, one, "\n"+said("one", "/src/api", "Then stop"))
	if hits := find(t, a, "stop"); len(hits) != 1 || hits[0].Said.Turn != 2 {
		t.Errorf("%+v", hits)
	}
	if l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Project: "/src/api"}))(t); l.Total != 1 || len(l.Items[0].Unknown) > 0 {
		t.Errorf("%+v", l)
	}
}

// A session that is one object stays while only a part of it is written.
func TestObjectsThatAreHalfWritten(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	chat := filepath.Join(b.Home, ".gemini", "tmp", "api", "chats", "session-1.json")
	text := func(more string) string {
		return `{"sessionId":"one","startTime":"2026-11-20T10:00:00Z","messages":[{"id":"1","type":"user","content":"Make the retries back off"}` + more + `]}`
	}
	put(t, chat, text(""))
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	if hits := find(t, a, "retries"); len(hits) != 1 {
		t.Fatalf("%+v", hits)
	}
	for _, half := range []string{text("")[:40], "", text(`,{"id":"2","type":"gemini","content":"Done`)} {
		if err := os.WriteFile(chat, []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		if hits := find(t, a, "retries"); len(hits) != 1 {
			t.Errorf("%q: %+v", half, hits)
		}
	}
	if err := os.WriteFile(chat, []byte(text(`,{"id":"2","type":"gemini","content":"Done"}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if hits := find(t, a, "done"); len(hits) != 1 || hits[0].Said.Turn != 2 {
		t.Errorf("%+v", hits)
	}
}

func TestOldVersionsOfSessionsArePruned(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	for range 70 {
		put(t, filepath.Join(transcripts, "-src-api", "one.jsonl"), said("one", "/src/api", "Again"))
		find(t, a, "again")
	}
	hit := find(t, a, "again")[0]
	if hit.Version < 70 {
		t.Fatalf("version %d", hit.Version)
	}
	if _, err := read.Get(t.Context(), a, read.GetRequest{Ref: hit.Ref, Version: 3}); err == nil {
		t.Error("the text of version 3 is kept")
	}
}

func TestPolicySaysWhatIsRead(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{Clients: []string{"claude"}, Directories: []string{"/src/web"}})
	if hits := find(t, a, "retries"); len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
	if hits := find(t, a, "button"); len(hits) != 1 {
		t.Errorf("%+v", hits)
	}
	set := func(key, value string) {
		t.Helper()
		apptest.OK(a.Spaces.Set(t.Context(), space.SetRequest{Name: sessions.Name, Key: key, Value: value}))(t)
	}
	set("sessions.directories", "")
	set("sessions.except", "/src/web")
	if hits := find(t, a, "retries"); len(hits) != 1 {
		t.Errorf("%+v", hits)
	}
	if hits := find(t, a, "button"); len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
	set("sessions.days", "1")
	old := time.Now().AddDate(0, 0, -3)
	if err := os.Chtimes(filepath.Join(transcripts, "-src-api", "one.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	if hits := find(t, a, "retries"); len(hits) > 0 {
		t.Errorf("after its days are over: %+v", hits)
	}
}

func TestSessionsAreReadOnly(t *testing.T) {
	t.Parallel()
	b, _ := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	hit := find(t, a, "retries")[0]
	for _, actor := range []kb.Actor{{Kind: kb.Human, Name: "ada"}, {Kind: kb.Agent, Name: "mallory"}} {
		by := a.As(actor)
		if _, err := change.Put(t.Context(), by, change.PutRequest{Ref: hit.Ref, Text: []byte("x")}); kb.CodeOf(err) != kb.Refused {
			t.Errorf("%s may write: %v", actor, err)
		}
	}
	agent := a.As(kb.Actor{Kind: kb.Agent, Name: "mallory"})
	if _, err := sessions.Attach(t.Context(), agent, sessions.AttachRequest{}); kb.CodeOf(err) != kb.Refused {
		t.Errorf("an agent may attach: %v", err)
	}
}

// TestNoDirectoryAsksForSessions adds a directory whose policy asks for sessions: nothing is
// written there, even when a person accepted the policy.
func TestNoDirectoryAsksForSessions(t *testing.T) {
	t.Parallel()
	b, _ := bed(t)
	root := b.Dir("clone", map[string]string{".cairn/space.toml": "format = \"markdown\"\n\n[sessions]\nclients = [\"claude-code\"]\n"})
	a := b.Open()
	s := apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Root: root, Accept: true}))(t)
	at := apptest.OK(a.Spaces.ByName(t.Context(), s.Name))(t)
	apptest.OK(freshness.Sync(t.Context(), a, at, freshness.Request{}))(t)
	if _, err := os.Stat(filepath.Join(root, "claude-code")); err == nil {
		t.Error("sessions were written into the directory")
	}
}

// TestCursorHasItsProjectByItsPath reads a session of Cursor, whose lines have neither a
// directory nor a time.
func TestCursorHasItsProjectByItsPath(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	work := b.Dir("work", nil)
	for _, dir := range []string{"my-api", "two-ways", filepath.Join("two", "ways")} {
		if err := os.MkdirAll(filepath.Join(work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	named := strings.Trim(strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(filepath.ToSlash(work)), "-")
	put := func(project, id, text string) {
		t.Helper()
		put(t, filepath.Join(b.Home, ".cursor", "projects", project, "agent-transcripts", id, id+".jsonl"),
			`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\n`+text+`\n</user_query>"}]}}`+"\n")
	}
	put(named+"-my-api", "one", "Make the retries back off")
	put(named+"-two-ways", "two", "Paint the button")
	put("not-here-at-all", "three", "Water the plants")
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	find(t, a, "retries")
	l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Since: "1 day"}))(t)
	if l.Total != 3 || l.Items[0].Ended.IsZero() {
		t.Errorf("%+v", l)
	}
	l = apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Project: filepath.Join(work, "my-api")}))(t)
	if l.Total != 1 || l.Items[0].ID != "one" {
		t.Errorf("%+v", l)
	}
	// A session of an unknown directory, or of one of two, may be of the one that is left out.
	apptest.OK(a.Spaces.Set(t.Context(), space.SetRequest{Name: sessions.Name, Key: "sessions.except", Value: filepath.Join(work, "two-ways")}))(t)
	find(t, a, "retries")
	l = apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{}))(t)
	if l.Total != 1 || l.Items[0].ID != "one" {
		t.Errorf("%+v", l)
	}
	state := apptest.OK(os.ReadFile(filepath.Join(apptest.OK(a.Spaces.ByName(t.Context(), sessions.Name))(t).Root, ".cairn", "sessions.json")))(t)
	if strings.Contains(string(state), "button") || strings.Contains(string(state), "plants") {
		t.Errorf("the state has what is left out:\n%s", state)
	}
}

// TestPurgeRemovesThePages: they are cairn's own files, and nothing else of the home is
// removed.
func TestPurgeRemovesThePages(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	find(t, a, "retries")
	root := apptest.OK(a.Spaces.ByName(t.Context(), sessions.Name))(t).Root
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	for _, req := range []space.RemoveRequest{{Name: sessions.Name, Purge: true, DryRun: true}, {Name: sessions.Name}} {
		removed := apptest.OK(a.Spaces.Remove(t.Context(), req))(t)
		if len(removed.Notes) != 1 || !strings.Contains(removed.Notes[0], root) || !there(root) {
			t.Errorf("%+v: %v", req, removed.Notes)
		}
	}
	attach(t, a, sessions.AttachRequest{}) // takes the forgotten space up again
	if hits := find(t, a, "retries"); len(hits) != 1 {
		t.Errorf("%+v", hits)
	}
	apptest.OK(a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: sessions.Name}))(t)
	apptest.OK(a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: sessions.Name, Purge: true}))(t)
	if there(root) || !there(filepath.Join(transcripts, "-src-api", "one.jsonl")) || !there(filepath.Dir(root)) {
		t.Errorf("the pages are there: %v", there(root))
	}
	attach(t, a, sessions.AttachRequest{})
	find(t, a, "retries")
	apptest.OK(a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: sessions.Name, Purge: true}))(t)
	if there(root) {
		t.Error("the pages are there after a purge at once")
	}

	notes := b.Dir("notes", map[string]string{"a.md": "# A\n"})
	s := apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Root: notes}))(t)
	if apptest.OK(a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: s.Name, Purge: true}))(t); !there(filepath.Join(notes, "a.md")) {
		t.Error("a purge removed a note")
	}
}

// TestMemoriesHaveTheirOwnPages: two memories on a server have two directories, and no role or
// password in them.
func TestMemoriesHaveTheirOwnPages(t *testing.T) {
	t.Parallel()
	at := space.Place{Home: "/home/ada", Env: func(string) string { return "" }}
	one := apptest.OK(at.SessionsDir("postgres://ada@db.example/notes"))(t)
	two := apptest.OK(at.SessionsDir("postgres://ada@db.example/notes?memory=work"))(t)
	if one == two || strings.Contains(one, "ada@") || filepath.Dir(one) != filepath.Join("/home/ada", ".local", "share", "cairn") {
		t.Errorf("%s and %s", one, two)
	}
	if same := apptest.OK(at.SessionsDir("postgres://bob@db.example/notes"))(t); same != one {
		t.Errorf("%s and %s", one, same)
	}
}

// TestDistilPlansPages: the plan is written by an ingest, and planned once.
func TestDistilPlansPages(t *testing.T) {
	t.Parallel()
	b, transcripts := bed(t)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	one := filepath.Join(transcripts, "-src-api", "one.jsonl")
	put(t, one, said("one", "/src/api", "Always use a jitter. The key is AKIA"+"Z2PLQ7VRXK4MDN6T, never commit it."))
	put(t, filepath.Join(transcripts, "-src-web", "two.jsonl"), said("two", "/src/web", "Always use a jitter.")+said("two", "/src/web", "We decided to keep the blue button."))
	// Nothing is written, and the space of sessions is not the one that pages are planned for.
	d := apptest.OK(sessions.Distil(t.Context(), a, sessions.DistilRequest{}))(t)
	if len(d.Pages) != 2 || len(d.Evidence) != 3 || d.Existing != 0 || d.More {
		t.Fatalf("%+v", d)
	}
	for _, e := range d.Evidence {
		if e.Slug == "" || e.Rule == "" || e.Session == "" || e.At == nil || e.Resume == "" || e.By != "user" {
			t.Errorf("%+v", e)
		}
	}
	if text := apptest.OK(json.Marshal(d))(t); strings.Contains(string(text), "Z2PLQ7") {
		t.Errorf("a credential: %s", text)
	}
	if l := apptest.OK(a.Spaces.List(t.Context()))(t); len(l) != 1 {
		t.Errorf("%+v", l)
	}
	pages := apptest.OK(ingest.ReadPlan(apptest.OK(json.Marshal(d))(t)))(t)
	w := apptest.OK(ingest.Ingest(t.Context(), a, ingest.Request{Pages: pages}))(t)
	if len(w.Pages) != 2 {
		t.Fatalf("%+v", w)
	}
	page := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "preferences/always-use-a-jitter"}))(t)
	if page.Type != "preference" || strings.Count(page.Text, "The user said: Always use a jitter.") != 2 || !strings.Contains(page.Text, "sessions:claude-code/web/") {
		t.Errorf("%s:\n%s", page.Type, page.Text)
	}
	again := apptest.OK(sessions.Distil(t.Context(), a, sessions.DistilRequest{}))(t)
	if len(again.Pages) != 0 || again.Existing != 2 {
		t.Errorf("%+v", again)
	}
	some := apptest.OK(sessions.Distil(t.Context(), a, sessions.DistilRequest{Kinds: []string{"lesson"}}))(t)
	if len(some.Pages) != 0 || some.Existing != 0 {
		t.Errorf("%+v", some)
	}
	if _, err := sessions.Distil(t.Context(), a, sessions.DistilRequest{Kinds: []string{"joke"}}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("%v", err)
	}
}

// TestDistilledQuotesAreText: the markup of a quoted sentence adds no links, tags and facts.
func TestDistilledQuotesAreText(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"markdown", "org"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			b, transcripts := bed(t)
			a := b.Open()
			notes := t.TempDir()
			put(t, filepath.Join(notes, ".cairn", "space.toml"), "format = \""+format+"\"\n")
			apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Root: notes, Name: "notes"}))(t)
			attach(t, a, sessions.AttachRequest{})
			one := filepath.Join(transcripts, "-src-api", "one.jsonl")
			for _, text := range []string{
				"We decided to go with plan B. [[Boss]] #urgent works_at.",
				"We decided to keep [[Boss]] #urgent.",
				"Never write ~a~ = b, [[Boss]] #urgent, [[file:boss.org][b]] in a page.",
				"Always name `the owner` of [it](boss.md), @boss, owner:: [[Boss]].",
				"I prefer #urgent over `#later`",
				"Remember that <https://example.org/boss> and <boss.md> need ``a key``",
				"Keep in mind that ((boss)) and {{embed [[Boss]]}} cost $5, [[Boss]] $6.",
			} {
				put(t, one, said("one", "/src/api", text))
			}
			d := apptest.OK(sessions.Distil(t.Context(), a, sessions.DistilRequest{}))(t)
			if len(d.Pages) != 7 {
				t.Fatalf("%d pages: %+v", len(d.Pages), d)
			}
			apptest.OK(ingest.Ingest(t.Context(), a, ingest.Request{Pages: apptest.OK(ingest.ReadPlan(apptest.OK(json.Marshal(d))(t)))(t)}))(t)
			for _, p := range d.Pages {
				page := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: p.Slug}))(t)
				n := doc.ForNote(a.Codecs, page.Syntax, page.Path).Parse(page.Path, []byte(page.Text)).Nodes[0]
				if len(page.Tags)+len(n.InlineTags)+len(n.Links) > 0 || len(n.Entries) != 1 {
					t.Errorf("tags %v %v, links %+v, entries %+v of:\n%s", page.Tags, n.InlineTags, n.Links, n.Entries, page.Text)
				}
			}
		})
	}
}

// TestOpenCodeKeepsADatabase reads the database that OpenCode recorded, and what it adds.
func TestOpenCodeKeepsADatabase(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	file := filepath.Join(b.Home, ".local", "share", "opencode", "opencode.db")
	foreigntest.OpenCode(t, file)
	a := b.Open()
	attach(t, a, sessions.AttachRequest{})
	deep := map[string]int{}
	for _, d := range apptest.OK(a.Spaces.Directories(t.Context()))(t) {
		for _, f := range sessions.Watched(a.Place, d) {
			deep[f.Dir] = f.Depth
		}
	}
	if want := filepath.Dir(file); len(deep) != 1 || deep[want] != 1 {
		t.Errorf("%s is to be watched without the copies of repositories below it: %v", want, deep)
	}
	hits := find(t, a, "backoff jitter")
	if len(hits) != 1 || !strings.HasPrefix(hits[0].Said.Resume, "opencode --session ses_") || hits[0].Said.Turn != 2 {
		t.Fatalf("%+v", hits)
	}
	l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{Project: "/home/ada/api"}))(t)
	if l.Total != 1 || l.Items[0].Client != "opencode" || !slices.Equal(l.Items[0].Files, []string{"client.py"}) || len(l.Items[0].Commits) != 1 || len(l.Items[0].Unknown) > 0 {
		t.Fatalf("%+v", l)
	}
	foreigntest.OpenCodeAdds(t, file, l.Items[0].ID, "Cap the delay at a minute")
	if hits := find(t, a, "cap minute"); len(hits) != 1 || hits[0].Said.Turn != 3 {
		t.Errorf("%+v", hits)
	}
	l = apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{}))(t)
	if l.Total != 1 || l.Items[0].Unknown["hologram"] != 1 || !slices.Equal(l.Items[0].Open, []string{"Cap the delay at a minute"}) {
		t.Errorf("%+v", l)
	}
	// A database that cannot be read hides nothing.
	if err := os.WriteFile(file, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	if hits := find(t, a, "cap minute"); len(hits) != 1 {
		t.Errorf("%+v", hits)
	}
	if l := apptest.OK(sessions.List(t.Context(), a, sessions.ListRequest{}))(t); l.Total != 1 || l.Items[0].Gone {
		t.Errorf("%+v", l)
	}
}
