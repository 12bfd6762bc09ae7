package operation_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// What clients are sent with the list of tools says less about answers than the
// schemas do, but names every field and is no other type.
func TestCompact(t *testing.T) {
	t.Parallel()
	for _, tool := range operation.Tools() {
		var short any
		if err := json.Unmarshal(tool.Compact(), &short); err != nil {
			t.Fatalf("%s: %v in %s", tool.Name, err, tool.Compact())
		}
		if top := short.(map[string]any); top["type"] != "object" || len(tool.Output().Required) != lengthOf(top["required"]) {
			t.Errorf("%s answers %s", tool.Name, tool.Compact())
		}
		sameFields(t, tool.Name, tool.Output(), short, 0)
	}
}

func lengthOf(list any) int { l, _ := list.([]any); return len(l) }

// sameFields compares a schema with its short form. Properties must be objects:
// clients take nothing else.
func sameFields(t *testing.T, at string, s *jsonschema.Schema, short any, depth int) {
	t.Helper()
	got, ok := short.(map[string]any)
	if !ok {
		t.Errorf("%s has the schema %v", at, short)
		return
	}
	fields, _ := got["properties"].(map[string]any)
	if len(fields) != len(s.Properties) {
		t.Errorf("%s has the fields %v", at, fields)
	}
	for name, p := range s.Properties {
		sameFields(t, at+"."+name, p, fields[name], depth+1)
	}
	for key, part := range map[string]*jsonschema.Schema{"items": s.Items, "additionalProperties": s.AdditionalProperties} {
		if part != nil {
			sameFields(t, at+" "+key, part, got[key], depth)
		} else if got[key] != nil {
			t.Errorf("%s has %s %v", at, key, got[key])
		}
	}
	said, _ := got["type"].(string)
	implied := len(s.Properties) > 0 || s.Items != nil || s.AdditionalProperties != nil || s.Type == "string"
	if said != s.Type && (said != "" || !implied && depth < 2) {
		t.Errorf("%s is %q rather than %q", at, said, s.Type)
	}
	rest := *s
	rest.Type, rest.Description, rest.Required, rest.MinItems, rest.MaxItems = "", "", nil, nil, nil
	rest.Properties, rest.PropertyOrder, rest.Items, rest.AdditionalProperties = nil, nil, nil, nil
	if text, err := json.Marshal(&rest); err != nil || string(text) != "true" {
		t.Errorf("%s is limited by %s, which its short form leaves out", at, text)
	}
}

// What the default list of tools weighs in whole: some clients put it before a
// model as it is.
func TestBytesOfCore(t *testing.T) {
	t.Parallel()
	core := slices.DeleteFunc(slices.Clone(operation.Tools()), func(tool *operation.Tool) bool {
		return !tool.Offered([]operation.Set{operation.Core}, false)
	})
	c, err := operation.Count(core)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("names, descriptions and input schemas %d bytes, output schemas %d", c.InputBytes, c.OutputBytes)
	if c.InputBytes < 1000 || c.InputBytes > 7450 {
		t.Errorf("names, descriptions and input schemas are %d bytes", c.InputBytes)
	}
	if c.OutputBytes < 1000 || c.OutputBytes > 6350 {
		t.Errorf("output schemas are %d bytes", c.OutputBytes)
	}
}
