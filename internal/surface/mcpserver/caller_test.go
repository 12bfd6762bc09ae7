package mcpserver_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cairn-kb/cairn/internal/surface/mcpserver"
)

// A client over streams is an agent, whatever it calls itself.
func TestClientsAreAgents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"robot": "agent:robot", "human:eve": "agent:human:eve", "schedule": "agent", "Sync": "agent", "sync:x": "agent",
	} {
		s, _ := newServer(t, mcpserver.Options{})
		c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil))
		call(t, c, "remember", map[string]any{"text": "Cairns mark the way."})
		if m, _ := call(t, c, "browse", map[string]any{"what": "recent"}); m["items"].([]any)[0].(map[string]any)["actor"] != want {
			t.Errorf("%q writes as %v", name, m)
		}
	}
}

// A name that the server was given comes before the one that the client gives itself.
func TestClientsHaveTheNameOfTheServer(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, mcpserver.Options{Agent: "scribe"})
	c := connect(t, s, mcp.NewClient(&mcp.Implementation{Name: "robot", Version: "1"}, nil))
	call(t, c, "remember", map[string]any{"text": "Cairns mark the way."})
	if m, _ := call(t, c, "browse", map[string]any{"what": "recent"}); m["items"].([]any)[0].(map[string]any)["actor"] != "agent:scribe" {
		t.Errorf("the write is %v", m)
	}
}
