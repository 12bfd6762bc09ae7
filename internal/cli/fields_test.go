package cli

import (
	"strings"
	"testing"
)

func TestChosen(t *testing.T) {
	for _, tc := range []struct{ list, fields, want string }{
		{`{"items":[{"a":1,"b":"<x>","c":[1]},{"b":"y"}],"total":2}`, "b,a", `{"items":[{"b":"<x>","a":1},{"b":"y"}],"total":2}`},
		{`{"total":0,"items":[]}`, "a", `{"total":0,"items":[]}`},
		{`{"a":1}`, "b", `{"a":1}`},
	} {
		got, err := chosen([]byte(tc.list), strings.Split(tc.fields, ","))
		if err != nil || string(got) != tc.want {
			t.Errorf("chosen(%s, %s) = %s, %v", tc.list, tc.fields, got, err)
		}
	}
}

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
