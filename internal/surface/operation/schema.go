package operation

import "reflect"

// shaping adds to an input schema what a Go type cannot say.
type shaping = Shaping

var between, atLeast, length, within = Between, AtLeast, Length, Within

func oneOf[T ~string](name string, values ...T) shaping { return OneOf(name, values...) }

// Fields returns the names of a struct's fields in JSON, in order.
func Fields[T any]() []string { return SchemaOf(reflect.TypeFor[T](), false).PropertyOrder }
