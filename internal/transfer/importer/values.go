package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// object parses a JSON object, keeping the text of its numbers; nil for other
// values.
func object(raw json.RawMessage) (out map[string]any, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&out)
	return out, err
}

// inWords renders a JSON value as text on one line.
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
	}
	return fmt.Sprint(v)
}

// firstLine returns the first line with text, as a title.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
			return line
		}
	}
	return ""
}
