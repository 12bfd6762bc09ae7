package space_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
)

// Who writes: the variable of cairn, then the client whose shell it is, then the file.
func TestActorOfEnvironment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("actor = \"human:ada\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		env           map[string]string
		value, source string
	}{
		{nil, "human:ada", "file"},
		{map[string]string{"CLAUDECODE": "1"}, "agent:claude-code", "CLAUDECODE"},
		{map[string]string{"CODEX_SANDBOX": "seatbelt"}, "agent:codex", "CODEX_SANDBOX"},
		{map[string]string{"GEMINI_CLI": "1"}, "agent:gemini", "GEMINI_CLI"},
		{map[string]string{"COPILOT_CLI": "1"}, "agent:copilot", "COPILOT_CLI"},
		{map[string]string{"COPILOT_AGENT": "1"}, "agent:vscode", "COPILOT_AGENT"},
		{map[string]string{"AI_AGENT": "goose"}, "agent:goose", "AI_AGENT"},
		{map[string]string{"AI_AGENT": "sync"}, "agent", "AI_AGENT"},
		{map[string]string{"CLAUDECODE": "1", "CAIRN_ACTOR": "human:bo"}, "human:bo", "CAIRN_ACTOR"},
		{map[string]string{"CLAUDECODE": ""}, "human:ada", "file"},
		{map[string]string{"CLAUDECODE": "0", "AI_AGENT": "false"}, "human:ada", "file"},
	} {
		c, err := space.Load(space.Place{Env: func(name string) string {
			if name == "CAIRN_CONFIG" {
				return file
			}
			return tc.env[name]
		}})
		if err != nil {
			t.Fatal(err)
		}
		value, source, err := c.Get("actor")
		if err != nil || value != tc.value || source != tc.source {
			t.Errorf("%v: %q from %q: %v", tc.env, value, source, err)
		}
	}
}
