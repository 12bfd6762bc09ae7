package schema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/kb"
)

// metadata reads frontmatter as notes have it.
func metadata(t *testing.T, yaml string) (out []Value) {
	t.Helper()
	d := markdown.Codec{}.Parse("schemas/a.md", []byte("---\n"+yaml+"---\n\n# A\n"))
	if len(d.Warnings) > 0 {
		t.Fatalf("the frontmatter is not read: %v", d.Warnings)
	}
	for _, p := range d.Nodes[0].Properties {
		out = append(out, Value{Key: p.Key, Text: p.Value})
	}
	return out
}

const person = `type: schema
entity: Person
version: 2
schema:
  name: string, full name
  email?: string
  born?: integer, year
  works_at?: Organization, employer
  "expertise?(array, areas of knowledge)": string
  status?(enum, where they stand):
    - active
    - left
  address?(object):
    city: string
    geo?(object):
      lat: number
settings:
  validation: strict
  frontmatter:
    tags?(array): string
    reviewed: boolean
`

func TestRead(t *testing.T) {
	t.Parallel()
	s, faults := Read(metadata(t, person))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := Schema{Entity: "Person", Version: 2, Mode: Strict, Fields: []Field{
		{Name: "name", Kind: String, Description: "full name"},
		{Name: "email", Kind: String, Optional: true},
		{Name: "born", Kind: Integer, Optional: true, Description: "year"},
		{Name: "works_at", Kind: Entity, Entity: "Organization", Optional: true, Description: "employer"},
		{Name: "expertise", Kind: String, Optional: true, Array: true, Description: "areas of knowledge"},
		{Name: "status", Kind: Enum, Values: []string{"active", "left"}, Optional: true, Description: "where they stand"},
		{Name: "address", Kind: Object, Optional: true, Fields: []Field{
			{Name: "city", Kind: String},
			{Name: "geo", Kind: Object, Optional: true, Fields: []Field{{Name: "lat", Kind: Number}}},
		}},
	}, Metadata: []Field{
		{Name: "tags", Kind: String, Optional: true, Array: true},
		{Name: "reviewed", Kind: Boolean},
	}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("read\n%+v\nand not\n%+v", s, want)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ yaml, key, problem string }{
		{"schema:\n  name: string\n  Name: string\n", "schema.Name", "is repeated"},
		{"schema:\n  \"?\": string\n", "schema.?", "has no name"},
		{"schema:\n  a(map): string\n", "schema.a(map)", "is an array, an enum or an object, and not map"},
		{"schema:\n  a(object): string\n", "schema.a(object)", "is an object without fields"},
		{"schema:\n  a(array):\n    b: string\n", "schema.a(array).b", "has fields within it, but is not an object"},
		{"schema:\n  a: \", what it is\"\n", "schema.a", "has no type"},
		{"schema:\n  a: string\nsettings:\n  validation: often\n", "settings.validation", "is warn, strict or off"},
	} {
		s, faults := Read(metadata(t, test.yaml))
		if want := []Fault{{test.key, test.problem}}; !reflect.DeepEqual(faults, want) {
			t.Errorf("%s: %v, and not %v", test.yaml, faults, want)
		}
		if s.Mode != Warn {
			t.Errorf("%s: mode %s", test.yaml, s.Mode)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	s, _ := Read(metadata(t, person))
	observation := func(category, text string) kb.Observation {
		return kb.Observation{Category: category, Text: text}
	}
	reviewed := Value{"reviewed", "True"}
	for _, test := range []struct {
		name     string
		note     Note
		problems []string
	}{
		{"all of it", Note{
			Metadata:     []Value{reviewed, {"address.city", "London"}, {"address.geo.lat", "51.5"}, {"tags", "x"}},
			Observations: []kb.Observation{observation("Name", "Ada"), observation("born", "1815"), observation("expertise", "a"), observation("status", "Left")},
			Relations:    []Relation{{Type: "works at", Name: "Engine"}},
		}, nil},
		{"properties count", Note{Metadata: []Value{reviewed, {"name", "Ada"}}}, nil},
		{"nothing", Note{}, []string{"name is required: no [name] observation, name relation or property", "reviewed is required: no property reviewed"}},
		{"an observation is no property", Note{Observations: []kb.Observation{observation("name", "Ada"), observation("reviewed", "true")}},
			[]string{"reviewed is required: no property reviewed"}},
		{"types", Note{Metadata: []Value{{"reviewed", "yes"}}, Observations: []kb.Observation{observation("name", "Ada"), observation("born", "long ago"), observation("status", "dead")}},
			[]string{`born is "long ago", and should be a whole number`, `status is "dead", and should be one of active, left`, `reviewed is "yes", and should be true or false`}},
		{"a long value", Note{Metadata: []Value{reviewed}, Observations: []kb.Observation{observation("name", "Ada"), observation("born", strings.Repeat("é", 100))}},
			[]string{`born is "` + strings.Repeat("é", 30) + `…", and should be a whole number`}},
		{"within an object", Note{Metadata: []Value{reviewed, {"name", "Ada"}, {"address.street", "St James's"}, {"address.geo.lat", "north"}}},
			[]string{"address.city is required: no property address.city", `address.geo.lat is "north", and should be a number`}},
	} {
		r := s.Validate(test.note)
		var got []string
		for _, f := range r.Fields {
			if f.Problem != "" {
				got = append(got, f.Problem)
			}
		}
		if !reflect.DeepEqual(got, test.problems) || r.Valid() != (len(test.problems) == 0) {
			t.Errorf("%s: %q, and not %q", test.name, got, test.problems)
		}
	}
	r := s.Validate(Note{Observations: []kb.Observation{observation("habit", "a"), observation("habit", "b"), observation("name", "c")},
		Relations: []Relation{{Type: "wrote"}, {Type: "founded"}, {Type: "wrote"}, {Type: "works_at"}}})
	if !reflect.DeepEqual(r.Observations, map[string]int{"habit": 2}) || !reflect.DeepEqual(r.Relations, []string{"founded", "wrote"}) {
		t.Errorf("beside the schema: %v, %v", r.Observations, r.Relations)
	}
}

// notes makes notes: a word is a category with its value, one with ">" a relation to a
// note of that type.
func notes(lines ...string) (out []Note) {
	for _, line := range lines {
		var n Note
		for _, word := range strings.Fields(line) {
			if name, target, ok := strings.Cut(word, ">"); ok {
				n.Relations = append(n.Relations, Relation{Type: name, Name: "x", Target: target})
				continue
			}
			name, value, _ := strings.Cut(word, "=")
			n.Observations = append(n.Observations, kb.Observation{Category: name, Text: value})
		}
		out = append(out, n)
	}
	return out
}

var four = notes(
	"name=Ada born=1815 skill=a skill=b at>company",
	"name=Bob born=1900 skill=c skill=d at>company",
	"name=Cid born=1.5 at>person",
	"name=Dee rare=true")

func TestInfer(t *testing.T) {
	t.Parallel()
	s := Infer("Person", Usage(four), OptionalFrom)
	want := Schema{Entity: "Person", Version: 1, Mode: Warn, Fields: []Field{
		{Name: "name", Kind: String},
		{Name: "at", Kind: Entity, Entity: "company", Optional: true},
		{Name: "born", Kind: Number, Optional: true},
		{Name: "skill", Kind: String, Optional: true, Array: true},
		{Name: "rare", Kind: Boolean, Optional: true},
	}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("inferred\n%+v\nand not\n%+v", s, want)
	}
	if got := len(Infer("Person", Usage(four), 0.3).Fields); got != 4 {
		t.Errorf("%d fields are in 30 %%", got)
	}
	again, faults := Read(metadata(t, s.Format()))
	if len(faults) > 0 || !reflect.DeepEqual(again, s) {
		t.Errorf("the text reads as\n%+v\n%v\n%s", again, faults, s.Format())
	}
	for i, n := range four {
		if r := again.Validate(n); !r.Valid() {
			t.Errorf("note %d does not keep to what was inferred from it: %+v", i, r)
		}
	}
}

// Whatever notes call things, the schema that is inferred from them can be read.
func FuzzFormat(f *testing.F) {
	f.Add("name", "company")
	f.Add("名前", "on")
	f.Add("a: b # c", "\"\\\n")
	f.Fuzz(func(t *testing.T, category, target string) {
		category, target = strings.ToValidUTF8(category, ""), strings.ToValidUTF8(target, "")
		n := Note{Observations: []kb.Observation{{Category: category, Text: "x"}}, Relations: []Relation{{Type: "rel", Name: "y", Target: target}}}
		s := Infer(target, Usage([]Note{n}), 0)
		d := markdown.Codec{}.Parse("a.md", []byte("---\n"+s.Format()+"---\n"))
		var read []Value
		for _, p := range d.Nodes[0].Properties {
			read = append(read, Value{p.Key, p.Value})
		}
		again, faults := Read(read)
		if len(d.Warnings)+len(faults) > 0 || len(again.Fields) != len(s.Fields) {
			t.Fatalf("%v, %v:\n%s", d.Warnings, faults, s.Format())
		}
		for i, f := range again.Fields {
			if !same(f.Name, s.Fields[i].Name) || f.Kind != s.Fields[i].Kind {
				t.Errorf("%+v became %+v:\n%s", s.Fields[i], f, s.Format())
			}
		}
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	s, _ := Read(metadata(t, "schema:\n  name(array): string\n  skill: string\n  email?: string\n  born?: integer\n"))
	many := notes(strings.Split(strings.Repeat("name=a\n", 20)+"name=b born=1", "\n")...)
	for _, test := range []struct {
		notes                    []Note
		added, unused, different []string
	}{
		{four, []string{"at", "rare"}, []string{"email"}, []string{"name", "skill"}},
		{many, nil, []string{"skill", "email", "born"}, []string{"name"}},
		{[]Note{{Metadata: []Value{{"name", "a"}, {"skill", "b"}, {"email", "c"}, {"born", "1"}, {"more", "d"}}}}, nil, nil, nil},
	} {
		d := s.Diff(test.notes, OptionalFrom)
		names := func(list []Use) (out []string) {
			for _, u := range list {
				out = append(out, u.Field.Name)
			}
			return out
		}
		var different []string
		for _, c := range d.Cardinality {
			different = append(different, c.Field.Name)
		}
		if !reflect.DeepEqual(names(d.New), test.added) || !reflect.DeepEqual(names(d.Unused), test.unused) || !reflect.DeepEqual(different, test.different) {
			t.Errorf("new %q, unused %q, different %q", names(d.New), names(d.Unused), different)
		}
	}
}
