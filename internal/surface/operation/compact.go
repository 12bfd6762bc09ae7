package operation

import (
	"bytes"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Compact is Output in as few bytes as name every field, for a list of tools
// that some clients put before a model whole. It omits descriptions, lengths of
// lists, and required fields below the answer itself. A field with fields is an
// object and one with items a list, without a type. The types of values are
// given in the answer and one level below; deeper down there are names only. It
// allows all that Output allows.
func (t *Tool) Compact() json.RawMessage {
	var out bytes.Buffer
	compactSchema(&out, t.Output(), 0)
	return out.Bytes()
}

// typedDepth is how many objects deep types are said: the answer, and what it has
// or lists.
const typedDepth = 2

// compactSchema writes the schema of an answer. The types of the table produce no
// other keywords than these; a test checks that.
func compactSchema(out *bytes.Buffer, s *jsonschema.Schema, depth int) {
	began := out.Len()
	key := func(name string) {
		if out.Len() > began {
			out.WriteByte(',')
		} else {
			out.WriteByte('{')
		}
		out.WriteString(`"` + name + `":`)
	}
	implied := s.Items != nil || len(s.Properties) > 0 || s.AdditionalProperties != nil || s.Type == "string"
	if s.Type != "" && (depth == 0 || depth <= typedDepth && !implied) {
		key("type")
		out.WriteString(`"` + s.Type + `"`)
	}
	if len(s.Properties) > 0 {
		key("properties")
		separator := byte('{')
		for _, name := range s.PropertyOrder {
			out.WriteByte(separator)
			out.WriteString(`"` + name + `":`)
			compactSchema(out, s.Properties[name], depth+1)
			separator = ','
		}
		out.WriteByte('}')
	}
	if s.Items != nil {
		key("items")
		compactSchema(out, s.Items, depth)
	}
	if s.AdditionalProperties != nil {
		key("additionalProperties")
		compactSchema(out, s.AdditionalProperties, depth+1)
	}
	if depth == 0 && len(s.Required) > 0 {
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
