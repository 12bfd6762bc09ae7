package operation

import (
	"bytes"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Compact is Output in as few bytes as name every field, for a list of tools that
// some clients put before a model whole. It has no words about fields, no lengths
// of lists, and of what is always there only what the answer itself has. A field
// with fields is an object and one with items a list, without a type to say so;
// what has nothing at all is text. It allows all that Output allows.
func (t *Tool) Compact() json.RawMessage {
	var out bytes.Buffer
	compact(&out, t.Output(), true)
	return out.Bytes()
}

// compact writes a schema of an answer; the types of the table make no other
// keywords than these, which a test holds.
func compact(out *bytes.Buffer, s *jsonschema.Schema, top bool) {
	began := out.Len()
	key := func(name string) {
		if out.Len() > began {
			out.WriteByte(',')
		} else {
			out.WriteByte('{')
		}
		out.WriteString(`"` + name + `":`)
	}
	implied := s.Items != nil || len(s.Properties) > 0 || s.Type == "string"
	if s.Type != "" && (top || !implied) {
		key("type")
		out.WriteString(`"` + s.Type + `"`)
	}
	if len(s.Properties) > 0 {
		key("properties")
		separator := byte('{')
		for _, name := range s.PropertyOrder {
			out.WriteByte(separator)
			out.WriteString(`"` + name + `":`)
			compact(out, s.Properties[name], false)
			separator = ','
		}
		out.WriteByte('}')
	}
	if s.Items != nil {
		key("items")
		compact(out, s.Items, false)
	}
	if s.AdditionalProperties != nil {
		key("additionalProperties")
		compact(out, s.AdditionalProperties, false)
	}
	if top && len(s.Required) > 0 {
		key("required")
		names, err := json.Marshal(s.Required)
		if err != nil {
			panic(err) // a list of names
		}
		out.Write(names)
	}
	if out.Len() == began {
		out.WriteByte('{')
	}
	out.WriteByte('}')
}
