package mcpserver_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
)

// The rule is told once: not by the server to a client whose own file has it.
func TestInstructionsAreToldOnce(t *testing.T) {
	t.Parallel()
	told := func(_ context.Context, client string) bool { return client == "told" }
	for name, want := range map[string]bool{"told": false, "other": true} {
		for _, version := range []string{"2025-11-25", ""} { // "" is the newest, which asks in another way
			s, _ := newServer(t, mcpserver.Options{HasInstructions: told})
			session := connectAs(t, s, mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil), version)
			if got := session.InitializeResult().Instructions; (got != "") != want {
				t.Errorf("%s, version %q, has the instructions %q", name, version, got)
			}
		}
	}
}
