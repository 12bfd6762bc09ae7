package operation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Read reads the input into the value at to, after it was made to fit the
// schema.
func (r Reader) Read(s *jsonschema.Schema, raw json.RawMessage, to any) error {
	fitted, err := r.Fit(s, raw)
	if err != nil {
		return err
	}
	var written map[string]json.RawMessage
	for name := range fitted {
		if s.Properties[name].Type != "" {
			continue
		}
		if written == nil {
			_ = json.Unmarshal(raw, &written) // it was read above
		}
		fitted[name] = []byte(written[name]) // of any kind: Marshal would reformat it
	}
	if to, ok := to.(textTaker); ok { // as JSON and back, a large text would be copied several times
		for name, v := range fitted {
			if text, ok := v.(string); ok && len(text) >= largeInput && to.takeText(name, text) {
				delete(fitted, name)
			}
		}
	}
	text, err := json.Marshal(fitted)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil { // the schema is made from the type of to, so it has let something through
		return kb.Errorf(kb.Usage, "%s: the arguments cannot be read: %w", r.Name, err)
	}
	return nil
}

// textTaker is input that takes a text of an argument, as it is, and reports whether it has
// that argument.
type textTaker interface{ takeText(name, text string) bool }

// Fit returns the input as the schema wants it.
func (r Reader) Fit(s *jsonschema.Schema, raw json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		raw = json.RawMessage("{}")
	}
	if err := kb.CheckJSON(raw); err != nil {
		return nil, err
	}
	fields, err := r.fields(raw)
	if err != nil {
		return nil, err
	}
	return r.object(s, fields, "")
}

// rename gives arguments the names of the schema. The other names of the fields of a list's
// items begin with the name of the list, as in "edits.type".
func (r Reader) rename(s *jsonschema.Schema, fields map[string]any, at string) {
	within, _, nested := strings.Cut(at, "[")
	if nested {
		within += "."
	}
	// Those with one meaning come first: they leave the others the names that are free.
	others := slices.SortedFunc(maps.Keys(r.Synonyms), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(r.Synonyms[a], "|"), strings.Count(r.Synonyms[b], "|")), strings.Compare(a, b))
	})
	for _, other := range others {
		name, ok := strings.CutPrefix(other, within)
		if !ok || strings.Contains(name, ".") {
			continue
		}
		if r.Synonyms[other] == "" {
			delete(fields, name)
			continue
		}
		v, ok := fields[name]
		if !ok || s.Properties[name] != nil {
			continue
		}
		for meant := range strings.SplitSeq(r.Synonyms[other], "|") {
			if fields[meant] == nil {
				delete(fields, name)
				fields[meant] = v
				break
			}
		}
	}
}

// fields decodes an object.
func (r Reader) fields(raw json.RawMessage) (map[string]any, error) {
	if len(raw) >= largeInput {
		if fields, ok := largeFields(raw); ok {
			return fields, nil
		}
	}
	value, err := decodeValue(raw)
	if err != nil {
		return nil, kb.Errorf(kb.Usage, "%s: the arguments are not JSON: %w", r.Name, err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, kb.Errorf(kb.Usage, "%s: the arguments must be a JSON object", r.Name)
	}
	return fields, nil
}

func decodeValue(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err = d.Decode(&value); err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is something after it")
		}
	}
	return value, err
}

// largeInput is the size of arguments from which on a decoder's copy of them counts.
const largeInput = 1 << 20

// largeFields decodes a large object without a copy of its text. It reports false for
// anything else.
func largeFields(raw json.RawMessage) (map[string]any, bool) {
	var parts map[string]verbatim
	if json.Unmarshal(raw, &parts) != nil || parts == nil {
		return nil, false
	}
	fields := make(map[string]any, len(parts))
	for name, p := range parts {
		if len(p) > 0 && p[0] == '"' {
			s, err := unescaped(p)
			if err != nil {
				return nil, false
			}
			fields[name] = s
			continue
		}
		value, err := decodeValue(p)
		if err != nil {
			return nil, false
		}
		fields[name] = value
	}
	return fields, true
}

