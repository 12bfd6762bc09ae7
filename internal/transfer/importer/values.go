package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// inWords is a value of JSON as text in one line.
func inWords(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, inWords(x))
		}
		return strings.Join(out, ", ")
	case map[string]any:
		var out []string
		for _, k := range sortedKeys(v) {
			out = append(out, k+": "+inWords(v[k]))
		}
		return strings.Join(out, "; ")
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%.6f", v), ".000000")
	}
	return fmt.Sprint(v)
}
