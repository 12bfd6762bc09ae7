package cli

import (
	"strings"
	"testing"
)

// What prints a list lets its fields be chosen.
func TestListsHaveFields(t *testing.T) {
	p := &program{}
	root := newRoot(p)
	for _, name := range []string{
		"search", "query", "list", "ls", "links", "backlinks", "tags", "timeline", "gaps", "recent", "history",
		"sync", "doctor", "space list", "space map", "model list", "config list", "skills list", "skills doctor",
	} {
		cmd, _, err := root.Find(strings.Fields(name))
		if err != nil || p.lists[cmd] == nil || len(p.lists[cmd]()) == 0 {
			t.Errorf("--json chooses no fields of %s: %v", name, err)
		}
	}
}
