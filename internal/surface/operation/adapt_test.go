package operation_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// A set of tools with names, arguments and answers of their own needs no
// operation, and so no route.
func TestSetOfItsOwn(t *testing.T) {
	t.Parallel()
	tools := operation.ScratchTools()
	checkTools(t, append(slices.Clone(operation.Tools()), tools...))
	for _, tool := range tools {
		for _, op := range operation.All() {
			if op.Name == tool.Name || reflect.DeepEqual(op.Input(), tool.Input()) || reflect.DeepEqual(op.Output(), tool.Output()) {
				t.Errorf("%s has the name or the shape of the operation %s, so that the test would show nothing", tool.Name, op.Name)
			}
		}
	}
	text, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	var described []map[string]any
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	for i, readOnly := range []bool{true, false} { // as their operations are
		if d := described[i]; d["set"] != "scratch" || d["route"] != nil || d["read_only"] != readOnly || d["destructive"] == readOnly {
			t.Errorf("%s is described as %v", tools[i].Name, d)
		}
	}
	if got := described[0]["other_sets"]; !reflect.DeepEqual(got, []any{"more"}) || described[1]["other_sets"] != nil {
		t.Errorf("the other sets are %v and %v", got, described[1]["other_sets"])
	}
	if !tools[0].Offered([]operation.Set{operation.More}, true) || tools[1].Offered([]operation.Set{operation.Scratch}, true) {
		t.Error("who may only read is offered the wrong tools")
	}
	if c, err := operation.Count(tools); err != nil || c.Tools != 2 || c.Input == 0 {
		t.Errorf("the set costs %+v, %v", c, err)
	}
}

// A tool of another shape is called as any other is: its answer fits its own
// schema, and what is wrong is said under its name.
func TestToolsOfAnotherShape(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	tools := operation.ScratchTools()
	dig, jot := tools[0], tools[1]
	call := func(tool *operation.Tool, input string) map[string]any {
		t.Helper()
		m, err := b.run(tool, input)
		if err != nil {
			t.Fatalf("%s %s: %v", tool.Name, input, err)
		}
		return m
	}

	empty := map[string]any{"found": map[string]any{}, "sure": false}
	if m := call(dig, `{"about":"cairn"}`); !reflect.DeepEqual(m, empty) {
		t.Errorf("while nothing is stored dig answers %v", m)
	}
	if _, err := b.run(jot, `{"note":"x","page":"p","try":true}`); !space.NothingYet(err) {
		t.Errorf("a try where nothing is stored answers %v", err)
	}
	if m := call(jot, `{"note":"A cairn.","page":"stones/cairn"}`); m["page"] != "memory:stones/cairn" || m["page_version"] != 1.0 || m["new"] != true {
		t.Errorf("jot answers %v", m)
	}
	if m := call(jot, `{"note":"A tall cairn.","page":"stones/cairn","page_version":"1"}`); m["page_version"] != 2.0 || m["new"] != false {
		t.Errorf("jot answers %v", m)
	}
	if m := call(dig, `{"about":"tall, small"}`); m["sure"] != false {
		t.Errorf("of two words one is there, and dig answers %v", m)
	}
	m := call(dig, `{"about":["small","tall"],"top":"1"}`)
	if text, _ := m["found"].(map[string]any)["memory:stones/cairn"].(string); !strings.Contains(text, "A tall cairn.") || m["sure"] != true {
		t.Errorf("dig finds %v", m)
	}

	for _, tc := range []struct {
		tool                 *operation.Tool
		input, message, what string
	}{
		{dig, `{"query":"x"}`, `dig: unknown argument "query"`, "query"},
		{dig, `{"about":[]}`, "dig: about is empty", "about"},                                                         // says the tool
		{dig, `{"about":"x","top":500}`, "dig: limit must be a whole number from 1 to 100", "limit"},                  // says the operation's schema
		{jot, `{"note":""}`, "jot: text is empty, and no title is given", "text"},                                     // says the operation
		{jot, `{"note":"x","page_version":0}`, "jot: page_version must be a whole number, 1 or more", "page_version"}, // says the tool's schema
	} {
		_, err := b.run(tc.tool, tc.input)
		if e := kb.AsError(err); err == nil || e.Code != kb.Usage || e.Error() != tc.message || e.Details["argument"] != tc.what {
			t.Errorf("%s %s: %v", tc.tool.Name, tc.input, err)
		}
	}
	if _, err := b.run(jot, `{"note":"x","page":"stones/cairn","page_version":1}`); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a stale page_version answers %v", err)
	}
}
