package kb_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestParseActor(t *testing.T) {
	for in, want := range map[string]string{
		"human": "human", "human:ada": "human:ada", "agent": "agent", "claude-code": "agent:claude-code",
		"agent:claude-code": "agent:claude-code", " x ": "agent:x",
	} {
		if got, err := kb.ParseActor(in); err != nil || got.String() != want {
			t.Errorf("ParseActor(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ":x", "robot:x"} {
		if _, err := kb.ParseActor(in); kb.CodeOf(err) != kb.Usage {
			t.Errorf("ParseActor(%q): %v", in, err)
		}
	}
}
