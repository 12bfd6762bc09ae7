package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Each name leads somewhere, and none of them is a command already.
func TestHabits(t *testing.T) {
	t.Parallel()
	root := newRoot(new(command.Program))
	for _, name := range command.Names() {
		if c, _, err := root.Find([]string{name}); err == nil && c != root {
			t.Errorf("%s is a command", name)
		}
	}
	for name, want := range map[string]string{
		"view": "cairn get", "open": "cairn edit", "template": "cairn new", "find": "cairn search", "grep": "cairn search",
		"log": "cairn recent", "tree": "cairn ls", "Remove": "cairn rm", "attach": "cairn space add",
	} {
		e := kb.AsError(command.Subcommand(root, []string{name}))
		if e.Code != kb.Usage || !strings.HasPrefix(e.Hint, want+": ") {
			t.Errorf("%s: %q", name, e.Hint)
		}
		if first, _ := e.Details["suggestions"].([]string); !slices.Contains(first, strings.TrimPrefix(want, "cairn ")) {
			t.Errorf("%s suggests %q", name, first)
		}
	}
	for _, other := range []string{"serach", "xyzzy"} {
		if e := kb.AsError(command.Subcommand(root, []string{other})); strings.Contains(e.Hint, ": ") {
			t.Errorf("%s: %q", other, e.Hint)
		}
	}
}

// A group alone lists what it is about, where it can.
func TestGroupsAlone(t *testing.T) {
	t.Parallel()
	root := newRoot(new(command.Program))
	for _, name := range []string{"space", "config", "model", "skills"} {
		c, _, _ := root.Find([]string{name})
		if list, _, err := c.Find([]string{"list"}); err != nil || list == c || c.RunE == nil {
			t.Errorf("%s has no list", name)
		}
	}
}
