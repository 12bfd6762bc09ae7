package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// notes is a client of the set notes, which works in a directory.
type notes struct {
	t   *testing.T
	c   *mcp.ClientSession
	bed *apptest.Bed
	dir string
}

func newNotes(t *testing.T) notes {
	t.Helper()
	bed := apptest.New(t)
	dir := filepath.Join(bed.Home, "vault")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), bed.Open(), space.AddRequest{Root: dir, Name: "vault", Preset: "notes"}))(t)
	s := mcpserver.New(mcpserver.Options{Memory: bed.Lazy(), Dir: dir, Sets: []operation.Set{operation.Notes}})
	return notes{t, connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil)), bed, dir}
}

// text calls a tool, and returns the text of its answer.
func (n notes) text(tool string, args map[string]any) (text string, failed bool) {
	n.t.Helper()
	r, err := n.c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		n.t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) != 1 {
		n.t.Fatalf("%s answers %d contents", tool, len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// must calls a tool that answers data; read_note does so when asked.
func (n notes) must(tool string, args map[string]any) map[string]any {
	n.t.Helper()
	if args = maps.Clone(args); tool == "read_note" && args["output_format"] == nil {
		args["output_format"] = "json"
	}
	text, failed := n.text(tool, args)
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil || failed {
		n.t.Fatalf("%s %v: %s", tool, args, text)
	}
	return m
}

// refused calls a tool that fails, and returns the code of its error.
func (n notes) refused(tool string, args map[string]any) (code, message string) {
	n.t.Helper()
	text, failed := n.text(tool, args)
	var m struct {
		Error struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil || !failed {
		n.t.Fatalf("%s %v: %s", tool, args, text)
	}
	return m.Error.Code, m.Error.Message + " " + m.Error.Hint
}

func (n notes) file(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// outside writes a file as another program does.
func (n notes) outside(name, text string) {
	n.t.Helper()
	file := filepath.Join(n.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		n.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

type args = map[string]any

// Section 13.4 of the specification: write_note creates file; respects directory;
// refuses overwrite.
func TestWriteNote(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	m := n.must("write_note", args{"title": "Test", "content": "Hello", "tags": []string{"a"}})
	if text := n.file("test.md"); m["file_path"] != "test.md" || m["permalink"] != "test" || m["action"] != "created" ||
		!strings.Contains(text, "title: Test\ntype: note\ntags:\n  - a\n") || !strings.HasSuffix(text, "---\n\nHello\n") {
		t.Errorf("answers %v, writes %s", m, text)
	}
	n.must("write_note", args{"title": "Deep", "content": "…", "directory": "research/ai"})
	n.file("research/ai/deep.md")

	code, says := n.refused("write_note", args{"title": "test", "content": "other"})
	if code != "conflict" || !strings.Contains(says, "vault:test") || !strings.Contains(n.file("test.md"), "Hello") {
		t.Errorf("a second note of the title: %s %s", code, says)
	}
	if code, _ := n.refused("write_note", args{"title": "Out", "content": "x", "directory": "../outside"}); code != "usage" {
		t.Errorf("a directory outside: %s", code)
	}
	n.must("write_note", args{"title": "Test", "content": "x", "directory": "research"}) // another directory, another note
}

// A title in another spelling names the note that is there.
func TestWriteNoteOfAnotherSpelling(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	if err := os.WriteFile(filepath.Join(n.dir, "Site Roadmap.md"), []byte("---\npermalink: roadmap\ncreated: 2020-01-02\nid: 11111111-2222-4333-8444-555555555555\n---\nOld.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n.must("recent_activity", args{"timeframe": "1 day"}) // reads the directory
	if code, says := n.refused("write_note", args{"title": "Site Roadmap", "content": "New."}); code != "conflict" || !strings.Contains(says, "Site Roadmap.md") {
		t.Errorf("%s %s", code, says)
	}
	m := n.must("write_note", args{"title": "Site Roadmap", "content": "New.", "overwrite": true})
	text := n.file("Site Roadmap.md")
	if m["action"] != "updated" || m["permalink"] != "roadmap" || m["external_id"] != "11111111-2222-4333-8444-555555555555" {
		t.Errorf("answers %v", m)
	}
	for _, want := range []string{"id: 11111111-2222-4333-8444-555555555555", "permalink: roadmap", "created: 2020-01-02", "\nNew.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "Old.") {
		t.Error("the old text is still there")
	}
}

// Frontmatter in the content counts as metadata; metadata may nest.
func TestWriteNoteWithFrontmatter(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "One", "content": "---\ntype: recipe\ntags: [x]\nowner: Ada\n---\n\nBody.\n", "tags": "a, b",
		"metadata": args{"count": 42, "draft": true, "nothing": nil, "room": args{"name": "kiln", "seats": []int{1, 2}}, "aliases": []string{"first"}}})
	text := n.file("one.md")
	if strings.Count(text, "---\n") != 2 || !strings.Contains(text, "count: 42\n") || !strings.Contains(text, `room: {"name":"kiln","seats":[1,2]}`) {
		t.Errorf("writes %s", text)
	}
	m := n.must("read_note", args{"path": "one"})
	f := m["frontmatter"].(args)
	if m["type"] != "recipe" || f["count"] != "42" || f["draft"] != "True" || f["owner"] != "Ada" ||
		!reflect.DeepEqual(f["tags"], []any{"x", "a", "b"}) || !reflect.DeepEqual(f["aliases"], []any{"first"}) {
		t.Errorf("reads %v", m)
	}
	if _, there := f["nothing"]; there || m["content"] != "Body.\n" {
		t.Errorf("reads %v", m)
	}
}

// Section 13.4: read_note by permalink; section 3.2 to 3.4 and 14.2: its shape.
// What read_note costs by default is near what the note has: its file.
func TestReadNoteCost(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	text := "---\ntitle: Ada\ntype: person\n---\n\nAda wrote the first program.\n\n- [role] mathematician #math\n- worked_with [[Babbage]]\n"
	if err := os.WriteFile(filepath.Join(n.dir, "ada.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, failed := n.text("read_note", map[string]any{"identifier": "ada"})
	if failed || !strings.Contains(got, text) || 2*len(got) > 3*len(text) {
		t.Errorf("%d characters of a note of %d:\n%s", len(got), len(text), got)
	}
}

func TestReadNote(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Statistics", "content": "Numbers.\n\n- explains [[My Research]]\n"})
	n.must("write_note", args{"title": "My Research", "content": "Intro to [[Training Data]].\n\n- [technique] Gradient descent #ml #optimization (with momentum)\n- requires [[Statistics]] (foundations)\n"})
	m := n.must("read_note", args{"path": "my-research"})
	if m["title"] != "My Research" || m["permalink"] != "my-research" || m["file_path"] != "my-research.md" || m["version"] != 1.0 || len(m["checksum"].(string)) != 64 {
		t.Errorf("the note is %v", m)
	}
	observation := m["observations"].([]any)[0].(args)
	want := args{"category": "technique", "content": "Gradient descent", "tags": []any{"ml", "optimization"}, "context": "with momentum",
		"permalink": "my-research/observations/technique/gradient-descent", "line": 8.0}
	if delete(want, "line"); observation["line"] == nil {
		t.Error("the observation has no line")
	}
	delete(observation, "line")
	if !reflect.DeepEqual(observation, want) {
		t.Errorf("the observation is %v", observation)
	}
	byType := map[string]args{}
	for _, r := range m["relations"].([]any) {
		byType[r.(args)["relation_type"].(string)] = r.(args)
	}
	if r := byType["requires"]; r["to_name"] != "statistics" || r["to_permalink"] != "statistics" || r["context"] != "foundations" || r["permalink"] != "my-research/requires/statistics" {
		t.Errorf("the relation is %v", r)
	}
	if r := byType["links_to"]; r["to_name"] != "training-data" || r["to_permalink"] != nil || r["permalink"] != "my-research/links-to/training-data" {
		t.Errorf("the link is %v", r)
	}
	ways := map[any]any{}
	for _, r := range m["related"].([]any) {
		ways[r.(args)["direction"]] = r.(args)["permalink"]
	}
	if !reflect.DeepEqual(ways, map[any]any{"out": "statistics", "in": "statistics"}) {
		t.Errorf("related is %v", m["related"])
	}
	for _, name := range []string{"identifier", "url", "permalink"} {
		if got := n.must("read_note", args{name: "My Research"}); got["permalink"] != "my-research" {
			t.Errorf("by %s: %v", name, got)
		}
	}
	if text, failed := n.text("read_note", args{"path": "my-research", "output_format": "text"}); failed || !strings.HasPrefix(text, "---\n") || !strings.Contains(text, "- requires [[Statistics]] (foundations)") {
		t.Errorf("as text it is %s", text)
	}
	if text, failed := n.text("view_note", args{"identifier": "my-research"}); failed || !strings.Contains(text, "<note>\n---\n") {
		t.Errorf("viewed it is %s", text)
	}
}

// What does not fit the budget is named.
func TestReadNoteWithinBudget(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Long", "content": strings.Repeat("A line of some words.\n", 2000)})
	m := n.must("read_note", args{"path": "long", "budget": 100})
	if len(m["content"].(string)) > 400 || !strings.Contains(m["left_out"].([]any)[0].(string), "lines 6 to") {
		t.Errorf("answers %d bytes, %v", len(m["content"].(string)), m["left_out"])
	}
	m = n.must("read_note", args{"path": "long", "start_line": 100, "end_line": 101})
	if m["content"] != "A line of some words.\nA line of some words.\n" || !reflect.DeepEqual(m["lines"], []any{100.0, 101.0}) {
		t.Errorf("lines 100 to 101 are %v", m)
	}
}

// Every operation of edit_note.
func TestEditNote(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	const text = "# Plan\n\nIntro.\n\n## State\n\nOld.\n\n### Deeper\n\nKept.\n\n## Next\n\nNothing.\n"
	for _, tc := range []struct {
		name, want, action string
		args               args
	}{
		{"append", "Nothing.\n\nThe end.\n", "appended", args{"operation": "append", "content": "The end."}},
		{"prepend", "---\n\nThe start.\n\n# Plan", "prepended", args{"operation": "prepend", "content": "The start."}},
		{"find_replace", "Intro, mended.", "replaced text", args{"operation": "find_replace", "find_text": "Intro.", "content": "Intro, mended."}},
		{"replace_section", "## State\n\nNew.\n\n## Next", "replaced section State", args{"operation": "replace_section", "section": "## State", "content": "New."}},
		{"a repeated heading", "## State\n\nNew.\n\n## Next", "replaced section State", args{"operation": "replace_section", "section": "State", "content": "## State\n\nNew."}},
		{"its own text only", "## State\n\nNew.\n\n### Deeper\n\nKept.\n\n## Next", "replaced section State", args{"operation": "replace_section", "section": "State", "content": "New.", "replace_subsections": false}},
		{"insert_before_section", "Kept.\n\nBetween.\n\n## Next", "inserted before Next", args{"operation": "insert_before_section", "section": "Next", "content": "Between."}},
		{"insert_after_section", "## State\n\nBetween.\n\nOld.", "inserted after State", args{"operation": "insert_after_section", "section": "State", "content": "Between."}},
		{"an update of a section", "## Next\n\nAll.\n", "replaced section Next", args{"content_updates": "## Next\n\nAll."}},
		{"an update of none", "Nothing.\n\n## More\n\nAll.\n", "appended", args{"content_updates": "## More\n\nAll."}},
		{"metadata", "owner: Ada\n", "metadata merged", args{"metadata": args{"owner": "Ada"}}},
		{"metadata removed", "title: Plan\ntype: note\n---", "metadata merged", args{"metadata": args{"tags": nil}}},
	} {
		n.must("write_note", args{"title": "Plan", "content": text, "tags": "x", "overwrite": true})
		tc.args["identifier"] = "plan"
		m := n.must("edit_note", tc.args)
		if got := n.file("plan.md"); m["action"] != tc.action || !strings.Contains(got, tc.want) {
			t.Errorf("%s answers %v, writes %s", tc.name, m["action"], got)
		}
	}
	n.must("write_note", args{"title": "Twice", "content": "a a\n\n## S\n\n1\n\n## S\n\n2\n"})
	for _, tc := range []struct {
		code, says string
		args       args
	}{
		{"conflict", "2", args{"operation": "find_replace", "find_text": "a", "content": "b"}},
		{"usage", "find_text", args{"operation": "find_replace", "find_text": "", "content": "b"}},
		{"ambiguous", "S", args{"operation": "replace_section", "section": "S", "content": "b"}},
		{"ambiguous", "S", args{"content_updates": "## S\n\n3"}},
		{"conflict", "version", args{"operation": "append", "content": "b", "expected_version": 7}},
		{"usage", "section", args{"operation": "replace_section", "content": "b"}},
		{"usage", "nothing to edit", args{}},
	} {
		tc.args["path"] = "twice"
		if code, says := n.refused("edit_note", tc.args); code != tc.code || !strings.Contains(says, tc.says) {
			t.Errorf("%v: %s %s", tc.args, code, says)
		}
	}
	n.must("edit_note", args{"path": "twice", "operation": "find_replace", "find_text": "a", "content": "b", "expected_replacements": 2})
	n.must("write_note", args{"title": "Twice", "content": "other", "directory": "deep"})
	if code, says := n.refused("edit_note", args{"identifier": "Twice", "operation": "append", "content": "x"}); code != "ambiguous" || !strings.Contains(says, "deep/twice.md") || !strings.Contains(says, "vault:twice.md") {
		t.Errorf("a title of two notes: %s %s", code, says)
	}
}

// Section 13.4: delete_note cascades. A directory is moved or deleted in one write,
// which one undo takes back.
func TestMoveAndDeleteNotes(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Test Note", "content": "- [a] b\n- knows [[Other]]\n"})
	n.must("write_note", args{"title": "Other", "content": "See [[Test Note]].", "directory": "people"})
	n.must("write_note", args{"title": "Third", "content": "x", "directory": "people/old"})
	m := n.must("move_note", args{"identifier": "people", "destination_path": "archive/2026", "is_directory": true})
	if m["total"] != 2.0 || m["moved"] != true {
		t.Errorf("moves %v", m)
	}
	n.file("archive/2026/other.md")
	n.file("archive/2026/old/third.md")
	gone := func(dir string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(n.dir, dir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory %s is left: %v", dir, err)
		}
	}
	gone("people")
	m = n.must("move_note", args{"path": "test-note", "destination_path": "work/renamed.md"})
	if m["file_path"] != "work/renamed.md" || !strings.Contains(n.file("archive/2026/other.md"), "enamed") && !strings.Contains(n.file("archive/2026/other.md"), "Test Note") {
		t.Errorf("moves %v", m)
	}
	n.must("move_note", args{"path": "archive/2026", "destination_folder": "kept", "is_directory": true})
	n.file("kept/2026/other.md")
	n.must("move_note", args{"path": "kept/2026", "destination_path": "archive/2026", "is_directory": true})
	if code, _ := n.refused("move_note", args{"path": "archive/2026"}); code != "usage" {
		t.Errorf("a move to nowhere: %s", code)
	}
	if _, message := n.refused("move_note", args{"path": "people", "destination_path": "b", "is_directory": true}); !strings.Contains(message, `no page in the directory "people" of`) {
		t.Errorf("a directory without notes: %s", message)
	}
	m = n.must("delete_note", args{"path": "archive", "is_directory": true})
	if m["total"] != 2.0 || m["deleted"] != true {
		t.Errorf("deletes %v", m)
	}
	gone("archive")
	a := n.bed.Open()
	apptest.OK(change.Undo(t.Context(), a, history.UndoRequest{Write: int64(m["write"].(float64))}))(t)
	n.file("archive/2026/other.md")
	n.file("archive/2026/old/third.md")

	n.must("delete_note", args{"path": "work/renamed"})
	if _, err := os.Stat(filepath.Join(n.dir, "work/renamed.md")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if code, _ := n.refused("read_note", args{"path": "work/renamed"}); code != "not_found" {
		t.Errorf("reading it answers %s", code)
	}
	if st := apptest.OK(state.CountStats(t.Context(), a, true))(t); st.Observations != 0 {
		t.Errorf("what is left is %+v", st)
	}
	if code, _ := n.refused("delete_note", args{"path": "nothing"}); code != "not_found" {
		t.Errorf("deleting nothing answers %s", code)
	}
}

// Section 13.4: recent_activity timeframe, list of directories.
func TestRecentActivityAndDirectories(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "First", "content": "1", "directory": "a"})
	n.must("write_note", args{"title": "Second", "content": "2", "directory": "a/b"})
	n.must("edit_note", args{"path": "First", "operation": "append", "content": "more"})
	for _, timeframe := range []string{"1 hour", "1 day", "7d", "24h"} {
		m := n.must("recent_activity", args{"timeframe": timeframe})
		list := m["results"].([]any)
		if len(list) != 2 || list[0].(args)["title"] != "First" || list[1].(args)["title"] != "Second" || m["left_out"] != 0.0 {
			t.Errorf("%s: %v", timeframe, m)
		}
	}
	m := n.must("recent_activity", args{"page_size": 1, "page": 1})
	if m["left_out"] != 1.0 || m["next_page"] != 2.0 {
		t.Errorf("a page of one: %v", m)
	}
	if m := n.must("recent_activity", args{"timeframe": "last week"}); len(m["results"].([]any)) != 0 && m["total"] != 2.0 {
		t.Errorf("last week: %v", m)
	}
	if code, _ := n.refused("recent_activity", args{"timeframe": "whenever"}); code != "usage" {
		t.Errorf("no time: %s", code)
	}
	m = n.must("list_directory", args{"dir_name": "/a"})
	nodes := m["nodes"].([]any)
	if len(nodes) != 2 || nodes[0].(args)["directory_path"] != "/a/b" && nodes[1].(args)["directory_path"] != "/a/b" {
		t.Errorf("the directory is %v", m)
	}
	if m := n.must("list_directory", args{"file_name_glob": "*.md"}); len(m["nodes"].([]any)) != 2 {
		t.Errorf("all files are %v", m)
	}
	if text, failed := n.text("list_directory", args{"output_format": "text"}); failed || text != "a/ (2)\n" {
		t.Errorf("as text: %q", text)
	}
}

// Section 13.4: search_notes with output formats. ChatGPT's pair answers one text
// that is JSON.
func TestSearchNotes(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "A Test", "content": "Words of a test.", "note_type": "concept"})
	n.must("write_note", args{"title": "Another", "content": "Words of a test."})
	text, failed := n.text("search_notes", args{"query": "test", "search_type": "fts"})
	if failed || !strings.HasPrefix(text, "### A Test\n") || json.Valid([]byte(text)) {
		t.Errorf("as text: %s", text)
	}
	m := n.must("search_notes", args{"query": "test", "search_type": "text", "output_format": "json", "note_types": []string{"concept"}})
	if list := m["results"].([]any); len(list) != 1 || list[0].(args)["permalink"] != "a-test" {
		t.Errorf("of a type: %v", m)
	}
	m = n.must("search_notes", args{"query": "words", "search_type": "fts", "output_format": "json", "page": 2, "page_size": 1})
	if len(m["results"].([]any)) != 1 || m["left_out"] != 0.0 {
		t.Errorf("page 2: %v", m)
	}
	hit := n.must("search", args{"query": "A Test"})["results"].([]any)[0].(args)
	if !reflect.DeepEqual(hit, args{"id": "vault:a-test", "title": "A Test", "url": "memory://vault/a-test"}) {
		t.Errorf("search finds %v", hit)
	}
	m = n.must("fetch", args{"id": hit["id"]})
	if m["title"] != "A Test" || !strings.Contains(m["text"].(string), "Words of a test.") || m["metadata"].(args)["type"] != "concept" || m["url"] != hit["url"] {
		t.Errorf("fetch answers %v", m)
	}
}

// A project is named in any case, by its permalink or by its id.
func TestProjectsByAnyName(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	a := n.bed.Open()
	dir := filepath.Join(n.bed.Home, "other")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	added := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: "My Research"}))(t)
	for i, name := range []string{"My Research", "my research", "my-research", "MY-RESEARCH", string(added.ID), strings.ToUpper(string(added.ID))} {
		m := n.must("write_note", args{"title": "N" + string(rune('a'+i)), "content": "x", "project": name})
		if !strings.HasPrefix(m["ref"].(string), "my-research:") {
			t.Errorf("in %q: %v", name, m["ref"])
		}
		if _, failed := n.text("delete_note", args{"path": "n" + string(rune('a'+i)), "project_id": name}); failed {
			t.Errorf("nothing is deleted in %q", name)
		}
	}
	if code, says := n.refused("read_note", args{"path": "x", "project": "nope"}); code != "not_found" || !strings.Contains(says, "my-research") {
		t.Errorf("an unknown project: %s %s", code, says)
	}
}

// Section 7.3 of the specification: what a URI may name; 13.4: build_context resolves
// a memory URI.
func TestURIs(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	a := n.bed.Open()
	dir := filepath.Join(n.bed.Home, "other")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: "My Research"}))(t)
	n.must("write_note", args{"title": "Ember Kiln?", "content": "Hot.\n\n- [temp] 1222 °C #cone\n- fires [[Mugs]]\n", "directory": "projects"})
	mugs := n.must("write_note", args{"title": "Mugs", "content": "200 of them.", "directory": "things"})
	n.must("write_note", args{"title": "Far Away", "content": "In the other.\n\n- about [[vault/projects/ember-kiln]]\n", "project": "my-research", "directory": "deep/down"})

	for uri, want := range map[string]string{
		"memory://projects/ember-kiln":                "vault:projects/ember-kiln",
		"projects/ember-kiln":                         "vault:projects/ember-kiln",
		"memory://vault/projects/ember-kiln":          "vault:projects/ember-kiln",
		"memory://my-research/deep/down/far-away":     "my-research:deep/down/far-away",
		"memory://My%20Research/deep/down/far-away":   "my-research:deep/down/far-away",
		"my-research/deep/down/far-away":              "my-research:deep/down/far-away",
		"memory://Ember Kiln%3F":                      "vault:projects/ember-kiln",
		"memory://projects/ember-kiln.md":             "vault:projects/ember-kiln",
		"memory://id/" + mugs["external_id"].(string): "vault:things/mugs",
		"memory://things/*":                           "vault:things/mugs",
		"memory://**/mugs":                            "vault:things/mugs",
		"memory://pages/vault:things/mugs":            "vault:things/mugs",
	} {
		if m := n.must("read_note", args{"path": uri}); m["ref"] != want {
			t.Errorf("%s is %v", uri, m["ref"])
		}
		m := n.must("build_context", args{"url": uri})
		if list := m["results"].([]any); len(list) != 1 || list[0].(args)["primary_result"].(args)["ref"] != want {
			t.Errorf("the context of %s is %v", uri, m)
		}
		r, err := n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if !strings.HasPrefix(uri, "memory://") {
			continue
		}
		if err != nil || len(r.Contents) != 1 || r.Contents[0].URI != uri || !strings.Contains(r.Contents[0].Text, "---\n") {
			t.Errorf("resources/read of %s answers %v, %v", uri, r, err)
		}
	}
	for uri, rule := range map[string]string{
		"memory://": "empty", "memory://a://b": `"://"`, "memory://a//b": `"//"`, "memory://a<b": `"<"`,
		"memory://a>b": `">"`, "memory://a|b": `"|"`, "memory://a?b": `"?"`, `memory://a"b`: `"\""`,
	} {
		for _, tool := range []string{"read_note", "build_context", "edit_note", "delete_note"} {
			in := args{"path": uri}
			if tool == "edit_note" {
				in["operation"], in["content"] = "append", "x"
			}
			if code, says := n.refused(tool, in); code != "usage" || !strings.Contains(says, rule) {
				t.Errorf("%s of %s: %s %s", tool, uri, code, says)
			}
		}
		if _, err := n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "is not the URI of a page") {
			t.Errorf("resources/read of %s answers %v", uri, err)
		}
	}
	if code, says := n.refused("read_note", args{"path": "memory://**"}); code != "ambiguous" || !strings.Contains(says, "vault:things/mugs.md") {
		t.Errorf("a pattern of two: %s %s", code, says)
	}
}

