package operation

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/operation/input"
)

// shaping adds to an input schema what a Go type cannot say.
type shaping = input.Shaping

var between, atLeast, length, within = input.Between, input.AtLeast, input.Length, input.Within

func oneOf[T ~string](name string, values ...T) shaping { return input.OneOf(name, values...) }

func schemaOf[T any](in bool) *jsonschema.Schema { return input.SchemaOf[T](in) }

// Fields returns the names of a struct's fields in JSON, in order.
func Fields[T any]() []string { return schemaOf[T](false).PropertyOrder }
