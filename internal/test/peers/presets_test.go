package peers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/presets"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// turn is a call of a tool, or, without a tool, what a person does with the command line.
type turn struct {
	tool   string
	args   map[string]any
	person []string
}

// What a model reads in a session, from the hook of its client and by a client of MCP: the
// first text, the instructions, the tools, and the answers to calls that an agent makes, right
// and wrong ones. Each golden file is meant to be read by a person.
func TestSessionsOfPresets(t *testing.T) {
	t.Parallel()
	all := []struct {
		preset string
		sets   string
		turns  []turn
	}{
		{"guarded", "core", []turn{
			{person: []string{"capture", "Indent with tabs.", "--title", "Tabs", "--stable", "--type", "preference"}},
			{tool: "recall", args: map[string]any{"query": "indent"}},
			{tool: "remember", args: map[string]any{"text": "Run gofmt before each commit. CI refuses other forms.", "title": "Gofmt"}},
			{tool: "remember", args: map[string]any{"text": strings.Repeat("This sentence does not end and ", 8) + "goes on.", "title": "Long"}},
			{tool: "remember", args: map[string]any{"text": "The newer files are indented with spaces.", "title": "Spaces", "set": map[string]any{"confidence": "observed"}}},
			{tool: "edit", args: map[string]any{"ref": "tabs", "edits": []any{map[string]any{"do": "replace", "find": "tabs", "text": "spaces"}}}},
			{tool: "contest", args: map[string]any{"a": "Tabs", "b": "Spaces", "reason": "The newer files have spaces."}},
			{tool: "edit", args: map[string]any{"ref": "Spaces", "edits": []any{map[string]any{"do": "set", "key": "status", "text": "superseded"}}}},
			{tool: "read", args: map[string]any{"ref": "Tabs"}},
			{tool: "undo"},
			{tool: "status"},
		}},
		{"context", "core,context", []turn{
			{tool: "inject"},
			{tool: "today", args: map[string]any{"kind": "log", "text": "Sent the invoice to Ada."}},
			{tool: "today", args: map[string]any{"kind": "task", "text": "Call Byron."}},
			{tool: "remember", args: map[string]any{"text": "Byron prefers short mails.", "title": "Byron"}},
			{tool: "write", args: map[string]any{"ref": "knowledge/anything/else", "text": "# Else\n"}},
			{tool: "read", args: map[string]any{"ref": "user/profile"}},
			{tool: "inbox"},
			{tool: "routine"},
			{tool: "inject"},
		}},
		{"notes", "notes", []turn{
			{tool: "write_note", args: map[string]any{"title": "Coffee", "directory": "drinks", "content": "# Coffee\n\n- [method] Pour over is clear #brewing\n- relates_to [[Water]]\n"}},
			{tool: "write_note", args: map[string]any{"title": "Coffee", "directory": "drinks", "content": "Again.\n"}},
			{tool: "search_notes", args: map[string]any{"query": "pour over"}},
			{tool: "read_note", args: map[string]any{"identifier": "drinks/coffee"}},
			{tool: "edit_note", args: map[string]any{"identifier": "Tea", "operation": "append", "content": "Green.\n"}},
			{tool: "list_directory"},
			{tool: "build_context", args: map[string]any{"url": "memory://drinks/coffee"}},
		}},
		{"capture", "core,capture", []turn{
			{tool: "capture", args: map[string]any{"text": "The deploy fails when the cache is cold: warm it first.", "title": "Cold cache"}},
			{tool: "capture", args: map[string]any{"text": "The deploy fails when the cache is cold: warm it first."}},
			{tool: "capture", args: map[string]any{"text": "A cold cache makes the deploy fail.", "extend": "cold-cache"}},
			{tool: "capture", args: map[string]any{"text": "A build needs a warm cache.", "supersedes": []string{"cold-cache"}}},
			{tool: "recall", args: map[string]any{"query": "why does the deploy fail"}},
			{tool: "edit", args: map[string]any{"ref": "Cold cache", "edits": []any{map[string]any{"do": "append", "text": "make warm does it."}}}},
			{tool: "remember", args: map[string]any{"text": ""}},
			{tool: "show", args: map[string]any{"ref": "Cold cache"}},
			{tool: "stale"},
			{tool: "context"},
			{tool: "status"},
		}},
		{"memory", "core", []turn{
			{tool: "remember", args: map[string]any{"text": "Deploys go through staging first.", "title": "Deploys"}},
			{tool: "remember", args: map[string]any{"text": "Deploys need a second person.", "title": "Deploys"}},
			{tool: "recall", args: map[string]any{"query": "how do deploys go"}},
			{tool: "read", args: map[string]any{"ref": "deploy"}},
			{tool: "edit", args: map[string]any{"ref": "deploys", "edits": []any{map[string]any{"do": "append", "text": "On Fridays there are none."}}}},
			{tool: "recall", args: map[string]any{"query": "penguins"}},
			{tool: "status"},
		}},
	}
	if len(all) != len(presets.Names()) {
		t.Errorf("sessions in %d presets, of %q", len(all), presets.Names())
	}
	for _, session := range all {
		t.Run(session.preset, func(t *testing.T) {
			t.Parallel()
			got := sessionOf(t, session.preset, session.sets, session.turns)
			golden := filepath.Join("testdata", "sessions", session.preset+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// sessionOf is the transcript of a session in a new space of a preset.
func sessionOf(t *testing.T, preset, sets string, turns []turn) string {
	u := newUser(t)
	dir := filepath.Join(u.home, "space")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	in := func(name string, args ...string) *exec.Cmd {
		cmd := u.command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "CAIRN_EMBED=off", "TZ=UTC")
		return cmd
	}
	run := func(name string, args ...string) string {
		out, err := in(name, args...).Output()
		if err != nil {
			t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
		}
		return string(out)
	}
	cairn := cairntest.Binary(t)
	run("git", "config", "--global", "user.name", "Ada")
	run("git", "config", "--global", "user.email", "ada@example.org")
	add := []string{"space", "add", dir, "--preset", preset, "--name", "kb"}
	if preset == "guarded" {
		add = append(add, "--init")
	}
	run(cairn, add...)
	var out strings.Builder
	var hook struct {
		Output struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(run(cairn, "prime", "--format", "hook", "--actor", "peer")), &hook); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "== the hook of the client\n%s", hook.Output.Text)
	client := mcp.NewClient(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	server := in(cairn, "mcp", "--toolsets", sets)
	server.Stderr = t.Output()
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSession(t, s)
	fmt.Fprintf(&out, "\n== instructions\n%s\n", s.InitializeResult().Instructions)
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	fmt.Fprintf(&out, "\n== tools\n%s\n", strings.Join(names, " "))
	for _, st := range turns {
		if st.person != nil {
			fmt.Fprintf(&out, "\n== a person: cairn %s\n", strings.Join(st.person, " "))
			run(cairn, st.person...)
			continue
		}
		args, err := json.Marshal(st.args)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: st.tool, Arguments: st.args})
		if err != nil {
			t.Fatalf("%s: %v", st.tool, err)
		}
		failed := ""
		if r.IsError {
			failed = " fails"
		}
		fmt.Fprintf(&out, "\n== %s %s%s\n%s\n", st.tool, strings.TrimPrefix(string(args), "null"), failed, r.Content[0].(*mcp.TextContent).Text)
	}
	return normal(out.String(), u.home)
}

// normal is a transcript without what differs from run to run: directories, ids and times.
func normal(text, home string) string {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		text = strings.ReplaceAll(text, real, "HOME")
	}
	text = strings.ReplaceAll(text, home, "HOME")
	for _, of := range differs {
		text = of.is.ReplaceAllString(text, of.shown)
	}
	return text
}

var differs = []struct {
	is    *regexp.Regexp
	shown string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`cn-[0-9a-f]{4,}`), "cn-ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "TIME"},
	{regexp.MustCompile(`"open_gaps":\d+,`), ""}, // a question without an answer is recorded after the answer
	{regexp.MustCompile(`\d{14}-`), "STAMP-"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "DATE"},
	{regexp.MustCompile(`\b\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b`), "DAY"},
	{regexp.MustCompile(`"(database_)?bytes":\d+`), `"${1}bytes":N`},
	{regexp.MustCompile(`"checksum":"[0-9a-f]+"`), `"checksum":"SUM"`},
	{regexp.MustCompile(`"(version|go)":"[^"]*"`), `"$1":"V"`},
}