func TestBuildContext(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	a := n.bed.Open()
	dir := filepath.Join(n.bed.Home, "other")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: "other"}))(t)
	n.must("write_note", args{"title": "Hub", "content": "The middle.\n\n- [state] steady\n- leads_to [[Near]]\n- [[Hub]]\n"})
	n.must("write_note", args{"title": "Near", "content": "- leads_to [[Hub]]\n- knows [[Far]]\n"})
	n.must("write_note", args{"title": "Far", "content": "- knows [[Near]]\n"})
	n.must("write_note", args{"title": "Abroad", "content": "- about [[vault/hub]]\n", "project": "other"})

	refs := func(m args) (out []string) {
		for _, r := range m["results"].([]any)[0].(args)["related_results"].([]any) {
			out = append(out, r.(args)["ref"].(string))
		}
		return out
	}
	m := n.must("build_context", args{"path": "memory://hub"})
	if got := refs(m); !reflect.DeepEqual(got, []string{"other:abroad", "vault:near"}) { // as near, the newest first
		t.Errorf("around it are %v", got)
	}
	result := m["results"].([]any)[0].(args)
	if result["observations"].([]any)[0].(args)["permalink"] != "hub/observations/state/steady" || !strings.HasPrefix(result["primary_result"].(args)["content"].(string), "The middle.") {
		t.Errorf("the result is %v", result)
	}
	meta := m["metadata"].(args)
	if meta["uri"] != "memory://hub" || meta["depth"] != 1.0 || meta["timeframe"] != nil || meta["primary_count"] != 1.0 || meta["related_count"] != 2.0 || meta["generated_at"] == nil {
		t.Errorf("the metadata is %v", meta)
	}
	m = n.must("build_context", args{"path": "hub", "depth": 3, "compact": true, "workspace": nil})
	if got := refs(m); !reflect.DeepEqual(got, []string{"other:abroad", "vault:near", "vault:far"}) {
		t.Errorf("at depth 3 there are %v", got)
	}
	m = n.must("build_context", args{"path": "hub", "depth": 2, "max_related": 1})
	if left := m["metadata"].(args)["left_out"].(args); left["related"] != 1.0 || left["at_least"] != true {
		t.Errorf("left out are %v", left)
	}
	m = n.must("build_context", args{"path": "*", "page_size": 2})
	if left := m["metadata"].(args)["left_out"].(args); len(m["results"].([]any)) != 2 || left["primary"] != 1.0 {
		t.Errorf("a pattern answers %v", m["metadata"])
	}
	m = n.must("build_context", args{"path": "hub", "timeframe": "2001"})
	if m["metadata"].(args)["primary_count"] != 1.0 {
		t.Errorf("since 2001: %v", m["metadata"])
	}
	for uri, want := range map[string]string{"memory://hub/observations/state/steady": "observation", "hub/leads-to/near": "relation"} {
		p := n.must("build_context", args{"url": uri})["results"].([]any)[0].(args)["primary_result"].(args)
		if line := strings.Split(n.file("hub.md"), "\n")[int(p["line"].(float64))-1]; p["type"] != want || want == "observation" && line != "- [state] steady" || want == "relation" && line != "- leads_to [[Near]]" {
			t.Errorf("%s leads to %q: %v", uri, line, p)
		}
	}
	for _, in := range []args{{"path": "hub", "depth": 6}, {"path": "hub", "timeframe": "whenever"}, {"path": "nowhere/at/all"}} {
		if code, _ := n.refused("build_context", in); code != "usage" && code != "not_found" {
			t.Errorf("%v answers %s", in, code)
		}
	}
	if text, failed := n.text("build_context", args{"path": "hub", "output_format": "text"}); failed || !strings.Contains(text, "- out leads_to Near (vault:near)") {
		t.Errorf("as text: %s", text)
	}
}

