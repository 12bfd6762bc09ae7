package operation

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Shaping adds to an input schema what a Go type cannot say.
type Shaping func(*jsonschema.Schema)

// OneOf limits an argument to these values.
func OneOf[T ~string](name string, values ...T) Shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		if p.Items != nil {
			p = p.Items
		}
		for _, v := range values {
			p.Enum = append(p.Enum, string(v))
		}
	}
}

// Between limits a number; from is included, and so is to.
func Between(name string, from, to float64) Shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		p.Minimum, p.Maximum = &from, &to
	}
}

// AtLeast limits a number from below.
func AtLeast(name string, from float64) Shaping {
	return func(s *jsonschema.Schema) { argument(s, name).Minimum = &from }
}

func argument(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p := s.Properties[name]
	if p == nil {
		panic(fmt.Sprintf("no argument %q to shape", name)) // the table is wrong, and any test sees it
	}
	return p
}

// SchemaOf returns the schema of a type, of an input or of an answer. The types are fixed, so
// an error is a mistake in one.
func SchemaOf(t reflect.Type, input bool) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(err)
	}
	tidy(s, input)
	return s
}

// Fields returns the names of a struct's fields in JSON, in order.
func Fields[T any]() []string { return SchemaOf(reflect.TypeFor[T](), false).PropertyOrder }

// tidy removes schema parts that cost an agent tokens without information: that
// a list may be null, which no answer of ours has and which read accepts
// anyway. An answer may have more fields than its schema, so that fields can be
// added.
func tidy(s *jsonschema.Schema, input bool) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	if !input && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		tidy(p, input)
	}
	tidy(s.Items, input)
	tidy(s.AdditionalProperties, input)
}

// object lets a field be any object. The field keeps it as it is written.
func object(name string) Shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		*p = jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{}, Description: p.Description}
	}
}

// Length limits how many values a list has.
func Length(name string, from, to int) Shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		p.MinItems, p.MaxItems = &from, &to
	}
}

// Within shapes the objects of a list.
func Within(name string, shape ...Shaping) Shaping {
	return func(s *jsonschema.Schema) {
		for _, f := range shape {
			f(argument(s, name).Items)
		}
	}
}
