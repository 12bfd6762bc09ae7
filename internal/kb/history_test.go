package kb_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestParseActor(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"human": "human", "human:ada": "human:ada", "agent": "agent", "claude-code": "agent:claude-code",
		"agent:claude-code": "agent:claude-code", " x ": "agent:x",
	} {
		if got, err := kb.ParseActor(in); err != nil || got.String() != want {
			t.Errorf("ParseActor(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ":x", "robot:x", "sync", "schedule", "sync:x", "schedule:nightly", "agent:schedule", "human:sync", " Schedule ", "SYNC:x"} {
		if _, err := kb.ParseActor(in); kb.CodeOf(err) != kb.Usage {
			t.Errorf("ParseActor(%q): %v", in, err)
		}
	}
}

func TestAgentNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude-code": "agent:claude-code", "human:eve": "agent:human:eve", "": "agent", "schedule": "agent", " Sync ": "agent", "sync:x": "agent",
	} {
		if got := kb.AgentNamed(name); got.Kind != kb.Agent || got.String() != want {
			t.Errorf("AgentNamed(%q) = %q, want %q", name, got, want)
		}
	}
}