// Section 13.4: list_memory_projects. An agent makes projects only where it may, and
// deletes no files.
func TestProjects(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "One", "content": "- [a] b\n- knows [[Two]]\n"})
	home := n.bed.Home
	m := n.must("create_memory_project", args{"project_name": "My Research", "project_path": filepath.Join(home, "deep/er"), "set_default": true})
	if m["name"] != "my-research" || m["created"] != true || m["is_default"] == true {
		t.Errorf("makes %v", m)
	}
	n.must("write_note", args{"title": "There", "content": "x", "project": "My Research"})
	if _, err := os.Stat(filepath.Join(home, "deep/er/there.md")); err != nil {
		t.Error(err)
	}
	list := n.must("list_memory_projects", nil)["projects"].([]any)
	if len(list) != 2 {
		t.Fatalf("the projects are %v", list)
	}
	vault := list[1].(args)
	for key, want := range map[string]any{
		"name": "vault", "path": n.dir, "permalink": "vault", "is_active": true, "is_default": false,
		"note_count": 1.0, "observation_count": 1.0, "relation_count": 1.0, "unresolved_count": 1.0,
	} {
		if vault[key] != want {
			t.Errorf("%s is %v, not %v", key, vault[key], want)
		}
	}
	if vault["external_id"] == nil {
		t.Errorf("the projects are %v", list)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(home, "way-out")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, filepath.Join(home, ".hidden"), filepath.Join(home, "a/.b/c"), outside, filepath.Join(home, "way-out/x"), filepath.Join(home, "../beside")} {
		if code, _ := n.refused("create_memory_project", args{"name": "x", "path": dir}); code != "refused" {
			t.Errorf("a project in %s: %s", dir, code)
		}
		if _, err := os.Stat(filepath.Join(dir, ".cairn")); err == nil {
			t.Errorf("something was made in %s", dir)
		}
	}
	if code, _ := n.refused("create_memory_project", args{"name": "VAULT", "path": filepath.Join(home, "another")}); code != "conflict" {
		t.Errorf("a name that is taken: %s", code)
	}
	if code, _ := n.refused("delete_project", args{"project_name": "vault", "delete_notes": true}); code != "refused" {
		t.Errorf("deleting the files: %s", code)
	}
	if code, _ := n.refused("delete_project", args{"project_name": "vault"}); code != "refused" {
		t.Errorf("forgetting a project: %s", code)
	}
	full := filepath.Join(home, "full")
	if err := os.MkdirAll(full, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "CLAUDE.md"), []byte("rules\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{full, filepath.Join(n.dir, "below"), filepath.Dir(n.dir)} {
		if code, _ := n.refused("create_memory_project", args{"name": "x", "path": dir}); code != "refused" {
			t.Errorf("a project in %s: %s", dir, code)
		}
	}
}

