package importer_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// counts words the tallies of a receipt, each of which has to add up.
func counts(t *testing.T, r importer.Receipt) string {
	t.Helper()
	out := make([]string, 0, len(r.Counts))
	for _, c := range r.Counts {
		if !c.Adds() {
			t.Errorf("%+v does not add up", c)
		}
		out = append(out, c.String())
	}
	return strings.Join(out, "; ")
}

// export writes the file of an export.
func export(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// archive packs files, given by name and text.
func archive(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return export(t, "export.zip", out.String())
}

const claudeTalk = `[{"uuid":"c-1","name":"Night\u202e firings","created_at":"2026-02-27T08:00:00.5Z","updated_at":"2026-02-27T09:00:00Z","chat_messages":[
 {"uuid":"m-1","text":"","sender":"human","created_at":"2026-02-27T08:00:00Z","content":[{"type":"text","text":"Read it.\n\n---\n\nThen decide."}],
  "attachments":[{"file_name":"log.csv","extracted_content":"a,b\n---\n` + "````" + `\n"}],"files":[{"file_name":"kiln.jpg"}]},
 {"uuid":"m-2","text":"","sender":"assistant","created_at":"2026-02-27T08:01:00Z","content":[{"type":"thinking","thinking":"Hm."},
  {"type":"text","text":"Fire slower. token = \"ghp_x7Rk2LwQ9vTz4NbHs8YdPf1McJg6UaEo3XiK\""},{"type":"tool_use","name":"shell","input":{"run":"fire"}},{"type":"tool_result","name":"shell","content":[{"type":"text","text":"done"}]}]}%s]},
 {"uuid":"c-2","name":"","created_at":"","chat_messages":[]}]`

func TestClaude(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx := t.Context()
	run := func(file string, dry bool) importer.Receipt {
		t.Helper()
		return apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{
			Request: importer.Request{File: file, WriteOptions: api.WriteOptions{DryRun: dry}}, Program: importer.Claude, Into: "talks", Folder: "claude",
		}))(t)
	}
	file := archive(t, "users.json", "[]", "conversations.json", fmt.Sprintf(claudeTalk, ""))
	const first = "conversations 1+0+1; messages 2+0+0; attachments 1+0+0; files 0+0+1; thoughts 0+0+1"
	if r := run(file, true); counts(t, r) != first || r.Write != 0 {
		t.Errorf("a dry run brings %s", counts(t, r))
	}
	if all := apptest.OK(a.Spaces.List(ctx))(t); len(all) != 0 {
		t.Errorf("a dry run made %d spaces", len(all))
	}
	r := run(file, false)
	if counts(t, r) != first || len(r.Pages) != 1 || r.Pages[0].Ref != "talks:claude/night-firings" {
		t.Errorf("it brings %s: %+v", counts(t, r), r.Pages)
	}
	masked := false
	for _, l := range r.Lost {
		masked = masked || strings.HasPrefix(l.What, "Night firings, line ") && strings.HasPrefix(l.Reason, "masked: ")
	}
	if !masked {
		t.Errorf("the credential is not listed: %+v", r.Lost)
	}
	p := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "talks:c-1"}))(t)
	for _, want := range []string{
		"## User, 2026-02-27 08:00:00\n<!-- m-1 -->\n\nRead it.\n\n ---\n\nThen decide.", "Attachment `log.csv`:\n\n`````\na,b\n---\n````\n`````\n",
		"File `kiln.jpg`", "Call of `shell`:\n\n```json\n{\n  \"run\": \"fire\"\n}\n```\n", "Result of `shell`:\n\n```\ndone\n```\n",
	} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing in %q", want, p.Text)
		}
	}
	if strings.Contains(p.Text, "ghp_") || p.Title != "Night firings" || p.CreatedAt.Format("2006-01-02T15:04") != "2026-02-27T08:00" {
		t.Errorf("%+v %q", p.Page, p.Text)
	}

	if r := run(file, false); counts(t, r) != "conversations 0+1+1; messages 0+2+0; attachments 0+1+0; files 0+0+1; thoughts 0+0+1" || r.Write != 0 {
		t.Errorf("once more it brings %s", counts(t, r))
	}
	apptest.OK(change.EditPage(ctx, a.In("talks"), change.EditRequest{Ref: "talks:c-1", Edits: []doc.Edit{doc.Replace{Old: "Then decide.", New: "Decided."}}}))(t)
	grown := archive(t, "conversations.json", fmt.Sprintf(claudeTalk, `,{"uuid":"m-3","text":"And by day?","sender":"human","created_at":"2026-02-28T08:00:00Z"}`))
	if r := run(grown, false); !strings.HasPrefix(counts(t, r), "conversations 0+1+1; messages 1+2+0;") {
		t.Errorf("a grown conversation brings %s", counts(t, r))
	}
	p = apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "talks:c-1"}))(t)
	if !strings.Contains(p.Text, "Decided.") || !strings.HasSuffix(p.Text, "## User, 2026-02-28 08:00:00\n<!-- m-3 -->\n\nAnd by day?\n") || p.Version != 3 {
		t.Errorf("the grown page, version %d: %q", p.Version, p.Text)
	}
	apptest.OK(change.Undo(ctx, a.In("talks"), history.UndoRequest{}))(t)
	if p = apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "talks:c-1"}))(t); strings.Contains(p.Text, "by day") {
		t.Error("the undo left the message")
	}
}

