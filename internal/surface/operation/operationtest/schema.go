package operationtest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fits compares an answer with the schema that a client received for it: it is
// valid, and the schema names every field, and describes those of the answer
// and one level below.
func Fits(t testing.TB, at string, schema, answer any) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	if err := resolved.Validate(answer); err != nil {
		t.Errorf("%s answers %v: %v", at, answer, err)
	}
	known(t, at, &s, answer, 0)
}

// Valid compares an answer with its schema in an OpenAPI document that has these parts.
func Valid(t testing.TB, at string, schema, parts, answer any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"allOf": []any{schema}, "$defs": parts})
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &s); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	if err := resolved.Validate(answer); err != nil {
		t.Errorf("%s answers %v: %v", at, answer, err)
	}
}

// known fails for a field that the schema does not name, and for a value of
// another kind than the schema means by saying nothing.
func known(t testing.TB, at string, s *jsonschema.Schema, value any, depth int) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if p := s.Properties[name]; p != nil {
				known(t, at+"."+name, p, field, depth+1)
			} else if s.AdditionalProperties == nil {
				t.Errorf("%s has no field %s", at, name)
			}
		}
	case []any:
		if s.Items == nil {
			t.Errorf("%s is a list", at)
			return
		}
		for _, item := range v {
			known(t, at+"[]", s.Items, item, depth)
		}
	case string:
		if s.Type != "" || s.Properties != nil || s.Items != nil {
			t.Errorf("%s is the text %q", at, v)
		}
	default:
		if s.Type == "" && depth <= 2 {
			t.Errorf("%s is %v, and not said to be", at, v)
		}
	}
}