// Without a project that is chosen a note goes to the first.
func TestFirstProject(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	apptest.OK(gitsync.AddSpace(t.Context(), n.bed.Open(), space.AddRequest{Database: true, Name: "another"}))(t)
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.bed.Home, Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	if m := n.must("write_note", args{"title": "X", "content": "y"}); m["ref"] != "vault:x" { // not the first by name
		t.Errorf("it goes to %v", m["ref"])
	}
	n.must("write_note", args{"title": "Z", "content": "y", "project": "another"})
	if m := n.must("recent_activity", nil); len(m["results"].([]any)) != 2 {
		t.Errorf("of all projects: %v", m)
	}
}

// A server that was started for one project refuses another.
func TestPinnedProject(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	a := n.bed.Open()
	other := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Database: true, Name: "other"}))(t)
	n.must("write_note", args{"title": "Theirs", "content": "secret words", "project": "other"})
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.dir, Space: "vault", Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	n.must("write_note", args{"title": "Ours", "content": "words", "project": "vault"})
	for tool, in := range map[string]args{
		"write_note": {"title": "T", "content": "x", "project": "other"}, "read_note": {"path": "other:theirs"},
		"edit_note": {"path": "memory://other/theirs", "operation": "append", "content": "x"}, "delete_note": {"path": "theirs", "project": "other"},
		"search_notes": {"query": "words", "project": "other"}, "recent_activity": {"project": string(other.ID)}, "list_directory": {"project": "other"},
		"build_context": {"path": "other:theirs"}, "read_content": {"path": "theirs", "project": "other"},
	} {
		if code, _ := n.refused(tool, in); code != "refused" {
			t.Errorf("%s answers %s", tool, code)
		}
	}
	m := n.must("search_notes", args{"query": "words", "project": "*", "search_type": "fts", "output_format": "json"})
	if list := m["results"].([]any); len(list) != 1 || list[0].(args)["ref"] != "vault:ours" {
		t.Errorf("a search everywhere finds %v", m)
	}
	if list := n.must("list_memory_projects", nil)["projects"].([]any); len(list) != 1 {
		t.Errorf("the projects are %v", list)
	}
}

