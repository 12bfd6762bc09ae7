package setup

import (
	"context"
	"slices"
	"testing"
)

func TestHasInstructions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, tc := range []struct {
		file, scope string
		want        []string
	}{
		{"~/.claude/CLAUDE.md", "user", []string{"claude-code", "Claude Code", "claude"}},
		{"CLAUDE.md", "project", []string{"claude-code", "Claude Code", "claude"}},
		{"~/.codex/AGENTS.md", "user", []string{"codex-mcp-client", "codex"}},
		{"AGENTS.md", "project", []string{"codex-mcp-client", "codex", "opencode", "github-copilot-developer", "cursor"}},
		{"~/.copilot/copilot-instructions.md", "user", []string{"github-copilot-developer"}},
		{"~/.gemini/GEMINI.md", "user", []string{"gemini-cli-mcp-client"}},
	} {
		p := testPlace(t)
		all := []string{"claude-code", "Claude Code", "claude", "codex-mcp-client", "codex", "opencode", "github-copilot-developer", "cursor", "gemini-cli-mcp-client", "claude-desktop", "zed", "someone", "generic", ""}
		put(t, p.path(tc.file), "# Mine\n")
		for _, name := range all {
			if p.HasInstructions(ctx, name) {
				t.Errorf("%s: %q is told by a file without instructions", tc.file, name)
			}
		}
		put(t, p.path(tc.file), "# Mine\n\n"+instructions{}.block())
		for _, name := range all {
			if want := slices.Contains(tc.want, name); p.HasInstructions(ctx, name) != want {
				t.Errorf("%s: %q is told: %v", tc.file, name, !want)
			}
		}
		if p.Home = ""; tc.scope == "user" && p.HasInstructions(ctx, tc.want[0]) {
			t.Errorf("%s: told without a home", tc.file)
		}
	}
}