// An export of more conversations than are in memory at a time is one write all the same,
// or none; a later one adds what is new.
func TestLargeClaude(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	const n = 1100
	talks := func(messages int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "{\"uuid\":\"c-%d\",\"name\":\"Same name\",\"chat_messages\":[", i)
			for m := range messages {
				fmt.Fprintf(&out, "%s{\"uuid\":\"m-%d-%d\",\"text\":\"said %d of %d\",\"sender\":\"human\"}", strings.Repeat(",", min(m, 1)), i, m, m, i)
			}
			out.WriteString("]},\n")
		}
		return "[" + strings.TrimSuffix(out.String(), ",\n") + "]"
	}
	a := apptest.New(t).Open()
	ctx := t.Context()
	in := func(text string) (importer.Receipt, error) {
		return importer.ImportExport(ctx, a, importer.ExportRequest{
			Program: importer.Claude, Into: "talks", Request: importer.Request{File: export(t, "conversations.json", text)},
		})
	}
	whole := talks(1)
	if _, err := in(whole[:len(whole)-2]); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("an export without its end: %v", err)
	}
	if all := apptest.OK(a.Spaces.List(ctx))(t); len(all) != 0 {
		t.Errorf("it left %+v", all)
	}
	first := apptest.OK(in(whole))(t)
	if got, want := counts(t, first), fmt.Sprintf("conversations %d+0+0; messages %d+0+0; attachments 0+0+0; files 0+0+0; thoughts 0+0+0", n, n); got != want || first.Total != n || len(first.Pages) != 1000 {
		t.Errorf("%s and %d pages, %d of them listed, want %s", got, first.Total, len(first.Pages), want)
	}
	a = a.In("talks")
	pages := func() int { return apptest.OK(state.CountStats(ctx, a, false))(t).Pages }
	if pages() != n {
		t.Errorf("there are %d pages", pages())
	}
	if _, err := in(talks(2)[:len(talks(2))-2]); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a second export without its end: %v", err)
	}
	second := apptest.OK(in(talks(2)))(t)
	if got, want := counts(t, second), fmt.Sprintf("conversations 0+%d+0; messages %d+%d+0; attachments 0+0+0; files 0+0+0; thoughts 0+0+0", n, n, n); got != want || second.Write != first.Write+1 {
		t.Errorf("%s by write %d, want %s by %d", got, second.Write, want, first.Write+1)
	}
	for _, w := range []int64{second.Write, first.Write} {
		apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: w}))(t)
	}
	if pages() != 0 {
		t.Errorf("after undo there are %d pages", pages())
	}
}

func TestClaudeProjects(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: importer.ClaudeProjects, Into: "work", Request: importer.Request{File: export(t, "projects.json", `[
 {"uuid":"p-1","name":"Ember 2.0","description":"Firmware","prompt_template":"Be brief.","docs":[
  {"uuid":"d-1","filename":"manual.md","content":"# Ember\n"},{"uuid":"d-2","filename":"manual.md","content":"Second.\r\n"},{"uuid":"d-3","filename":"a/b.txt","content":""}]},
 {"uuid":"p-2","name":"Starter"}]`)}}
	for _, want := range []string{"projects 1+0+1; documents 3+0+0", "projects 0+1+1; documents 0+3+0"} {
		if got := counts(t, apptest.OK(importer.ImportExport(t.Context(), a, req))(t)); got != want {
			t.Errorf("it brings %s, want %s", got, want)
		}
	}
	p := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "work:p-1"}))(t)
	if !strings.HasSuffix(p.Text, "\nFirmware\n\n## Instructions\n\nBe brief.\n") {
		t.Errorf("%q", p.Text)
	}
	for ref, want := range map[string]string{"work:d-1": "# Ember", "work:d-2": "Second."} {
		d := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: ref}))(t)
		if !strings.Contains(d.Text, want) || !strings.HasPrefix(d.Slug, "ember-2-0/manual") {
			t.Errorf("%s is %s: %q", ref, d.Slug, d.Text)
		}
	}
}