func TestReadContent(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for name, text := range map[string]string{
		"a.png": png, "b.bin": "\x00\x01\x02", "c.canvas": `{"nodes":[]}`, "d.md": "# D\n", ".secret": "x", "no/e.txt": "y", ".gitignore": "no/\n",
		"big.bin": strings.Repeat("x", 1<<20+1),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(n.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := n.c.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_content", Arguments: args{"path": "a.png"}})
	if err != nil || len(r.Content) != 1 {
		t.Fatal(r, err)
	}
	if image, ok := r.Content[0].(*mcp.ImageContent); !ok || string(image.Data) != png || image.MIMEType != "image/png" {
		t.Errorf("the image is %v", r.Content[0])
	}
	if m := n.must("read_content", args{"path": "b.bin"}); m["type"] != "document" || m["source"].(args)["data"] != "AAEC" {
		t.Errorf("other bytes are %v", m)
	}
	if m := n.must("read_content", args{"path": "c.canvas"}); m["text"] != `{"nodes":[]}` {
		t.Errorf("the canvas is %v", m)
	}
	if m := n.must("read_content", args{"path": "d"}); m["text"] != "# D\n" || m["content_type"] != "text/markdown" {
		t.Errorf("the note is %v", m)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(n.dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		".secret": "not_found", "no/e.txt": "not_found", "../vault/d.md": "usage", "/../x.txt": "usage", "nothing.txt": "not_found",
		"link.txt": "not_found", "big.bin": "usage", ".cairn/space.toml": "not_found",
	} {
		if code, _ := n.refused("read_content", args{"path": path}); code != want {
			t.Errorf("%s answers %s", path, code)
		}
	}
}

// The schema tools of the set take the names that its clients use.
func TestSchemaTools(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Ada", "content": "- [name] Ada\n", "note_type": "person"})
	n.must("write_note", args{"title": "Person", "content": "x", "note_type": "schema", "metadata": args{"entity": "person", "schema": args{"name": "string", "mail": "string"}}})
	if m := n.must("schema_infer", args{"note_type": "person", "output_format": "json"}); m["type"] != "person" {
		t.Errorf("infers %v", m)
	}
	m := n.must("schema_validate", args{"note_type": "person"})
	if m["total"] != 1.0 {
		t.Errorf("validates %v", m)
	}
	n.must("schema_diff", args{"note_type": "person", "project": "vault"})
}

// The prompts hold what the notes say; project_info counts.
func TestNotePrompts(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Clay Supplier", "content": "- [price] 0.84 a kilo\n- supplies [[Nobody]]\n"})
	for name, tc := range map[string]struct {
		args map[string]string
		want string
	}{
		"continue_conversation": {map[string]string{"topic": "clay"}, "vault:clay-supplier"},
		"search":                {map[string]string{"query": "clay", "timeframe": "7d"}, "vault:clay-supplier"},
		"recent_activity":       {map[string]string{"timeframe": "1 day"}, "Clay Supplier (vault:clay-supplier)"},
		"ai_assistant_guide":    {nil, "- vault ["},
	} {
		r, err := n.c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: tc.args})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := r.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, tc.want) {
			t.Errorf("%s says %s", name, text)
		}
	}
	if _, err := n.c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "search"}); err == nil || !strings.Contains(err.Error(), "needs a query") {
		t.Errorf("a search for nothing answers %v", err)
	}
	r, err := n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://project_info"})
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Projects []args }
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &m); err != nil || len(m.Projects) != 1 || m.Projects[0]["note_count"] != 1.0 || m.Projects[0]["observation_count"] != 1.0 || m.Projects[0]["unresolved_count"] != 1.0 {
		t.Errorf("project_info is %s, %v", r.Contents[0].Text, err)
	}
}

