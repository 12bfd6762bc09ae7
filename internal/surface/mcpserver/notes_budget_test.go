package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// most is how many bytes an answer has at most of which nobody says how long it may be.
const most = 20_000

// The answers of the schema tools and the list of projects are bounded, whatever the
// notes hold, and say what they leave out.
func TestAnswersWithinBudget(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	var fields strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fields, "- [category number %d] %s\n- relation_%d [[Some target %d]]\n", i, strings.Repeat("long ", 100), i, i)
	}
	declared := args{}
	for i := range 200 {
		declared[fmt.Sprintf("field_%d", i)] = "string"
	}
	n.must("write_note", args{"title": "Person", "content": "x", "note_type": "schema", "metadata": args{"entity": "person", "schema": declared}})
	for i := range 4 {
		n.must("write_note", args{"title": fmt.Sprintf("P %d", i), "content": fields.String(), "note_type": "person"})
	}
	for tool, missing := range map[string]string{"schema_infer": "fields", "schema_diff": "new fields", "schema_validate": "pages"} {
		m := n.must(tool, args{"note_type": "person"})
		text, err := json.Marshal(m)
		if left, _ := m["left_out"].(string); err != nil || len(text) > most || !strings.Contains(left, missing) {
			t.Errorf("%s answers %d bytes and leaves out %q", tool, len(text), left)
		}
	}
	// What is left out of a list of notes follows on the next page of it.
	seen, offset := map[string]bool{}, ""
	for range 20 {
		in := args{"note_type": "person"}
		if offset != "" {
			in["offset"] = json.Number(offset)
		}
		m := n.must("schema_validate", in)
		for _, p := range m["items"].([]any) {
			seen[p.(args)["ref"].(string)] = true
		}
		if offset, _ = m["next"].(string); offset == "" {
			break
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d notes were listed, want 4", len(seen))
	}
	owner := n.bed.Open()
	for i := range 30 {
		dir := filepath.Join(n.bed.Home, fmt.Sprintf("%02d-%s", i, strings.Repeat("x", 200))+"/"+strings.Repeat("y", 200)+"/"+strings.Repeat("z", 200))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		apptest.OK(gitsync.AddSpace(t.Context(), owner, space.AddRequest{Root: dir, Name: fmt.Sprintf("p%02d", i)}))(t)
	}
	m := n.must("list_memory_projects", nil)
	text, err := json.Marshal(m)
	left, _ := m["left_out"].(string)
	if err != nil || len(text) > most {
		t.Errorf("%d bytes of projects, %v", len(text), err)
	}
	if got := len(m["projects"].([]any)); got+strings.Count(left, ",")+1 != 31 || !strings.HasPrefix(left, fmt.Sprintf("%d more projects: p", 31-got)) {
		t.Errorf("%d projects, and left out are %s", got, left)
	}
}

// Arguments that clients of Basic Memory send, and the permalinks that lists answer.
func TestListsAsClientsAskForThem(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	n.outside("a/b/c.md", "---\npermalink: chosen/one\n---\nDeep kiln.\n")
	n.outside("a/d.md", "Kiln.\n")
	n.outside("Top Note.md", "Kiln.\n")
	nodes := func(in args) (out []string) {
		for _, x := range n.must("list_directory", in)["nodes"].([]any) {
			x := x.(args)
			if x["type"] == "directory" {
				out = append(out, x["directory_path"].(string))
				continue
			}
			out = append(out, x["file_path"].(string)+" "+x["permalink"].(string))
			if at, _ := x["updated_at"].(string); at == "" {
				t.Errorf("%v has no time", x["file_path"])
			}
		}
		return out
	}
	for depth, want := range map[int]string{
		1: "/a, Top Note.md top-note", 2: "/a, /a/b, a/d.md a/d, Top Note.md top-note", 3: "/a, /a/b, a/b/c.md chosen/one, a/d.md a/d, Top Note.md top-note",
	} {
		if got := strings.Join(nodes(args{"dir_name": "/", "depth": depth}), ", "); got != want {
			t.Errorf("%d levels: %s, want %s", depth, got, want)
		}
	}
	if got := strings.Join(nodes(args{"depth": 3, "page": 2, "page_size": 2}), ", "); got != "a/b/c.md chosen/one, a/d.md a/d" {
		t.Errorf("the second page: %s", got)
	}
	for _, r := range n.must("recent_activity", nil)["results"].([]any) {
		if r := r.(args); r["file_path"] == "a/b/c.md" && r["permalink"] != "chosen/one" {
			t.Errorf("recent_activity says %v", r)
		}
	}
	other := filepath.Join(n.bed.Home, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "x.md"), []byte("Another kiln.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), n.bed.Open(), space.AddRequest{Root: other, Name: "other"}))(t)
	for all, want := range map[bool]float64{false: 3, true: 4} {
		if m := n.must("search_notes", args{"query": "kiln", "search_all_projects": all, "output_format": "json"}); m["total"] != want {
			t.Errorf("of all projects %v: %v results", all, m["total"])
		}
	}
}
