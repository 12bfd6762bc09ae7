package operation

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// shaping adds to an input schema what a Go type cannot say.
type shaping func(*jsonschema.Schema)

// oneOf limits an argument to these values.
func oneOf[T ~string](name string, values ...T) shaping {
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

// between limits a number; from is included, and so is to.
func between(name string, from, to float64) shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		p.Minimum, p.Maximum = &from, &to
	}
}

// atLeast limits a number from below.
func atLeast(name string, from float64) shaping {
	return func(s *jsonschema.Schema) { argument(s, name).Minimum = &from }
}

func argument(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p := s.Properties[name]
	if p == nil {
		panic(fmt.Sprintf("there is no argument %q to shape", name)) // the table is wrong, and any test sees it
	}
	return p
}

// schemaOf returns the schema of T. The types of the table are fixed, so an
// error is a mistake in it.
func schemaOf[T any](input bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	tidy(s, input)
	return s
}

// Fields returns the names of a struct's fields in JSON, in order.
func Fields[T any]() []string { return schemaOf[T](false).PropertyOrder }

// tidy takes out what costs an agent tokens and tells it nothing: that a list
// may be null, which no answer of ours has and which read accepts anyway. An
// answer may have more fields than its schema says, so that fields can be
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

// length limits how many values a list has.
func length(name string, from, to int) shaping {
	return func(s *jsonschema.Schema) {
		p := argument(s, name)
		p.MinItems, p.MaxItems = &from, &to
	}
}

// within shapes the objects of a list.
func within(name string, shape ...shaping) shaping {
	return func(s *jsonschema.Schema) {
		for _, f := range shape {
			f(argument(s, name).Items)
		}
	}
}
