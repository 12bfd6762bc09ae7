package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// bmCall is a call that Basic Memory 0.24.1 answered; record.py in testdata writes them.
type bmCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	There     string         `json:"there"`  // ok or error, with Basic Memory
	Titles    []string       `json:"titles"` // of notes, in its answer

	// What is expected of cairn where it differs, and why.
	Here       string    `json:"here"`
	TitlesHere *[]string `json:"titles_here"`
	Why        string    `json:"why"`

	Text string `json:"text"` // the beginning of its answer
}

// names reports whether the answer to the call names a note; a hit of a search may also quote
// the titles of others.
func (c bmCall) names(answer, title string) bool {
	if c.Tool == "search_notes" {
		return strings.Contains(answer, "### "+title) || strings.Contains(answer, `"title":"`+title)
	}
	return strings.Contains(answer, title)
}

// bmTitles are those that record.py looks for.
var bmTitles = []string{"Ada Lovelace", "Charles Babbage", "Analytical Engine", "Difference Engine", "Jacquard Loom", "Loom Two", "In second", "only.txt"}

// One vault and one session of a client with Basic Memory: each call ends with cairn as it
// ended there, and names the same notes, but for the differences that the recording lists.
func TestCallsOfBasicMemory(t *testing.T) {
	t.Parallel()
	from := filepath.Join("testdata", "basic-memory")
	bed := apptest.New(t)
	dir := filepath.Join(bed.Home, "vault")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(from, "vault"))); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.AddSpace(t.Context(), bed.Open(), space.AddRequest{Root: dir, Name: "main", Preset: "notes"}))(t)
	s := mcpserver.New(mcpserver.Options{Memory: bed.Lazy(), Dir: dir, Sets: []operation.Set{operation.Notes}})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	text := apptest.OK(os.ReadFile(filepath.Join(from, "calls.jsonl")))(t)
	calls := 0
	for line := range bytes.Lines(text) {
		var call bmCall
		if err := json.Unmarshal(line, &call); err != nil {
			t.Fatal(err)
		}
		calls++
		for name, v := range call.Arguments {
			if text, ok := v.(string); ok {
				call.Arguments[name] = strings.ReplaceAll(text, "HOME", bed.Home)
			}
		}
		given := apptest.OK(json.Marshal(call.Arguments))(t)
		answer, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: call.Tool, Arguments: call.Arguments})
		if err != nil {
			t.Errorf("%d: %s %s: %v", calls, call.Tool, given, err)
			continue
		}
		var got strings.Builder
		for _, part := range answer.Content {
			if part, ok := part.(*mcp.TextContent); ok {
				got.WriteString(part.Text)
			}
		}
		want, titles := call.There, call.Titles
		if call.Here != "" {
			want = call.Here
		}
		if call.TitlesHere != nil {
			titles = *call.TitlesHere
		}
		if (call.Here != "" || call.TitlesHere != nil) != (call.Why != "") || call.Here == call.There || call.TitlesHere != nil && slices.Equal(*call.TitlesHere, call.Titles) {
			t.Errorf("%d: the difference of %s %s is none, or has no reason", calls, call.Tool, given)
		}
		if answer.IsError != (want == "error") {
			t.Errorf("%d: %s %s should end with %s, and answers %.300s", calls, call.Tool, given, want, got.String())
			continue
		}
		for line := range strings.Lines(got.String()) { // an agent is not to run commands
			if strings.HasPrefix(line, "note: ") && strings.Contains(line, "cairn ") {
				t.Errorf("%d: %s %s has %s", calls, call.Tool, given, line)
			}
		}
		found := slices.DeleteFunc(slices.Clone(bmTitles), func(title string) bool { return !call.names(got.String(), title) })
		if want == "ok" && !slices.Equal(found, titles) {
			t.Errorf("%d: %s %s names %q, not %q: %.400s", calls, call.Tool, given, found, titles, got.String())
		}
	}
	if calls != 73 {
		t.Errorf("%d calls were made", calls)
	}
}
