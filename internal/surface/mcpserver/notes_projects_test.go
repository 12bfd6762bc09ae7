package mcpserver_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// With several projects and none chosen, tools that are about one project are about the
// first, and no tool asks for an argument that it does not have.
func TestNotesOfSeveralProjects(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.bed.Home, Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	n.must("write_note", args{"title": "Ada", "content": "A person.\n", "project": "vault", "directory": "people", "metadata": args{"prio": 1}})
	n.must("write_note", args{"title": "Plain", "content": "Nothing of it.\n"})
	n.must("create_memory_project", args{"project_name": "zoo", "project_path": filepath.Join(n.bed.Home, "zoo")})
	n.must("write_note", args{"title": "C", "content": "x\n", "project": "zoo"})
	nodes := n.must("list_directory", args{})["nodes"].([]any)
	if len(nodes) != 2 {
		t.Errorf("the first project has %v", nodes)
	}
	n.must("read_content", args{"path": "plain.md"})

	found := n.must("search_notes", args{"metadata_filters": args{"prio": nil}, "output_format": "json"})["results"].([]any)
	var titles []string
	for _, r := range found {
		titles = append(titles, r.(args)["title"].(string))
	}
	if got := strings.Join(titles, " "); got != "Plain C" && got != "C Plain" {
		t.Errorf("without prio: %q", got)
	}
	first := n.must("search_notes", args{"metadata_filters": args{"prio": nil}, "output_format": "json", "limit": 1, "offset": 1})
	if first["current_page"] != 2.0 || len(first["results"].([]any)) != 1 {
		t.Errorf("the second: %v", first)
	}

	got := n.must("edit_note", args{"path": "vault:plain", "operation": "append", "content": "", "metadata": args{"prio": 2}})
	if got["action"] != "metadata merged" || !strings.Contains(n.file("plain.md"), "prio: 2") {
		t.Errorf("%v: %q", got, n.file("plain.md"))
	}

	n.must("move_note", args{"path": "people", "is_directory": true, "destination_path": "humans"})
	old := []string{"memory://vault/people/ada", "memory://people/ada", "people/ada", "vault:people/ada"}
	for _, ref := range old {
		if text := n.must("read_note", args{"path": ref})["file_path"]; text != "humans/ada.md" {
			t.Errorf("%s leads to %v", ref, text)
		}
		if c := n.must("build_context", args{"url": ref, "output_format": "json"}); len(c["results"].([]any)) != 1 {
			t.Errorf("the context of %s: %v", ref, c)
		}
		n.must("edit_note", args{"path": ref, "operation": "append", "content": "Edited as " + ref + "."})
		if text := n.file("humans/ada.md"); !strings.Contains(text, "Edited as "+ref+".") {
			t.Errorf("edited as %s: %q", ref, text)
		}
	}
	n.must("write_note", args{"title": "Ada", "content": "Another.\n", "directory": "people", "project": "vault"})
	if text := n.must("read_note", args{"path": "memory://vault/people/ada"})["file_path"]; text != "people/ada.md" {
		t.Errorf("the URI of the new note leads to %v", text)
	}
	n.must("delete_note", args{"path": "humans", "is_directory": true})

	n.must("write_note", args{"title": "Lion", "content": "x\n", "directory": "cats/large", "project": "zoo"})
	n.must("move_note", args{"path": "cats", "is_directory": true, "destination_path": "felidae"})
	if text := n.must("read_note", args{"path": "zoo:felidae/large/lion"})["file_path"]; text != "felidae/large/lion.md" {
		t.Errorf("the directory of the second project is at %v", text)
	}
	n.must("write_note", args{"title": "Cat", "content": "x\n", "directory": "felidae", "project": "vault"})
	if code, _ := n.refused("delete_note", args{"path": "felidae", "is_directory": true}); code != "ambiguous" {
		t.Errorf("a directory of two projects: %s", code)
	}
	if _, message := n.refused("delete_note", args{"path": "reptiles", "is_directory": true}); !strings.HasPrefix(message, `no page in the directory "reptiles"`) {
		t.Errorf("a directory without notes: %s", message)
	}
}

// A ref with its project names no note of another one, neither where the note lacks what an
// edit is about nor where there is no such note.
func TestRefsNameNoDirectoriesOfOtherProjects(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.bed.Home, Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	n.must("create_memory_project", args{"project_name": "zoo", "project_path": filepath.Join(n.bed.Home, "zoo")})
	n.must("write_note", args{"title": "Lion", "content": "An animal.\n", "project": "zoo"})
	for _, title := range []string{"Lion", "Tiger"} {
		n.must("write_note", args{"title": title, "content": "A drawing.\n\n## Size\n\nSmall.\n", "project": "vault", "directory": "zoo"})
	}
	for _, name := range []string{"lion", "tiger"} {
		before := n.file("zoo/" + name + ".md")
		n.refused("edit_note", args{"path": "zoo:" + name, "operation": "insert_before_section", "section": "Size", "content": "Of paper."})
		n.refused("edit_note", args{"path": "zoo:" + name, "operation": "find_replace", "find_text": "Small", "content": "Large"})
		if after := n.file("zoo/" + name + ".md"); after != before {
			t.Errorf("an edit of zoo:%s made of vault:zoo/%s %q", name, name, after)
		}
	}
	n.refused("read_note", args{"path": "zoo:tiger"})
}

// Where notes of two projects had a name before they were moved, neither is chosen.
func TestOldNamesOfTwoProjects(t *testing.T) {
	t.Parallel()
	n := newNotes(t)
	s := mcpserver.New(mcpserver.Options{Memory: n.bed.Lazy(), Dir: n.bed.Home, Sets: []operation.Set{operation.Notes}})
	n.c = connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	n.must("create_memory_project", args{"project_name": "zoo", "project_path": filepath.Join(n.bed.Home, "zoo")})
	for _, project := range []string{"vault", "zoo"} {
		n.must("write_note", args{"title": "Todo", "content": "x\n", "project": project, "directory": "lists"})
		n.must("move_note", args{"path": "lists/todo", "destination_path": "old/" + project + ".md", "project": project})
	}
	if code, _ := n.refused("read_note", args{"path": "memory://lists/todo"}); code != "ambiguous" {
		t.Errorf("the old name of two notes: %s", code)
	}
	n.refused("edit_note", args{"path": "lists/todo", "operation": "append", "content": "Of which?"})
	n.must("delete_note", args{"path": "zoo:old/zoo"})
	if path := n.must("read_note", args{"path": "lists/todo"})["file_path"]; path != "old/vault.md" {
		t.Errorf("with one of them left it leads to %v", path)
	}
}
