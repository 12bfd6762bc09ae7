package markdown

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// language is the language of a frontmatter.
type language uint8

const (
	inYAML language = iota
	inTOML
	inJSON
	inText // of Denote; read-only
)

func (l language) String() string { return [...]string{"YAML", "TOML", "JSON", "text"}[l] }

// The values with the same form in all three languages, and dates.
var (
	number   = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	dateTime = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$`)
)

// look is the type of a value according to its form.
type look uint8

const (
	words look = iota
	boolean
	numeric
	nothing
	day
	moment
)

// lookOf returns the type of a value without quotation marks.
func lookOf(value string) look {
	switch {
	case value == "true" || value == "false" || value == "True" || value == "False":
		return boolean
	case value == "null":
		return nothing
	case number().MatchString(value):
		return numeric
	case len(value) == len("2006-01-02") && doc.IsDate(value):
		return day
	case len(value) > len("2006-01-02") && doc.IsDate(value[:len("2006-01-02")]) && dateTime().MatchString(value):
		return moment
	}
	return words
}

// isText reports whether the value of a key is always text, regardless of its form.
func isText(key string) bool {
	switch strings.ToLower(key) {
	case "title", "subtitle", "aliases", "alias", "tags", "tag", "summary", "description", "desc":
		return true
	}
	return false
}

// scalar returns the text of a scalar in the language of the frontmatter. A typed value has
// the type of its form, unless a text is replaced. had is the replaced field, style its
// quotation mark.
func (y *matterEditor) scalar(key string, had field, style byte, value string, typed bool) (string, error) {
	is := lookOf(value)
	text := isText(key)
	if typed && !text {
		switch {
		case is == nothing && y.matter.lang == inTOML:
			return "", kb.Errorf(kb.Invalid, "TOML has no null: the key %q can be removed", key)
		case is == nothing:
			return "null", nil
		case y.wasText(had) && (is == boolean || is == numeric):
			text = true
		case style != 0 && y.matter.lang == inYAML:
		case is == boolean:
			return strings.ToLower(value), nil
		case is == numeric, (is == day || is == moment) && y.matter.lang == inYAML:
			return value, nil
		case is == moment && y.matter.lang == inTOML && strings.Count(value, ":") == 1:
			return value + ":00", nil // TOML 1.0 requires seconds
		case is == moment && y.matter.lang == inTOML:
			return value, nil
		}
	}
	if y.matter.lang == inYAML {
		if text && style == 0 && is != words {
			style = '"'
		}
		return quote(value, style, y.matter.braces), nil
	}
	switch {
	case text || y.wasText(had):
	case value == "True" || value == "False":
		return strings.ToLower(value), nil
	case is == numeric && plainNumber(value), is == day && y.matter.lang == inTOML:
		return value, nil
	}
	return y.text(value, style, false), nil
}

// wasText reports whether the value of a field is a text.
func (y *matterEditor) wasText(f field) bool {
	if f.kind != scalar {
		return false
	}
	raw := y.d.Slice(y.value(f))
	if raw == "" {
		return false
	}
	if y.matter.lang != inYAML {
		return raw[0] == '"' || raw[0] == '\''
	}
	n, err := parseYAML([]byte(raw))
	return err == nil && n != nil && n.ShortTag() == "!!str" && lookOf(n.Value) != moment
}

// text writes a string in the language of the frontmatter, with the given quotation marks if
// possible.
func (y *matterEditor) text(s string, style byte, inList bool) string {
	switch y.matter.lang {
	case inTOML:
		if style == '\'' && !strings.ContainsAny(s, "'\r\n\x7f") && printable([]byte(s)) {
			return "'" + s + "'"
		}
		return jsonText(s)
	case inJSON:
		return jsonText(s)
	}
	return quote(s, style, inList)
}

// jsonText writes a JSON string, which is also valid in TOML.
func jsonText(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "\x7f", `\u007f`)
}

// item writes an item of a list.
func (y *matterEditor) item(key, value string, inList bool) string {
	if y.matter.lang != inYAML {
		if !isText(key) && (lookOf(value) == numeric && plainNumber(value) || lookOf(value) == day && y.matter.lang == inTOML) {
			return value
		}
		return y.text(value, 0, inList)
	}
	if is := lookOf(value); isText(key) && is != words {
		return quote(value, '"', inList)
	}
	return quote(value, 0, inList)
}

// list writes a list in brackets.
func (y *matterEditor) list(key string, values []string) string {
	items := make([]string, len(values))
	for i, v := range values {
		items[i] = y.item(key, v, true)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// name writes a key.
func (y *matterEditor) name(key string) string {
	switch y.matter.lang {
	case inTOML:
		return tomlName(key)
	case inJSON:
		return jsonText(key)
	}
	switch strings.ToLower(key) {
	case "yes", "no", "on", "off", "y", "n": // strings since YAML 1.2, which programs use for keys
		return key
	}
	return quote(key, 0, true)
}

// bareKey are the characters of a TOML key without quotation marks.
const bareKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// translated converts a value of YAML or JSON to the language of the frontmatter.
func (y *matterEditor) translated(key, value string) (string, error) {
	n, err := parseYAML([]byte(value))
	if err != nil || n == nil || strings.ContainsAny(value, "\r\n") {
		return "", kb.Errorf(kb.Invalid, "the value of %q is not written as one line of YAML", key)
	}
	if y.matter.lang == inYAML || y.matter.lang == inJSON && json.Valid([]byte(value)) {
		return value, nil
	}
	r := yamlReader{budget: maxAliased, nested: maxNested}
	data := r.data(n, 0)
	if y.matter.lang == inTOML {
		out, ok := tomlValue(data)
		if !ok {
			return "", kb.Errorf(kb.Invalid, "TOML has no null: the value of %q holds one", key)
		}
		return out, nil
	}
	out, err := json.Marshal(data)
	if err != nil {
		return "", kb.Errorf(kb.Invalid, "the value of %q cannot be written as JSON", key)
	}
	return string(out), nil
}

// tomlValue writes a value on one line of TOML; it returns false for a value with a null.
func tomlValue(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case string:
		return jsonText(v), true
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			ok := false
			if items[i], ok = tomlValue(item); !ok {
				return "", false
			}
		}
		return "[" + strings.Join(items, ", ") + "]", true
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			item, ok := tomlValue(v[key])
			if !ok {
				return "", false
			}
			items = append(items, jsonText(key)+" = "+item)
		}
		return "{" + strings.Join(items, ", ") + "}", true
	}
	return fmt.Sprint(v), true
}

// addLiteral adds a new key after the others of a frontmatter in TOML or JSON.
func (y *matterEditor) addLiteral(key, value string) []doc.Splice {
	if y.matter.lang == inTOML {
		return []doc.Splice{y.keys().Insert(y.matter.insert, y.name(key)+" = "+value)}
	}
	fields := y.matter.fields
	if len(fields) == 0 {
		return []doc.Splice{{Span: y.matter.inner, New: y.name(key) + ": " + value}}
	}
	last := fields[len(fields)-1]
	colon := ": "
	if text := y.d.Text; text[last.at.Start-1] == ':' {
		colon = ":"
	}
	at := doc.Span{Start: last.at.End, End: last.at.End}
	return []doc.Splice{{Span: at, New: "," + y.blanksBefore(last.span.Start) + y.name(key) + colon + value}}
}

// blanksBefore returns the blanks that end at a position.
func (y *matterEditor) blanksBefore(at int) string {
	text := y.d.Text[:at]
	return string(text[len(bytes.TrimRight(text, " \t\r\n")):])
}

// member returns the text to remove together with a member of a JSON object: the
// comma after it or, for the last member, the one before it.
func (m *matter) member(i int) doc.Span {
	span := m.fields[i].span
	switch {
	case i+1 < len(m.fields):
		span.End = m.fields[i+1].span.Start
	case i > 0:
		span.Start = m.fields[i-1].span.End
	}
	return span
}

// itemText returns the text of a list item.
func (y *matterEditor) itemText(text string) string {
	switch y.matter.lang {
	case inTOML:
		var v struct{ V any }
		if toml.Unmarshal([]byte("V = "+text), &v) == nil && v.V != nil {
			return dataText(v.V)
		}
		return ""
	case inJSON:
		var s string
		if json.Unmarshal([]byte(text), &s) == nil {
			return s
		}
		return strings.TrimSpace(text)
	}
	return itemValue(text)
}

// literalItems returns the items of a list in TOML or JSON that starts at a position.
func literalItems(s []byte, start int) (items []doc.Span) {
	for i := 1; i < len(s)-1; {
		from := i
		switch s[i] {
		case ' ', '\t', '\r', '\n', ',':
			i++
			continue
		case '#':
			i = doc.LineEnd(s, i)
			continue
		case '"', '\'', '[', '{':
			i += tomlLength(s[i:])
		default:
			for i++; i < len(s)-1 && !bytes.ContainsRune([]byte(" \t\r\n,#"), rune(s[i])); i++ {
			}
		}
		items = append(items, doc.Span{Start: start + from, End: start + i})
	}
	return items
}

// separator returns the text between the last item of a list in brackets and a new one.
func (y *matterEditor) separator(items []doc.Span) string {
	if y.matter.lang == inYAML {
		return ", "
	}
	if blanks := y.blanksBefore(items[len(items)-1].Start); strings.Contains(blanks, "\n") {
		return "," + blanks
	}
	return ", "
}