func TestChatGPT(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: importer.ChatGPT, Into: "gpt", Request: importer.Request{File: export(t, "conversations.json", `[{"id":"g-1","title":"Drift","create_time":1772442014.5,"update_time":null,"current_node":"e","mapping":{
 "r":{"id":"r","message":null,"parent":null,"children":["a"]},
 "a":{"message":{"author":{"role":"user"},"create_time":1772442020,"content":{"content_type":"text","parts":["Why?"]},"metadata":{}},"parent":"r","children":["b","c"]},
 "b":{"message":{"author":{"role":"assistant"},"create_time":1772442021,"content":{"content_type":"text","parts":["Age."]}},"parent":"a","children":[]},
 "c":{"message":{"author":{"role":"assistant"},"content":{"content_type":"thoughts"}},"parent":"a","children":["d"]},
 "d":{"message":{"author":{"role":"assistant"},"create_time":1772442022,"recipient":"python","content":{"content_type":"code","language":"python","text":"1+1"}},"parent":"c","children":["e"]},
 "e":{"message":{"author":{"role":"tool","name":"python"},"create_time":1772442023,"content":{"content_type":"execution_output","text":"2"},"metadata":{"attachments":[{"id":"f-1","name":"plot.png"}]}},"parent":"d","children":[]},
 "h":{"message":{"author":{"role":"system"},"content":{"content_type":"text","parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}},"parent":"r","children":[]}}}]`)}}
	for _, want := range []string{"conversations 1+0+0; messages 4+0+1; attachments 0+0+0; thoughts 0+0+1; files 0+0+1", "conversations 0+1+0; messages 0+4+1; attachments 0+0+0; thoughts 0+0+1; files 0+0+1"} {
		if got := counts(t, apptest.OK(importer.ImportExport(t.Context(), a, req))(t)); got != want {
			t.Errorf("it brings %s, want %s", got, want)
		}
	}
	p := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "gpt:g-1"}))(t)
	_, text, _ := strings.Cut(p.Text, "\n---\n\n")
	const want = "## User, 2026-03-02 09:00:20\n<!-- a -->\n\nWhy?\n\n## Assistant, 2026-03-02 09:00:22\n<!-- d -->\n\nCall of `python`:\n\n```python\n1+1\n```\n\n" +
		"## Python, 2026-03-02 09:00:23\n<!-- e -->\n\nFile `plot.png` (not imported)\n\n```\n2\n```\n\n## Assistant, 2026-03-02 09:00:21, on another branch: after User, 2026-03-02 09:00:20\n<!-- b -->\n\nAge."
	if strings.TrimSpace(text) != want {
		t.Errorf("%q", text)
	}
}

func TestMemoryJSON(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx := t.Context()
	run := func(text string) string {
		t.Helper()
		return counts(t, apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{Program: importer.MemoryJSON, Into: "mem", Request: importer.Request{File: export(t, "memory.json", text)}}))(t))
	}
	const text = `{"type":"relation","from":"Ada","to":"notes","relationType":"works at"}
{"type":"entity","name":"Ada","entityType":"person","observations":["Fires\non Thursdays","Founder","Founder","Her token = \"ghp_x7Rk2LwQ9vTz4NbHs8YdPf1McJg6UaEo3XiK\""]}
{"type":"entity","name":"Notes","entityType":"","observations":[]}
{"type":"entity","name":"notes","entityType":"scratch","observations":["Lower"]}
{"type":"entity","name":"","entityType":"","observations":["Lost"]}
{"type":"relation","from":"Ada","to":"Nowhere [1]","relationType":""}
{"type":"relation","from":"Nobody","to":"Ada","relationType":"sees"}`
	if got := run(text); got != "entities 3+0+1; observations 4+1+1; relations 2+0+1" {
		t.Errorf("it brings %s", got)
	}
	get := func() api.Text { return apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "mem:ada"}))(t) }
	p := get()
	for _, want := range []string{"type: person\n", "## Observations\n\n- [note] Fires on Thursdays\n- [note] Founder\n- [note] Her token", "## Relations\n\n- works at [[notes-2]]\n- links_to [[Nowhere 1]]\n"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("%q is missing in %q", want, p.Text)
		}
	}
	if strings.Contains(p.Text, "ghp_") {
		t.Error("the credential is not masked")
	}
	links := apptest.OK(links.List(ctx, a, api.LinksRequest{Ref: "mem:ada"}))(t)
	if len(links.Items) != 2 || links.Items[0].Type != "works at" || links.Items[0].Page == nil || links.Items[0].Page.Title != "notes" {
		t.Errorf("links %+v", links.Items)
	}
	if got := run(text); got != "entities 0+3+1; observations 0+5+1; relations 0+2+1" {
		t.Errorf("once more it brings %s", got)
	}
	if got := run(text + "\n" + `{"type":"entity","name":"Eve","entityType":"","observations":["New"]}` + "\n" + `{"type":"relation","from":"notes","to":"Eve","relationType":"names"}` + "\n"); got != "entities 1+3+1; observations 1+5+1; relations 1+2+1" {
		t.Errorf("what is new is %s", got)
	}
	if n := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "mem:notes-2"}))(t); !strings.HasSuffix(n.Text, "- [note] Lower\n\n## Relations\n\n- names [[eve]]\n") {
		t.Errorf("%q", n.Text)
	}
}

