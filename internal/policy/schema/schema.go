package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Type is the type of schema notes.
const Type = "schema"

// Mode is how strictly a schema is enforced.
type Mode string

// Modes.
const (
	Warn   Mode = "warn"
	Strict Mode = "strict"
	Off    Mode = "off"
)

// Kind is the type of a field's values.
type Kind string

// Kinds. Entity is another note; the field has its type.
const (
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Any     Kind = "any"
	Enum    Kind = "enum"
	Object  Kind = "object"
	Entity  Kind = "entity"
)

// Schema is the expected content of notes of a type.
type Schema struct {
	Entity   string // type of the notes, as written
	Version  int    // 0 when not set
	Mode     Mode
	Fields   []Field // values of observations and relations, or of the metadata
	Metadata []Field // values of the metadata alone
}

// Field is one value, or several, of a note under a name.
type Field struct {
	Name        string
	Kind        Kind
	Entity      string   // of Kind Entity: the type of the other note, as it is written
	Values      []string // of Kind Enum: the allowed values
	Fields      []Field  // of Kind Object
	Optional    bool
	Array       bool
	Description string
}

// Value is one value of a property. Key is the metadata key, with the keys of
// nested maps joined by "."; each item of a list is a value.
type Value struct{ Key, Text string }

// Fault is an unreadable line of a schema. It is left out of the schema.
type Fault struct{ Key, Problem string }

// Metadata keys of a schema.
const (
	fieldsKey   = "schema"
	modeKey     = "settings.validation"
	metadataKey = "settings.frontmatter"
)

// Inline reports whether metadata has schema fields of its own.
func Inline(metadata []Value) bool {
	return slices.ContainsFunc(metadata, func(v Value) bool { return strings.HasPrefix(strings.ToLower(v.Key), fieldsKey+".") })
}

// Read reads a schema from the metadata of a note, in the order of the text.
func Read(metadata []Value) (s Schema, faults []Fault) {
	s.Mode = Warn
	for _, v := range metadata {
		key, text := strings.ToLower(v.Key), strings.TrimSpace(v.Text)
		fault := ""
		switch {
		case key == "entity":
			s.Entity = text
		case key == "version":
			if n, err := strconv.Atoi(text); err == nil {
				s.Version = n
			}
		case key == modeKey:
			if s.Mode = Mode(strings.ToLower(text)); s.Mode != Warn && s.Mode != Strict && s.Mode != Off {
				s.Mode, fault = Warn, "is warn, strict or off"
			}
		case strings.HasPrefix(key, fieldsKey+"."):
			s.Fields, fault = read(s.Fields, v.Key[len(fieldsKey)+1:], text)
		case strings.HasPrefix(key, metadataKey+"."):
			s.Metadata, fault = read(s.Metadata, v.Key[len(metadataKey)+1:], text)
		}
		if fault != "" {
			faults = append(faults, Fault{v.Key, fault})
		}
	}
	return s, faults
}

// read adds the definition in one value to fields: key is "name?(modifier,
// description)", or several joined by "." for nested fields.
func read(fields []Field, key, text string) (out []Field, fault string) {
	head, rest := cut(key)
	name, modifier, _ := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	modifier, description, _ := strings.Cut(modifier, ",")
	name, optional := strings.CutSuffix(strings.TrimSpace(name), "?")
	f := Field{Name: strings.TrimSpace(name), Optional: optional, Description: strings.TrimSpace(description)}
	if kb.NameKey(f.Name) == "" {
		return fields, "has no name"
	}
	i := slices.IndexFunc(fields, func(x Field) bool { return same(x.Name, f.Name) })
	switch modifier = strings.ToLower(strings.TrimSpace(modifier)); {
	case modifier == "object" || modifier == "" && rest != "":
		if rest == "" {
			return fields, "is an object without fields"
		}
		if i < 0 {
			f.Kind = Object
			i, fields = len(fields), append(fields, f)
		}
		fields[i].Fields, fault = read(fields[i].Fields, rest, text)
		return fields, fault
	case rest != "":
		return fields, "has fields within it, but is not an object"
	case modifier == "enum":
		if i < 0 {
			f.Kind = Enum
			i, fields = len(fields), append(fields, f)
		}
		fields[i].Values = append(fields[i].Values, text)
		return fields, ""
	case modifier != "" && modifier != "array":
		return fields, "is an array, an enum or an object, and not " + modifier
	case i >= 0:
		return fields, "is repeated"
	}
	kind, more, _ := strings.Cut(text, ",")
	if f.Description == "" {
		f.Description = strings.TrimSpace(more)
	}
	f.Array = modifier == "array"
	f.Kind, f.Entity = kindOf(strings.TrimSpace(kind))
	if f.Kind == "" {
		return fields, "has no type"
	}
	return append(fields, f), ""
}

// cut cuts the first of keys that are joined by ".", ignoring dots in
// parentheses.
func cut(key string) (head, rest string) {
	depth := 0
	for i, r := range key {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '.' && depth <= 0:
			return key[:i], key[i+1:]
		}
	}
	return key, ""
}

// kindOf parses a type. A name that is not built in is the type of a note.
func kindOf(name string) (Kind, string) {
	switch k := Kind(strings.ToLower(name)); k {
	case String, Integer, Number, Boolean, Any, Object:
		return k, ""
	case "":
		return "", ""
	}
	return Entity, name
}

// same reports whether two names are equal, ignoring case, "_", "-" and blanks.
func same(a, b string) bool { return a == b || kb.NameKey(a) == kb.NameKey(b) }

// TypeName returns the type of a field's values, as written in a schema.
func (f Field) TypeName() string {
	if f.Kind == Entity {
		return f.Entity
	}
	return string(f.Kind)
}
