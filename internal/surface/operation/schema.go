package operation

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// shaping adds to an input schema what a Go type cannot say.
type shaping = Shaping

var between, atLeast, length, within = Between, AtLeast, Length, Within

func oneOf[T ~string](name string, values ...T) shaping { return OneOf(name, values...) }

func schemaOf[T any](in bool) *jsonschema.Schema { return SchemaOf[T](in) }

// Fields returns the names of a struct's fields in JSON, in order.
func Fields[T any]() []string { return schemaOf[T](false).PropertyOrder }
