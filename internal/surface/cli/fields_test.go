package cli

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// What prints a list lets its fields be chosen.
func TestListsHaveFields(t *testing.T) {
	t.Parallel()
	p := &command.Program{}
	root := newRoot(p)
	for _, name := range []string{
		"search", "query", "list", "ls", "links", "backlinks", "tags", "timeline", "gaps", "recent", "history",
		"sync", "doctor", "space list", "space map", "model list", "config list", "skills list", "skills doctor",
	} {
		cmd, _, err := root.Find(strings.Fields(name))
		if err != nil || len(p.Fields(cmd)) == 0 {
			t.Errorf("--json chooses no fields of %s: %v", name, err)
		}
	}
}