// unescaped decodes a string of valid JSON, of which encoding/json holds a second copy.
func unescaped(quoted []byte) (string, error) {
	rest := quoted[1 : len(quoted)-1]
	var out strings.Builder
	out.Grow(len(rest) - bytes.Count(rest, []byte(`\`))/2)
	for {
		at := bytes.IndexByte(rest, '\\')
		if at < 0 {
			out.Write(rest)
			return out.String(), nil
		}
		out.Write(rest[:at])
		rest = rest[at:]
		n := 2
		for ; rest[1] == 'u' && bytes.HasPrefix(rest[n-2:], []byte(`\u`)) && n+4 <= len(rest); n += 6 {
		}
		if rest[1] == 'u' {
			n -= 2 // two may be the halves of one character
		}
		switch rest[1] {
		case 'n':
			out.WriteByte('\n')
		case '"', '\\', '/':
			out.WriteByte(rest[1])
		default:
			var s string
			if err := json.Unmarshal(slices.Concat([]byte(`"`), rest[:n], []byte(`"`)), &s); err != nil {
				return "", err
			}
			out.WriteString(s)
		}
		rest = rest[n:]
	}
}

// verbatim is a value within the text that is decoded.
type verbatim []byte

// UnmarshalJSON keeps text, which is part of the whole.
func (p *verbatim) UnmarshalJSON(text []byte) error {
	*p = text
	return nil
}

// MaxInteger is the greatest number that is accepted anywhere: up to here every
// program reads whole numbers in JSON exactly, and what cairn counts does not
// come near it.
const MaxInteger = 1 << 53

// Reader makes values fit schemas. A strict one changes nothing, and refuses what
// would have to be changed.
type Reader struct {
	Name     string // of the operation or the tool, for errors
	Strict   bool
	Synonyms map[string]string // other names of arguments
}

func (r Reader) errorf(at, format string, args ...any) *kb.Error {
	return kb.Errorf(kb.Usage, "%s: %s", r.Name, fmt.Sprintf(format, args...)).With("argument", at)
}

// wants is the error of a value of the wrong kind.
func (r Reader) wants(s *jsonschema.Schema, at, what string) error {
	e := r.errorf(at, "%s must be %s", at, what)
	if s.Description != "" {
		return e.WithHint("%s: %s", at, s.Description)
	}
	return e
}

// value makes one value fit. At names it for errors: "edits[1].text".
func (r Reader) value(s *jsonschema.Schema, v any, at string) (any, error) {
	switch s.Type {
	case "object":
		if text, ok := v.(string); ok && !r.Strict {
			v = unquoted(text, '{')
		}
		fields, ok := v.(map[string]any)
		if !ok {
			return nil, r.wants(s, at, "an object")
		}
		return r.object(s, fields, at+".")
	case "array":
		return r.list(s, v, at)
	case "string":
		return r.text(s, v, at)
	case "integer":
		return r.integer(s, v, at)
	case "number":
		return r.number(s, v, at)
	case "boolean":
		switch v := v.(type) {
		case bool:
			return v, nil
		case string:
			if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil && !r.Strict {
				return b, nil
			}
		}
		return nil, r.wants(s, at, "true or false")
	}
	if slices.Contains(s.Types, "string") { // a text, or a scalar that keeps its type
		switch v := v.(type) {
		case bool, json.Number:
			return v, nil
		}
		return r.text(s, v, at)
	}
	return v, nil // any value will do
}

// object makes the fields of an object fit. A null is an argument that was
// left out.
func (r Reader) object(s *jsonschema.Schema, fields map[string]any, at string) (map[string]any, error) {
	if at == "" && !r.Strict {
		r.gather(s, fields)
	}
	r.rename(s, fields, at)
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v := fields[name]
		p, free := s.Properties[name], false
		if more := s.AdditionalProperties; p == nil && s.Properties == nil && more != nil && more.Not == nil {
			p, free = more, more.Type == "" && len(more.Types) == 0 // a map with free keys, and maybe any values
		}
		if p == nil && v == nil && !r.Strict {
			continue // also of an argument that does not exist
		}
		if p == nil {
			return nil, r.unknown(s, name, at)
		}
		if v == nil && !r.Strict {
			if free {
				out[name] = nil // a value as any other
			}
			continue
		}
		fitted, err := r.value(p, v, at+name)
		if err != nil {
			return nil, err
		}
		out[name] = fitted
	}
	for _, name := range s.Required {
		if _, ok := out[name]; !ok {
			e := r.errorf(at+name, "%s is missing", at+name)
			p := s.Properties[name]
			switch names := accepted(p); {
			case p.Description != "":
				e = e.WithHint("%s: %s", at+name, p.Description)
			case names != nil:
				e = e.WithHint("%s is one of %s.", at+name, strings.Join(names, ", ")).With("accepted", names)
			}
			return nil, e
		}
	}
	return out, nil
}

// gather makes arguments that only the items of a list have into its one item, where the
// list is not given: a caller of edit who means one edit gives "do" with "ref".
func (r Reader) gather(s *jsonschema.Schema, fields map[string]any) {
	for _, list := range s.PropertyOrder {
		p := s.Properties[list]
		if p.Items == nil || p.Items.Type != "object" || fields[list] != nil {
			continue
		}
		item := map[string]any{}
		for name, v := range fields {
			if s.Properties[name] == nil && (p.Items.Properties[name] != nil || r.Synonyms[list+"."+name] != "") {
				item[name] = v
				delete(fields, name)
			}
		}
		if len(item) > 0 {
			fields[list] = []any{item}
			return
		}
	}
}

// unknown refuses an argument that does not exist: what the caller meant by it
// would not happen.
func (r Reader) unknown(s *jsonschema.Schema, name, at string) error {
	e := r.errorf(at+name, "unknown argument %q", at+name).With("arguments", s.PropertyOrder)
	list := strings.Join(s.PropertyOrder, ", ")
	if at == "" && name == "space" && (s.Properties["ref"] != nil || s.Properties["from"] != nil) {
		return e.WithHint("A ref names its space, as in notes:slug. The arguments are %s.", list)
	}
	if near := Nearest(name, s.PropertyOrder); near != "" {
		return e.WithHint("Did you mean %s? The arguments are %s.", near, list)
	}
	return e.WithHint("The arguments are %s.", list)
}

// list accepts one value for a list of one, and a list that was sent as text.
func (r Reader) list(s *jsonschema.Schema, v any, at string) (any, error) {
	if text, ok := v.(string); ok && !r.Strict {
		v = unquoted(text, '[')
		if text, ok := v.(string); ok {
			switch {
			case s.Items.Type == "integer":
				v = span(text)
			case at == "tags":
				v = commas(text)
			}
		}
	}
	list, ok := v.([]any)
	if !ok && r.Strict {
		return nil, r.wants(s, at, "a list")
	}
	if !ok {
		list = []any{v}
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems || s.MinItems != nil && len(list) < *s.MinItems {
		return nil, r.wants(s, at, fmt.Sprintf("a list of %s values", counted(s.MinItems, s.MaxItems)))
	}
	out := make([]any, len(list))
	for i, item := range list {
		fitted, err := r.value(s.Items, item, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		out[i] = fitted
	}
	return out, nil
}

func counted(least, most *int) string {
	switch {
	case least == nil:
		return fmt.Sprintf("at most %d", *most)
	case most == nil:
		return fmt.Sprintf("at least %d", *least)
	}
	return fmt.Sprintf("%d to %d", *least, *most)
}

// span reads "12-18", as lines are often written, as a list of numbers.
func span(text string) any {
	out := []any{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("-–:, ", r) }) {
		out = append(out, part)
	}
	return out
}

// commas reads "lamp, watt", as tags are often written, as a list.
func commas(text string) any {
	out := []any{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (r Reader) text(s *jsonschema.Schema, v any, at string) (any, error) {
	text, ok := v.(string)
	if !ok && r.Strict {
		return nil, r.wants(s, at, "a text")
	}
	switch v := v.(type) {
	case string:
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	case []any: // one value in a list where a single one is wanted
		if len(v) == 1 {
			if _, nested := v[0].([]any); !nested {
				return r.text(s, v[0], at)
			}
		}
		return nil, r.wants(s, at, "one text, not a list")
	default:
		return nil, r.wants(s, at, "a text")
	}
	if len(s.Enum) == 0 {
		return text, nil
	}
	names := accepted(s)
	for _, name := range names {
		if name == text || !r.Strict && strings.EqualFold(name, strings.TrimSpace(text)) {
			return name, nil
		}
	}
	e := r.errorf(at, "%s cannot be %q", at, text).With("accepted", names)
	list := strings.Join(names, ", ")
	if near := Nearest(text, names); near != "" {
		return nil, e.WithHint("Did you mean %s? %s is one of %s.", near, at, list)
	}
	return nil, e.WithHint("%s is one of %s.", at, list)
}

// accepted returns the texts that a value may be, nil for any.
func accepted(s *jsonschema.Schema) []string {
	var names []string
	for _, e := range s.Enum {
		name, _ := e.(string)
		names = append(names, name)
	}
	return names
}

// digits is a number as written, "" for other values.
func (r Reader) digits(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		if !r.Strict {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func (r Reader) integer(s *jsonschema.Schema, v any, at string) (any, error) {
	text := r.digits(v)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		whole, floatErr := strconv.ParseFloat(text, 64) // 3.0 and 1e3 are whole numbers, too
		if n = int64(whole); floatErr != nil || float64(n) != whole {
			return nil, r.wants(s, at, rangeText(s))
		}
	}
	if n > MaxInteger || n < -MaxInteger {
		return nil, r.wants(s, at, rangeText(s))
	}
	if s.Minimum != nil && float64(n) < *s.Minimum || s.Maximum != nil && float64(n) > *s.Maximum {
		return nil, r.wants(s, at, rangeText(s))
	}
	return n, nil
}

func (r Reader) number(s *jsonschema.Schema, v any, at string) (any, error) {
	text := r.digits(v)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
		if s.Minimum != nil && s.Maximum != nil {
			return nil, r.wants(s, at, fmt.Sprintf("a number from %g to %g", *s.Minimum, *s.Maximum))
		}
		return nil, r.wants(s, at, "a number")
	}
	return json.Number(text), nil
}

func rangeText(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("a whole number from %.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("a whole number, %.0f or more", *s.Minimum)
	}
	return "a whole number"
}

// unquoted returns the list or object that was sent as text, or the text.
func unquoted(text string, open byte) any {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != open {
		return text
	}
	var v any
	d := json.NewDecoder(strings.NewReader(trimmed))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return text
	}
	if _, err := d.Token(); err != io.EOF {
		return text
	}
	return v
}
