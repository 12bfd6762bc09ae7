package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Sessions of clients with Basic Memory, as they were recorded there, are had with the set
// notes again: what was answered there is answered here, and what was refused is refused,
// but for what elsewhere and refusedHere name. CAIRN_EXPORTS is the directory of such
// recordings.
func TestRecordedSession(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("CAIRN_EXPORTS")
	if dir == "" {
		t.Skip("CAIRN_EXPORTS names no directory of other programs' data")
	}
	bed := apptest.New(t)
	s := mcpserver.New(mcpserver.Options{Memory: bed.Lazy(), Dir: bed.Home, Sets: []operation.Set{operation.Notes}})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "fixture-recorder", Version: "1"}, nil))
	r := replay{notes: notes{t, c, bed, filepath.Join(bed.Home, "brindlewick")}, seen: map[string]bool{}, used: map[string]bool{}}
	// What lay in the directory of the project besides.
	if err := os.CopyFS(filepath.Join(r.dir, "from-disk"), os.DirFS(filepath.Join(dir, "basic-memory", "projects", "brindlewick", "from-disk"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session.jsonl", "session-2.jsonl"} {
		r.session(filepath.Join(dir, "basic-memory", name))
	}
	if r.calls < 120 {
		t.Errorf("%d calls were had again", r.calls)
	}
	for _, tool := range operation.Tools() {
		// Boards were written there once, and are not any more.
		if tool.Offered([]operation.Set{operation.Notes}, false) && !r.seen[tool.Name] && tool.Name != "canvas" {
			t.Errorf("no call of %s was recorded", tool.Name)
		}
	}
	for name := range elsewhere {
		if !r.used[name] {
			t.Errorf("no call of %s was recorded", name)
		}
	}
	for _, x := range refusedHere {
		if !r.used[x.part] {
			t.Errorf("no call with %s was recorded", x.part)
		}
	}
}

// replay is a recording that is had again.
type replay struct {
	notes
	calls      int
	seen, used map[string]bool
}

// recorded is a line of a recording.
type recorded struct {
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
		Error json.RawMessage
	}
}

func (r *replay) session(file string) {
	f, err := os.Open(file)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			r.t.Error(err)
		}
	}()
	asked := map[int]recorded{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var l recorded
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			continue // a message without a number
		}
		if l.From == "client" && l.Message.Method == "tools/call" {
			asked[l.Message.ID] = l
		}
		if call, ok := asked[l.Message.ID]; ok && l.From == "server" && (l.Message.Result != nil || l.Message.Error != nil) {
			delete(asked, l.Message.ID)
			r.again(call, l)
		}
	}
	if err := in.Err(); err != nil {
		r.t.Fatal(err)
	}
}

// again has a call again, and compares the answers.
func (r *replay) again(call, answer recorded) {
	name, given := call.Message.Params.Name, string(call.Message.Params.Arguments)
	for was, is := range named {
		given = strings.ReplaceAll(given, was, is)
	}
	given = strings.ReplaceAll(given, "/tmp/acme/basic-memory", r.bed.Home)
	got, err := r.c.CallTool(r.t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(given)})
	if elsewhere[name] {
		if r.used[name] = true; err == nil && !got.IsError {
			r.t.Errorf("%s is answered", name)
		}
		return
	}
	if err != nil {
		r.t.Errorf("%s %s: %v", name, given, err)
		return
	}
	r.calls++
	r.seen[name] = true
	want := call.Want
	for _, x := range refusedHere {
		if strings.Contains(name+" "+given, x.part) {
			want, r.used[x.part] = x.want, true
		}
	}
	if want == "" {
		return // there a refusal was a text like any other
	}
	text := ""
	if c, ok := got.Content[0].(*mcp.TextContent); ok {
		text = c.Text
	}
	if got.IsError != (want == "error") {
		r.t.Errorf("%s %.300s: it was %s, and is %.300s", name, given, want, text)
		return
	}
	if !strings.Contains(given, `"output_format": "json"`) && !strings.Contains(given, `"output_format":"json"`) || got.IsError || answer.Message.Result == nil {
		return
	}
	var was, is map[string]any
	if json.Unmarshal([]byte(answer.Message.Result.Content[0].Text), &was) != nil {
		return // a list there
	}
	if err := json.Unmarshal([]byte(text), &is); err != nil {
		r.t.Errorf("%s answers no data: %v", name, err)
	}
	for _, key := range shapes[name] {
		if fmt.Sprintf("%T", was[key]) != fmt.Sprintf("%T", is[key]) {
			r.t.Errorf("%s %.200s: %s was %v, and is %v", name, given, key, was[key], is[key])
		}
	}
}

// elsewhere are tools that the set does not have: those of the file system and the
// manual, which say in other words what read_note, search_notes and list_directory do,
// what belongs to a cloud, and one that there is nowhere.
var elsewhere = map[string]bool{
	"cat": true, "grep": true, "ls": true, "find": true, "tail": true, "man": true,
	"list_workspaces": true, "basic_memory_diagnostics": true, "no_such_tool": true,
}

// named are names that differ: letters stay what they are in permalinks, and files are
// called in lower case with hyphens.
var named = map[string]string{
	"people/nuria-pujol-i-barbara": "people/núria-pujol-i-bàrbara", "companies/harbourlight-cafes": "companies/harbourlight-cafés",
	"companies/polnoc-clay": "companies/północ-clay", "people/Odalys Ferrant.md": "people/odalys-ferrant.md",
}

// refusedHere are calls that end otherwise, by a part of them.
var refusedHere = []struct{ part, want, because string }{
	{`"no directory"`, "ok", "a directory need not be given"},
	{`"type": ["relation"]`, "error", "recent_activity lists notes; search_notes lists what is in them"},
	{`"valid_at"`, "error", "observations have no interval here"},
	{`"delete_notes": true`, "error", "files are deleted by people"},
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
