package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
)

// What a model reads has no escapes that JSON does not need, and says the path
// of a page once.
func TestTextIsPlain(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	text := func(tool string, args map[string]any) string {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	text("write", map[string]any{"ref": "stones/cairn", "text": "<b>a & b</b>"})
	for _, got := range []string{
		text("read", map[string]any{"ref": "stones/cairn"}),
		text("recall", map[string]any{"query": "b", "mode": "fts"}),
		text("browse", nil),
		text("write", map[string]any{"ref": "stones/cairn", "text": "x", "expected_version": 1, "dry_run": true}),
		text("edit", map[string]any{"ref": "stones/cairn", "edits": map[string]any{"do": "replace", "find": "<i>", "text": "x"}}),
	} {
		if strings.Contains(got, `\u00`) {
			t.Errorf("it has escapes: %s", got)
		}
		if strings.Count(got, `stones/cairn"`) > 1 || strings.Contains(got, `"title":"cairn"`) || strings.Contains(got, `"path":`) {
			t.Errorf("it says the path more than once: %s", got)
		}
	}
	if got := text("read", map[string]any{"ref": "stones/cairn"}); !strings.Contains(got, `<b>a & b</b>`) {
		t.Errorf("read answers %s", got)
	}
	text("write", map[string]any{"ref": "stones/other", "title": "Another", "text": "x"})
	if got := text("read", map[string]any{"ref": "stones/other"}); !strings.Contains(got, `"title":"Another"`) {
		t.Errorf("a title that does not follow from the ref is left out: %s", got)
	}
}

// A tool of a set that is not shown is no unknown one: the error says how to get
// it.
func TestHiddenToolSaysHowToGetIt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		opts       mcpserver.Options
		tool, says string
	}{
		{mcpserver.Options{}, "link", "--toolsets core,more"},
		{mcpserver.Options{ReadOnly: true}, "write", "--read-only"},
	} {
		s, _ := newServer(t, tc.opts)
		c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
		m, failed := call(t, c, tc.tool, nil)
		if e, _ := m["error"].(map[string]any); !failed || e["code"] != "refused" || !strings.Contains(e["hint"].(string), tc.says) {
			t.Errorf("%s answers %v", tc.tool, m)
		}
		for name, says := range map[string]string{"nothing": "the tools are recall, read", "recal": "did you mean recall?"} {
			if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the unknown tool %s answers %v, want %q", name, err, says)
			}
		}
	}
}
