package operation

import (
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Parts are the schemas that answers share, by name: those of their named types.
type Parts struct {
	Schemas map[string]any
	types   map[string]reflect.Type
}

// NewParts returns Parts without any.
func NewParts() Parts { return Parts{map[string]any{}, map[string]reflect.Type{}} }

// Ref is a reference to one of the parts in an OpenAPI document.
func (s Parts) Ref(name string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// Answer returns the schema of an operation's answer, in which each named type is a reference
// to one of the parts.
func (s Parts) Answer(op *Operation) map[string]any {
	var whole map[string]any
	if err := json.Unmarshal(apart(op.Output()), &whole); err != nil {
		panic(err) // a schema is an object
	}
	OpenSchema(whole)
	return s.share(op.answers, whole)
}

func apart(schema any) []byte {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err) // a schema is JSON
	}
	return text
}

// share replaces the objects of named types in a schema by references.
func (s Parts) share(t reflect.Type, schema map[string]any) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return s.share(t.Elem(), schema)
	case reflect.Slice, reflect.Array:
		if items, ok := schema["items"].(map[string]any); ok {
			schema["items"] = s.share(t.Elem(), items)
		}
		return schema
	case reflect.Map:
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			schema["additionalProperties"] = s.share(t.Elem(), values)
		}
		return schema
	case reflect.Struct:
	default:
		return schema
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return schema // a type that writes its JSON itself, such as a time
	}
	all := jsonFields(t)
	for _, name := range slices.Sorted(maps.Keys(all)) { // the order decides over names
		if property, ok := properties[name].(map[string]any); ok {
			properties[name] = s.share(all[name].Type, property)
		}
	}
	if t.Name() == "" {
		return schema
	}
	out := s.Ref(s.name(t))
	if description, ok := schema["description"]; ok {
		out["description"] = description // of the field, which may differ from field to field
		delete(schema, "description")
	}
	s.Schemas[s.name(t)] = schema
	return out
}

// name returns the name of a type's schema, which is that of the type. Of two types with one
// name, the second is called after its package, too.
func (s Parts) name(t reflect.Type) string {
	name := exported(t.Name())
	if known, ok := s.types[name]; ok && known != t {
		name = exported(path.Base(t.PkgPath())) + name
	}
	s.types[name] = t
	return name
}

// exported is a name of a type in the way of names of schemas: page is Page, and
// List[kb.Page] is ListPage.
func exported(name string) string {
	var out strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("[],", r) }) {
		part = part[strings.LastIndexAny(part, "./")+1:]
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, out.String())
}

// jsonFields are those of a struct by their names in JSON, those of embedded structs, too.
func jsonFields(t reflect.Type) map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if outer, ok := out[name]; !ok || len(f.Index) < len(outer.Index) {
			out[name] = f
		}
	}
	return out
}

// OpenSchema writes schemas as generators of clients expect them: one that allows anything is {}
// instead of true, and one of several types an anyOf.
func OpenSchema(schema map[string]any) {
	if types, ok := schema["type"].([]any); ok && len(types) > 1 && !slices.Contains(types, any("null")) {
		delete(schema, "type")
		var each []any
		for _, t := range types {
			each = append(each, map[string]any{"type": t})
		}
		schema["anyOf"] = each
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, p := range properties {
			if p == true {
				properties[name] = map[string]any{}
			}
		}
	}
	if schema["items"] == true {
		schema["items"] = map[string]any{}
	}
	for _, v := range schema {
		if inner, ok := v.(map[string]any); ok {
			OpenSchema(inner)
		}
	}
}