// A canvas is written whole, read as its bytes, found by what it says, and its links
// follow notes that move.
func TestCanvas(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.must("write_note", args{"title": "Ada", "content": "x", "directory": "people"})
	board := args{"title": "Plan", "folder": "boards", "nodes": []any{
		args{"id": "a", "type": "file", "file": "people/ada.md", "x": 0, "y": 0, "width": 200, "height": 100},
		args{"id": "b", "type": "text", "text": "Kiln firing", "x": 300, "y": 0, "width": 200, "height": 100},
	}, "edges": []any{args{"id": "e", "fromNode": "b", "toNode": "a", "label": "asks"}}}
	m := n.must("canvas", board)
	if m["file_path"] != "boards/plan.canvas" || m["action"] != "created" || m["type"] != "canvas" {
		t.Errorf("writes %v", m)
	}
	if code, _ := n.refused("canvas", board); code != "conflict" {
		t.Errorf("a second one of the title: %s", code)
	}
	board["overwrite"] = true
	if m := n.must("canvas", board); m["action"] != "unchanged" {
		t.Errorf("the same again: %v", m)
	}
	n.must("move_note", args{"path": "people/ada", "destination_path": "staff/ada.md"})
	if text := n.file("boards/plan.canvas"); !strings.Contains(text, `"staff/ada.md"`) {
		t.Errorf("then it is %s", text)
	}
	m = n.must("read_note", args{"path": "boards/plan.canvas"})
	kinds := map[any]any{}
	for _, r := range m["relations"].([]any) {
		kinds[r.(args)["relation_type"]] = r.(args)["to_permalink"]
	}
	if !reflect.DeepEqual(kinds, map[any]any{"links_to": "staff/ada", "asks": "staff/ada"}) {
		t.Errorf("its relations are %v", m["relations"])
	}
	if m := n.must("read_content", args{"path": "boards/plan.canvas"}); !strings.Contains(m["text"].(string), "Kiln firing") || m["content_type"] != "application/json" {
		t.Errorf("its bytes are %v", m)
	}
	m = n.must("search_notes", args{"query": "kiln firing", "search_type": "fts", "output_format": "json"})
	if list := m["results"].([]any); len(list) != 1 || list[0].(args)["permalink"] != "boards/plan-canvas" || list[0].(args)["content"] != "Kiln firing\n\nasks" {
		t.Errorf("a search finds %v", list)
	}
	if code, says := n.refused("edit_note", args{"path": "boards/plan.canvas", "operation": "append", "content": "x"}); code != "invalid" || !strings.Contains(says, "canvas") {
		t.Errorf("an edit: %s %s", code, says)
	}
	for _, in := range []args{{"title": "X", "nodes": []any{args{"id": "a"}}}, {"title": "X", "nodes": args{}}, {"title": "X", "nodes": []any{}, "edges": []any{args{"id": "e", "fromNode": "a", "toNode": "b"}}}} {
		if code, _ := n.refused("canvas", in); code != "invalid" {
			t.Errorf("%v: %s", in, code)
		}
	}
	n.must("canvas", args{"title": "Empty.canvas", "nodes": "[]"})
	n.file("empty.canvas")
}

// project_info says what a server that lives long has read of other programs' changes.
func TestProjectInfoOfSync(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.bed.Opts.Watch = true
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.dir, Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	n.outside("a.md", "One.\n")
	n.must("recent_activity", nil)
	n.outside("a.md", "One and two.\n")
	n.must("recent_activity", nil)
	r, err := n.c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://project_info"})
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Projects []struct {
			Sync struct {
				Running bool
				api.Activity
			}
		}
	}
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &m); err != nil || len(m.Projects) != 1 {
		t.Fatal(r.Contents[0].Text, err)
	}
	a := m.Projects[0].Sync
	if !a.Running || a.Files != 2 || a.Errors != 0 || a.Since.IsZero() || len(a.Events) != 2 || a.Events[0].Change != "changed" || a.Events[1].Change != "added" || a.Events[1].Path != "a.md" {
		t.Errorf("project_info is %s", r.Contents[0].Text)
	}
	for _, p := range n.must("list_memory_projects", nil)["projects"].([]any) {
		if p.(args)["sync"] != nil {
			t.Errorf("the list is longer than it need be: %v", p)
		}
	}
}
