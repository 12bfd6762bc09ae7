package space

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// tables lists the policy tables that can have defaults in the configuration. The
// policy validates their contents.
var tables = []string{"brief", "capture", "compact", "lifecycle", "search"}

// Defaults returns the defaults for spaces, as TOML: the tables of the file, and
// the setting gap_threshold; nil for none.
func (c *Config) Defaults() []byte {
	value, source, err := c.Get(gapThreshold)
	if err != nil || source == "default" {
		return c.defaults
	}
	if Check(gapThreshold, value) != nil {
		value = QuoteTOML(value) // the policy parser reports an error in it
	}
	return append([]byte(gapThreshold+" = "+value+"\n"), c.defaults...)
}

// Leaves returns the values of a TOML text by key, such as "lifecycle.stale_after";
// nil for invalid text.
func Leaves(text []byte) map[string]string {
	raw, out := map[string]any{}, map[string]string{}
	if err := toml.Unmarshal(text, &raw); err == nil {
		leaves(out, "", raw)
	}
	return out
}

func leaves(out map[string]string, before string, table map[string]any) {
	for key, v := range table {
		switch v := v.(type) {
		case map[string]any:
			leaves(out, before+key+".", v)
		case string:
			out[before+key] = v
		case []any:
			text, err := toml.Marshal(map[string]any{"x": v})
			if err == nil {
				out[before+key] = string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("x = "))))
			}
		default:
			out[before+key] = fmt.Sprint(v)
		}
	}
}
