package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session of a client with Basic Memory, as it was recorded there, is had with the
// set notes again: what was answered there is answered here, and what was refused is
// refused. CAIRN_EXPORTS is the directory of such recordings.
func TestRecordedSession(t *testing.T) {
	dir := os.Getenv("CAIRN_EXPORTS")
	if dir == "" {
		t.Skip("CAIRN_EXPORTS names no directory of other programs' data")
	}
	f, err := os.Open(filepath.Join(dir, "basic-memory", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	n := newNotes(t)
	type line struct {
		From    string
		Want    string
		Message struct {
			ID     int
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
			Result *struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
	}
	asked, replayed, seen := map[int]line{}, 0, map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			continue // a message without a number
		}
		if l.From == "client" && l.Message.Method == "tools/call" {
			asked[l.Message.ID] = l
		}
		call, ok := asked[l.Message.ID]
		if l.From != "server" || !ok || l.Message.Result == nil || call.Want == "" {
			continue
		}
		delete(asked, l.Message.ID)
		name := call.Message.Params.Name
		given := strings.ReplaceAll(string(call.Message.Params.Arguments), "/tmp/acme/basic-memory", n.bed.Home)
		if _, other := elsewhere[name]; other || slices.ContainsFunc(differs, func(part string) bool { return strings.Contains(name+" "+given, part) }) {
			continue
		}
		r, err := n.c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(given)})
		if err != nil {
			t.Errorf("%s %s: %v", name, given, err)
			continue
		}
		replayed++
		seen[name] = true
		if r.IsError != (call.Want == "error") {
			text := ""
			if c, ok := r.Content[0].(*mcp.TextContent); ok {
				text = c.Text
			}
			t.Errorf("%s %.300s: it was %s, and is %.300s", name, given, call.Want, text)
			continue
		}
		if !strings.Contains(given, `"output_format": "json"`) && !strings.Contains(given, `"output_format":"json"`) || r.IsError {
			continue
		}
		var was, is map[string]any
		if json.Unmarshal([]byte(l.Message.Result.Content[0].Text), &was) != nil {
			continue // a list there
		}
		if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &is); err != nil {
			t.Errorf("%s answers no data: %v", name, err)
		}
		for _, key := range shapes[name] {
			if fmt.Sprintf("%T", was[key]) != fmt.Sprintf("%T", is[key]) {
				t.Errorf("%s %.200s: %s was %v, and is %v", name, given, key, was[key], is[key])
			}
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if replayed < 60 || len(seen) < 15 {
		t.Errorf("%d calls of %d tools were had again: %v", replayed, len(seen), seen)
	}
}

// elsewhere are tools that the set does not have: those of the file system and the
// manual, and what belongs to a cloud.
var elsewhere = map[string]bool{
	"cat": true, "grep": true, "ls": true, "find": true, "tail": true, "man": true,
	"list_workspaces": true, "basic_memory_diagnostics": true, "no_such_tool": true,
}

// differs are calls that end otherwise here, by a part of them.
var differs = []string{
	`"no directory"`,                                   // a directory need not be given
	"nuria-pujol", "harbourlight-cafes", "polnoc-clay", // letters stay what they are in permalinks
	"people/Odalys Ferrant.md",                                                                   // here that file is called odalys-ferrant.md
	"from-disk",                                                                                  // files that were put there beside the session
	`"depth": 2, "output_format"`, `"type": ["relation"]`, `"valid_at"`, `"search_all_projects"`, // arguments that are not there
	`"delete_notes": true`, // needs a person
}

// shapes are the fields that answers as data have in common.
var shapes = map[string][]string{
	"write_note": {"title", "permalink", "file_path", "checksum", "action"},
	"edit_note":  {"title", "permalink", "file_path", "checksum"},
	"read_note":  {"title", "permalink", "file_path", "content", "frontmatter"},
	"move_note":  {"moved", "title", "file_path"}, "delete_note": {"deleted", "title", "file_path"},
	"create_memory_project": {"name", "external_id", "path", "is_default", "created"},
	"list_memory_projects":  {"projects"}, "list_directory": {"nodes"},
	"search_notes": {"results", "current_page", "page_size"}, "build_context": {"results", "metadata"},
}
