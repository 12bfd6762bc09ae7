package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Note is the part of a note that a schema checks.
type Note struct {
	Metadata     []Value
	Observations []kb.Observation
	Relations    []Relation // those with a type of their own
}

// AddTags adds tags to metadata without tags: those in the text count as well.
func (n *Note) AddTags(tags []string) {
	if slices.ContainsFunc(n.Metadata, func(v Value) bool { return same(v.Key, "tags") }) {
		return
	}
	for _, t := range tags {
		n.Metadata = append(n.Metadata, Value{Key: "tags", Text: t})
	}
}

// Relation is a typed link to another note.
type Relation struct {
	Type   string
	Name   string // of the other note, as it is written
	Target string // its type, "" when it does not exist or has none
}

// State is the result for a field.
type State string

// States of a field.
const (
	Present  State = "present"
	Missing  State = "missing"
	Mismatch State = "mismatch" // a value has the wrong type, or is not one of those allowed
)

// FieldResult is a field with the values that a note has for it.
type FieldResult struct {
	Field   Field
	State   State
	Values  []string
	Problem string // the problem, "" for none
}

// Result is the result of validating a note against a schema.
type Result struct {
	Fields []FieldResult // Schema.Fields, then Schema.Metadata

	// Parts of the note that the schema does not have.
	Observations map[string]int // by category
	Relations    []string       // types, in order
}

// Valid reports whether there are no violations.
func (r Result) Valid() bool {
	return !slices.ContainsFunc(r.Fields, func(f FieldResult) bool { return f.Problem != "" })
}

// Validate validates a note against a schema. Values of a field come from the
// observations of that category; without one from the relations of that type;
// without one from the metadata.
func (s Schema) Validate(n Note) Result {
	r := Result{Observations: map[string]int{}}
	fields, facts := map[string]bool{}, n.facts()
	for _, f := range s.Fields {
		fields[kb.NameKey(f.Name)] = true
	}
	named := func(name string) bool { return fields[kb.NameKey(name)] }
	for _, f := range s.Fields {
		r.Fields = append(r.Fields, f.check(facts.values(f), "no ["+f.Name+"] observation, "+f.Name+" relation or property"))
		r.Fields = append(r.Fields, within(f, f.Name, n.Metadata)...)
	}
	for _, f := range s.Metadata {
		r.Fields = append(r.Fields, f.check(properties(f, n.Metadata), "no property "+f.Name))
		r.Fields = append(r.Fields, within(f, f.Name, n.Metadata)...)
	}
	for _, o := range n.Observations {
		if o.Category != "" && !named(o.Category) {
			r.Observations[o.Category]++
		}
	}
	for _, l := range n.Relations {
		if !named(l.Type) {
			r.Relations = append(r.Relations, l.Type)
		}
	}
	slices.Sort(r.Relations)
	r.Relations = slices.Compact(r.Relations)
	return r
}

// facts holds the values of a note by field name.
type facts struct {
	observations, relations map[string][]string
	metadata                []Value
}

func (n Note) facts() facts {
	out := facts{map[string][]string{}, map[string][]string{}, n.Metadata}
	for _, o := range n.Observations {
		key := kb.NameKey(o.Category)
		out.observations[key] = append(out.observations[key], o.Text)
	}
	for _, l := range n.Relations {
		key := kb.NameKey(l.Type)
		out.relations[key] = append(out.relations[key], l.Name)
	}
	return out
}

func (s facts) values(f Field) []string {
	key := kb.NameKey(f.Name)
	if out := s.observations[key]; len(out) > 0 {
		return out
	}
	if out := s.relations[key]; len(out) > 0 {
		return out
	}
	return properties(f, s.metadata)
}

// properties returns the values of a property, for a nested one those within it.
func properties(f Field, all []Value) (out []string) {
	for _, v := range all {
		key, inner := cut(v.Key)
		if same(key, f.Name) && (inner == "") == (f.Kind != Object) {
			out = append(out, v.Text)
		}
	}
	return out
}

// within checks the fields of an object, if it exists; path is its name with those
// of its parents.
func within(f Field, path string, all []Value) (out []FieldResult) {
	var inner []Value
	for _, v := range all {
		if key, rest := cut(v.Key); rest != "" && same(key, f.Name) {
			inner = append(inner, Value{Key: rest, Text: v.Text})
		}
	}
	if f.Kind != Object || len(inner) == 0 {
		return nil
	}
	for _, x := range f.Fields {
		values, full := properties(x, inner), path+"."+x.Name
		deeper := within(x, full, inner)
		x.Name = full
		out = append(out, x.check(values, "no property "+full))
		out = append(out, deeper...)
	}
	return out
}

// check validates values against a field; none is the message for a missing
// value.
func (f Field) check(values []string, none string) FieldResult {
	r := FieldResult{Field: f, State: Present, Values: values}
	if len(values) == 0 {
		if r.State = Missing; !f.Optional {
			r.Problem = f.Name + " is required: " + none
		}
		return r
	}
	for _, v := range values {
		if !f.takes(v) {
			r.State = Mismatch
			r.Problem = f.Name + " is " + strconv.Quote(short(v)) + ", and should be " + f.expects()
			return r
		}
	}
	return r
}

// takes reports whether a value is of the field's type.
func (f Field) takes(value string) bool {
	value = strings.TrimSpace(value)
	switch f.Kind {
	case Integer:
		_, err := strconv.ParseInt(value, 10, 64)
		return err == nil
	case Number:
		_, ok := kb.Number(value)
		return ok
	case Boolean:
		return strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
	case Enum:
		return slices.ContainsFunc(f.Values, func(v string) bool { return same(v, value) })
	}
	return true
}

func (f Field) expects() string {
	switch f.Kind {
	case Integer:
		return "a whole number"
	case Number:
		return "a number"
	case Boolean:
		return "true or false"
	}
	return "one of " + strings.Join(f.Values, ", ")
}

// maxShown limits the quoted part of a value, in bytes.
const maxShown = 60

func short(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}
