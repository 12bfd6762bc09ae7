package mcpserver_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
)

// What each core tool answers fits the schema that a client got with the list of
// tools, and every field is of the schema.
func TestAnswersFitWhatClientsAreTold(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	list, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas, called := map[string]any{}, map[string]bool{}
	for _, tool := range list.Tools {
		schemas[tool.Name] = tool.OutputSchema
	}
	type args map[string]any
	edit := func(do args) args { return args{"ref": "sqlite", "edits": []args{do}, "diff": true} }
	for _, tc := range []struct {
		tool string
		args args
	}{
		{"recall", args{"query": "anything"}}, // where nothing is stored
		{"status", args{}},
		{"browse", args{}},
		{"remember", args{"text": "We use SQLite. It needs no server.", "title": "SQLite", "type": "decision", "tags": []string{"storage"}}},
		{"remember", args{"text": "We use SQLite, which needs no server.", "title": "No server", "links": []string{"SQLite"}}},
		{"remember", args{"text": "Another.", "title": "SQLite"}}, // exists
		{"write", args{"ref": "long", "text": "# Long\n\nSee [[SQLite]] and [[Nowhere]].\n\n## Part\n\nOn 2026-03-01 more of it.", "diff": true}},
		{"write", args{"ref": "dry", "text": "not written", "dry_run": true}},
		{"read", args{"ref": "long"}},
		{"read", args{"ref": "long", "budget": 1}},
		{"recall", args{"query": "SQLite server", "detail": true, "depth": "full"}},
		{"recall", args{"query": "what needs no server?", "mode": "fts", "limit": 1, "space": "*", "as_of": "2100-01-01"}},
		{"edit", edit(args{"do": "append", "text": "It is small."})},
		{"edit", edit(args{"do": "move", "text": "decisions/"})},
		{"browse", args{"what": "pages"}},
		{"browse", args{"what": "tags"}},
		{"browse", args{"what": "tree"}},
		{"browse", args{"what": "recent"}},
		{"browse", args{"what": "links", "ref": "long"}},
		{"browse", args{"what": "backlinks", "ref": "sqlite"}},
		{"browse", args{"what": "neighbours", "ref": "sqlite"}},
		{"undo", args{"dry_run": true}},
		{"undo", args{"diff": true}},
		{"status", args{"detail": true}},
	} {
		r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tc.tool, Arguments: tc.args})
		if err != nil || r.IsError {
			t.Fatalf("%s %v: %v, %+v", tc.tool, tc.args, err, r.Content[0].(*mcp.TextContent).Text)
		}
		called[tc.tool] = true
		operationtest.Fits(t, tc.tool, schemas[tc.tool], r.StructuredContent)
	}
	for name := range schemas {
		if !called[name] {
			t.Errorf("%s was not called", name)
		}
	}
}