func TestBasicMemory(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	ctx, home := t.Context(), apptest.OK(filepath.EvalSymlinks(t.TempDir()))(t)
	note := filepath.Join(home, "kiln log", "Night.md")
	for _, dir := range []string{"kiln log", "main"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const text = "---\r\ntitle: Night\r\n---\r\n- [fact] Slow\r\n"
	if err := os.WriteFile(note, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{"projects":{"Kiln Log":{"path":%q,"mode":"local"},"main":%q,"gone":{"path":%q},"far":{"path":"/cloud/far","mode":"cloud"}},"default_project":"Kiln Log"}`,
		filepath.Join(home, "kiln log"), filepath.Join(home, "main"), filepath.Join(home, "gone"))
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dry  bool
		want string
	}{{true, "projects 2+0+2"}, {false, "projects 2+0+2"}, {false, "projects 0+2+2"}} {
		r := apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{Program: importer.BasicMemory, Request: importer.Request{File: home, WriteOptions: api.WriteOptions{DryRun: tc.dry}}}))(t)
		if counts(t, r) != tc.want || len(r.Lost) != 2 || !strings.Contains(r.Lost[0].Reason, "in the cloud") {
			t.Errorf("dry run %v: %s, lost %+v", tc.dry, counts(t, r), r.Lost)
		}
		if all := apptest.OK(a.Spaces.List(ctx))(t); tc.dry && len(all) != 0 || !tc.dry && len(all) != 2 {
			t.Errorf("dry run %v: %d spaces", tc.dry, len(all))
		}
	}
	if d := apptest.OK(a.Spaces.Default(ctx, ""))(t); d.Name != "kiln-log" {
		t.Errorf("the default is %s", d.Name)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	if p := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "kiln-log:Night"}))(t); p.Title != "Night" {
		t.Errorf("%+v", p.Page)
	}
	if got := apptest.OK(os.ReadFile(note))(t); string(got) != text {
		t.Errorf("the note became %q", got)
	}
	one := apptest.New(t).Open()
	r := apptest.OK(importer.ImportExport(ctx, one, importer.ExportRequest{Program: importer.BasicMemory, Request: importer.Request{File: filepath.Join(home, "main")}}))(t)
	if counts(t, r) != "projects 1+0+0" {
		t.Errorf("a directory is %s", counts(t, r))
	}
	bad := export(t, "config.json", `{"projects":{"a":7}}`)
	if _, err := importer.ImportExport(ctx, one, importer.ExportRequest{Program: importer.BasicMemory, Request: importer.Request{File: bad}}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a project that is a number: %v", err)
	}
}

// What programs leave in the file of MCP's memory server is read, and losses are reported.
func TestShapesOfMemoryJSON(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text                          string
		observations, relations, lost int
	}{
		"a graph":  {`{"entities":[{"name":"a","observations":["x"]},{"name":"b"}],"relations":[{"from":"a","to":"b","relationType":"is"}]}`, 1, 1, 0},
		"no graph": {`{"entities":[],"relations":[]}`, 0, 0, 0},
		"half":     {"{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"x\"]}\n{\"type\":\"ent", 1, 0, 1},
		"twice": {"{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"x\"]}\n{\"type\":\"entity\",\"name\":\"b\"}\n" +
			"{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"y\",\"x\"]}\n{\"type\":\"entity\",\"name\":\"a\"}\n", 2, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := apptest.New(t).Open()
			out, err := importer.ImportExport(t.Context(), a, importer.ExportRequest{Program: importer.MemoryJSON, Into: "x", Request: importer.Request{File: export(t, "m.json", tc.text)}})
			if err != nil || len(out.Lost) != tc.lost {
				t.Fatalf("%+v, %v", out, err)
			}
			for _, c := range out.Counts {
				if want := map[string]int{"observations": tc.observations, "relations": tc.relations}; c.Kind != "entities" && c.Brought != want[c.Kind] {
					t.Errorf("%d %s, want %d", c.Brought, c.Kind, want[c.Kind])
				}
			}
		})
	}
}

// Damage is refused with its place, and nothing is written.
func TestDamagedExports(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	a := apptest.New(t).Open()
	deep := strings.Repeat(`[`, 20_000)
	bomb := `[{"uuid":"` + strings.Repeat("a", 65<<20)
	for name, tc := range map[string]struct {
		program    importer.Program
		file, want string
	}{
		"cut":            {importer.Claude, export(t, "c.json", "[{\"uuid\":\"a\",\n\"name\":\"x"), "line 2, byte 23: it ends in the middle"},
		"no end":         {importer.Claude, export(t, "c.json", "[{\"uuid\":\"a\"}\n"), "line 2, byte 14: it ends in the middle"},
		"more":           {importer.Claude, export(t, "c.json", "[]\n[]"), "more after its end"},
		"number":         {importer.Claude, export(t, "c.json", "[\n{\"uuid\":7}]"), "got a number, want text (uuid)"},
		"text":           {importer.ChatGPT, export(t, "c.json", `[{"id":"a","mapping":"b"}]`), "line 1"},
		"no object":      {importer.Claude, export(t, "c.json", "[\"a\"]"), "got a string, want an object"},
		"deep":           {importer.Claude, export(t, "c.json", `[{"uuid":"a","chat_messages":`+deep), "max depth"},
		"twice":          {importer.Claude, export(t, "c.json", "[{\"uuid\":\"a\"},\n{\"uuid\":\"a\"}]"), `line 2, byte 15: duplicate id "a"`},
		"message twice":  {importer.Claude, export(t, "c.json", `[{"uuid":"a","chat_messages":[{"uuid":"m","text":"x"},{"uuid":"m","text":"y"}]}]`), `message "m" is a duplicate`},
		"no id":          {importer.ClaudeProjects, export(t, "p.json", `[{"name":"a"}]`), "no uuid"},
		"circle":         {importer.ChatGPT, export(t, "c.json", `[{"id":"a","mapping":{"x":{"parent":"y","message":{}},"y":{"parent":"x","message":{}}}}]`), "2 messages answer each other in a circle"},
		"unknown":        {importer.MemoryJSON, export(t, "m.json", `{"type":"pet"}`), `"pet" is neither`},
		"bomb":           {importer.Claude, archive(t, "conversations.json", bomb), "unpacks to far more"},
		"blank":          {importer.Claude, archive(t, "conversations.json", "["+strings.Repeat(" ", 3<<20)), "blank for far longer"},
		"outside":        {importer.Claude, archive(t, "../../conversations.json", "[]"), "a path outside it"},
		"broken archive": {importer.Claude, export(t, "e.zip", "PK\x03\x04 and no more"), "as a ZIP archive"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := importer.ImportExport(t.Context(), a, importer.ExportRequest{Program: tc.program, Into: "x", Request: importer.Request{File: tc.file}})
			if kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v is not the error %q", err, tc.want)
			}
		})
	}
	for _, file := range []string{filepath.Join(t.TempDir(), "none.zip"), archive(t, "users.json", "[]"), t.TempDir()} {
		if _, err := importer.ImportExport(t.Context(), a, importer.ExportRequest{Program: importer.Claude, Into: "x", Request: importer.Request{File: file}}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("%s: %v", file, err)
		}
	}
	if all := apptest.OK(a.Spaces.List(t.Context()))(t); len(all) != 0 {
		t.Errorf("damaged exports made %d spaces", len(all))
	}
}

// Exports of the programs themselves, where CAIRN_EXPORTS names a folder of them.
func TestExportsOfOthers(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CAIRN_EXPORTS")
	if dir == "" {
		t.Skip("CAIRN_EXPORTS is not set")
	}
	a := apptest.New(t).Open()
	for _, tc := range []struct {
		program     importer.Program
		file, first string
	}{
		{importer.Claude, "claude", "conversations 2+0+1; messages 8+0+0; attachments 1+0+0; files 0+0+3; thoughts 0+0+1"},
		{importer.ClaudeProjects, "claude", "projects 1+0+1; documents 3+0+0"},
		{importer.ChatGPT, "chatgpt", "conversations 2+0+1; messages 15+0+5; attachments 0+0+0; thoughts 0+0+2; files 0+0+3"},
		{importer.MemoryJSON, "mcp-memory/memory.jsonl", "entities 14+0+1; observations 29+0+1; relations 12+0+1"},
	} {
		req := importer.ExportRequest{Program: tc.program, Into: "others", Request: importer.Request{File: filepath.Join(dir, tc.file)}}
		if got := counts(t, apptest.OK(importer.ImportExport(t.Context(), a, req))(t)); got != tc.first {
			t.Errorf("%s brings %s", tc.file, got)
		}
		for _, c := range apptest.OK(importer.ImportExport(t.Context(), a, req))(t).Counts {
			if c.Brought != 0 {
				t.Errorf("once more %s brings %s", tc.file, c)
			}
		}
	}
}

// What an editor has saved, and nobody has read yet, stays when an import adds to its page;
// a page whose file was deleted is made again.
func TestImportsKeepEdits(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx, dir := t.Context(), b.Dir("notes", map[string]string{"other.md": "Other.\n"})
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "notes", Root: dir}))(t)
	run := func(observations string) string {
		t.Helper()
		text := `{"type":"entity","name":"Ada","entityType":"person","observations":[` + observations + `]}`
		return counts(t, apptest.OK(importer.ImportExport(ctx, a, importer.ExportRequest{
			Program: importer.MemoryJSON, Into: "notes", Request: importer.Request{File: export(t, "memory.json", text)},
		}))(t))
	}
	file := filepath.Join(dir, "ada.md")
	read := func() string { return string(apptest.OK(os.ReadFile(file))(t)) }
	run(`"One"`)
	if err := os.WriteFile(file, []byte(read()+"- [note] By hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(`"One", "Two"`); got != "entities 0+1+0; observations 1+1+0; relations 0+0+0" || !strings.Contains(read(), "- [note] One\n- [note] By hand\n- [note] Two\n") {
		t.Errorf("%s; %s", got, read())
	}
	// Other ends of lines, and none at the end, say the same.
	edited := strings.TrimSuffix(strings.ReplaceAll(read(), "\n", "\r\n"), "\r\n")
	if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(`"One", "Two"`); got != "entities 0+1+0; observations 0+2+0; relations 0+0+0" || read() != edited {
		t.Errorf("%s; %q", got, read())
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := run(`"One", "Two"`); got != "entities 1+0+0; observations 2+0+0; relations 0+0+0" || !strings.Contains(read(), "- [note] One\n- [note] Two\n") {
		t.Errorf("%s; %s", got, read())
	}
}

// Pieces of kinds that are not known are kept where they have a text, and counted where they have none.
func TestUnknownPieces(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := apptest.New(t).Open()
	req := importer.ExportRequest{Program: importer.Claude, Into: "in"}
	req.File = export(t, "c.json", `[{"uuid":"c1","name":"Kiln","chat_messages":[{"uuid":"m1","sender":"human","text":"","content":[{"type":"voice_note","text":"Light it"},{"type":"token_budget"},{"type":"text","text":"please"}]}]}]`)
	if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); !strings.Contains(got, "other pieces 0+0+1") {
		t.Error(got)
	}
	if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: "c1"}))(t); !strings.Contains(page.Text, "Light it\n\nplease") {
		t.Error(page.Text)
	}
	req.Program = importer.ChatGPT
	req.File = export(t, "g.json", `[{"id":"g1","title":"Kiln","mapping":{"a":{"message":{"author":{"role":"assistant"},"content":{"content_type":"model_editable_context","model_set_context":"Ada fires kilns","repository":null}}}}}]`)
	if got := counts(t, apptest.OK(importer.ImportExport(ctx, a, req))(t)); !strings.HasPrefix(got, "conversations 1+0+0; messages 1+0+0") {
		t.Error(got)
	}
	if page := apptest.OK(read.Get(ctx, a.In("in"), read.GetRequest{Ref: "g1"}))(t); !strings.Contains(page.Text, "model set context:\n\n```\nAda fires kilns\n```") {
		t.Error(page.Text)
	}
}
