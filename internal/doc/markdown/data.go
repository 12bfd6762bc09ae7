package markdown

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cairn-kb/cairn/internal/doc"
)

// dataField returns the field of a decoded value, without its place.
func dataField(key string, value any) field {
	f := field{key: key}
	switch v := value.(type) {
	case nil:
	case []any:
		f.kind, f.values = list, make([]string, 0, len(v))
		for _, item := range v {
			switch {
			case isNested(item):
				f.skipped = true
			case item != nil:
				f.values = append(f.values, dataText(item))
			}
		}
		if f.skipped {
			f.kind, f.names, f.values = opaque, f.values, nil
		}
		if f.skipped = f.skipped && isNames(key); !f.skipped {
			f.names = nil
		}
	case map[string]any:
		f.kind = opaque
	default:
		f.kind, f.values = scalar, []string{dataText(v)}
	}
	return f
}

func isNested(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// dataText returns a scalar as metadata shows it; see doc.Property.
func dataText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "True"
		}
		return "False"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return isoDate(fmt.Sprint(v))
}

// place sets the place of the properties within a nested field.
func (f *field) place() {
	if f.kind == opaque {
		budget := maxNested
		f.leaves = dataLeaves(nil, f.key, f.data, f.span, 0, &budget)
	}
}

// dataLeaves adds the values within a nested value, those of a map under their full keys.
func dataLeaves(out []doc.PropertyValue, key string, v any, at doc.Span, depth int, budget *int) []doc.PropertyValue {
	if *budget--; *budget < 0 || depth > maxNesting {
		return out
	}
	switch v := v.(type) {
	case nil:
	case []any:
		for _, item := range v {
			out = dataLeaves(out, key, item, at, depth+1, budget)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = dataLeaves(out, key+"."+name, v[name], at, depth+1, budget)
		}
	default:
		out = append(out, doc.Property{Key: key, Values: []string{dataText(v)}, Span: at}.PropertyValues()...)
	}
	return out
}

// data returns a nested YAML value as maps, lists and scalars, nil beyond the limits.
// Numbers that YAML and JSON write alike are numbers; dates are strings.
func (r *yamlReader) data(n *yaml.Node, depth int) any {
	if n = r.follow(n); n == nil || depth > maxNesting {
		return nil
	}
	if r.nested--; r.nested < 0 {
		return nil
	}
	switch n.Kind {
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			out[i] = r.data(item, depth+1)
		}
		return out
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := n.Content[i]; name.Kind == yaml.ScalarNode {
				_, there := out[name.Value]
				r.twice = r.twice || there
				out[name.Value] = r.data(n.Content[i+1], depth+1)
			}
		}
		return out
	}
	v, ok := scalarValue(n)
	switch tag := n.ShortTag(); {
	case !ok:
		return nil
	case tag == "!!bool":
		return v == "True"
	case (tag == "!!int" || tag == "!!float") && number().MatchString(v):
		return json.Number(v)
	}
	return v
}
