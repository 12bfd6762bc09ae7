package query

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// The operators of conditions with several values, separated by commas. A
// backslash quotes a comma or a backslash.
const (
	signIn      = "$in"
	signBetween = "$between"
)

// operators are the metadata operators that compare with one value, and their signs.
var operators = map[string]string{"$eq": "=", "$ne": "!=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

// maxValues bounds the values of one condition, like maxFilters the conditions.
const maxValues = 100

const operatorNames = "$eq, $ne, $gt, $gte, $lt, $lte, $in, $between"

// Values returns the values of a condition with the sign $in or $between.
func Values(text string) []string {
	var out []string
	var value strings.Builder
	add := func() {
		if v := strings.TrimSpace(value.String()); v != "" {
			out = append(out, v)
		}
		value.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`,\`, text[i+1]) >= 0:
			i++
			value.WriteByte(text[i])
		case c == ',':
			add()
		default:
			value.WriteByte(c)
		}
	}
	add()
	return out
}

var escapeComma = strings.NewReplacer(`\`, `\\`, ",", `\,`)

// several renders a condition with the sign $in or $between.
func several(key, sign string, values []string) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = escapeComma.Replace(v)
	}
	return key + " " + sign + " " + strings.Join(list, ", ")
}

// severalValues parses the result of several.
func severalValues(text string) (key, sign, value string, ok bool) {
	for _, sign := range []string{signIn, signBetween} {
		key, value, found := strings.Cut(" "+text, " "+sign+" ")
		if !found || strings.ContainsAny(key, "!=<>") {
			continue
		}
		key, n := strings.TrimSpace(key), len(Values(value))
		return key, sign, strings.TrimSpace(value), key != "" && n > 0 && n <= maxValues && (sign == signIn || n == 2)
	}
	return "", "", "", false
}

// Metadata parses filters over properties, a JSON object: {"stage": "design"} asks for the
// value, null for pages without the property, a list for pages with all of its values;
// {"priority": {"$gt": 2}} compares, with $eq, $ne, $gt, $gte, $lt, $lte, $in and $between.
// All must hold. Anything else is kb.Usage.
func Metadata(text string) ([]Filter, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil || fields == nil {
		return nil, badMetadata("filters of metadata must be a JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, badMetadata("filters of metadata must be one JSON object")
	}
	var out []Filter
	add := func(condition string) { out = append(out, Filter{Key: Where, Value: condition}) }
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if strings.TrimSpace(key) == "" || strings.ContainsAny(key, `!=<>"`) {
			return nil, badMetadata("a property cannot be named %q", key)
		}
		switch value := fields[key].(type) {
		case nil:
			out = append(out, Filter{Key: Where, Value: key, Not: true})
		case map[string]any:
			if len(value) == 0 {
				return nil, badMetadata("%s: no operator is given", key)
			}
			for _, operator := range slices.Sorted(maps.Keys(value)) {
				condition, err := compared(key, operator, value[operator])
				if err != nil {
					return nil, err
				}
				add(condition)
			}
		default:
			values, err := plainValues(key, value)
			if err != nil {
				return nil, err
			}
			for _, v := range values {
				add(key + "=" + v)
			}
		}
	}
	if len(out) > maxFilters {
		return nil, badMetadata("there are %d conditions; %d is the most", len(out), maxFilters)
	}
	return out, nil
}

// compared renders a comparison with a property.
func compared(key, operator string, value any) (string, error) {
	values, err := plainValues(key, value)
	_, list := value.([]any)
	switch sign := operators[operator]; {
	case err != nil:
		return "", err
	case sign != "" && !list:
		return key + sign + values[0], nil
	case operator == signIn && list, operator == signBetween && list && len(values) == 2:
		return several(key, operator, values), nil
	case sign != "":
		return "", badMetadata("%s: %s takes one value", key, operator)
	case operator == signIn:
		return "", badMetadata("%s: $in takes a list of values", key)
	case operator == signBetween:
		return "", badMetadata("%s: $between takes a list of two values", key)
	}
	return "", badMetadata("%s: unknown operator %q", key, operator)
}

// plainValues returns the values of a list, or a single value, as text.
func plainValues(key string, value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		text := ""
		switch v := v.(type) {
		case string:
			text = strings.Join(strings.Fields(v), " ")
		case json.Number:
			text = v.String()
		case bool:
			text = strconv.FormatBool(v)
		}
		if text == "" || strings.Contains(text, `"`) {
			shown, _ := json.Marshal(v) // it was decoded from JSON
			return nil, badMetadata("%s: a property cannot be compared with %s", key, bytes.TrimSpace(shown))
		}
		out = append(out, text)
	}
	if len(out) == 0 || len(out) > maxValues {
		return nil, badMetadata("%s: a list has 1 to %d values", key, maxValues)
	}
	return out, nil
}

func badMetadata(format string, args ...any) error {
	return kb.Errorf(kb.Usage, format, args...).WithHint("Write them as {\"stage\": \"design\", \"priority\": {\"$gt\": 2}}; operators are %s.", operatorNames)
}
