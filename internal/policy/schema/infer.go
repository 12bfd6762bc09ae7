package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Shares of the notes with a field, from 0 to 1, as in Basic Memory's schemas: from
// which the field is required, from which it is part of the schema, and below which
// a schema's field counts as unused.
const (
	RequiredFrom = 0.95
	OptionalFrom = 0.25
	UnusedBelow  = 0.1
)

// maxName limits the name of a field, in bytes. YAML has no keys of more than
// 1,024, and longer names are mistakes.
const maxName = 128

// maxSamples is the number of example values kept per field.
const maxSamples = 5

// Source is the origin of a field's values in notes.
type Source string

// Sources.
const (
	FromObservations Source = "observation"
	FromRelations    Source = "relation"
)

// Use counts the notes with a field.
type Use struct {
	Field   Field // its form in a schema
	Source  Source
	Notes   int     // that have it
	Share   float64 // of all notes
	Samples []string
}

// Usage returns the fields of notes: every category of observations and every type
// of relations, most frequent first.
func Usage(notes []Note) []Use {
	tallies := map[tallyKey]*tally{}
	for _, n := range notes {
		seen := map[tallyKey]int{}
		count := func(source Source, name, value, target string) {
			k := tallyKey{source, kb.NameKey(name)}
			if k.name == "" || len(name) > maxName {
				return
			}
			t := tallies[k]
			if t == nil {
				t = &tally{name: name, targets: map[string]int{}}
				tallies[k] = t
			}
			seen[k]++
			t.add(seen[k], value, target)
		}
		for _, o := range n.Observations {
			count(FromObservations, o.Category, o.Text, "")
		}
		for _, l := range n.Relations {
			count(FromRelations, l.Type, l.Name, l.Target)
		}
	}
	out := make([]Use, 0, len(tallies))
	for k, t := range tallies {
		out = append(out, t.use(k.source, len(notes)))
	}
	slices.SortFunc(out, func(a, b Use) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), strings.Compare(a.Field.Name, b.Field.Name), strings.Compare(string(a.Source), string(b.Source)))
	})
	return out
}

// tally counts a field; tallyKey identifies it.
type tally struct {
	name        string
	notes, many int // notes with it, and notes with several
	samples     []string
	targets     map[string]int // types of other notes

	values, integers, numbers, booleans int
}

type tallyKey struct {
	source Source
	name   string
}

// add counts a value, the nth of its note.
func (t *tally) add(nth int, value, target string) {
	switch nth {
	case 1:
		t.notes++
	case 2:
		t.many++
	}
	t.values++
	if (Field{Kind: Integer}).takes(value) {
		t.integers++
	}
	if (Field{Kind: Number}).takes(value) {
		t.numbers++
	}
	if (Field{Kind: Boolean}).takes(value) {
		t.booleans++
	}
	if kb.NameKey(target) != "" && len(target) <= maxName {
		t.targets[target]++
	}
	if len(t.samples) < maxSamples && !slices.Contains(t.samples, value) {
		t.samples = append(t.samples, value)
	}
}

// use converts counts over a number of notes.
func (t *tally) use(source Source, of int) Use {
	u := Use{Source: source, Notes: t.notes, Share: float64(t.notes) / float64(of), Samples: t.samples}
	u.Field = Field{Name: t.name, Optional: u.Share < RequiredFrom, Array: 2*t.many > t.notes, Kind: String}
	switch {
	case source == FromRelations:
		u.Field.Kind = Any
		if name := most(t.targets); !strings.Contains(name, ",") {
			if kind, entity := kindOf(strings.TrimSpace(name)); kind == Entity {
				u.Field.Kind, u.Field.Entity = kind, entity
			}
		}
	case t.integers == t.values:
		u.Field.Kind = Integer
	case t.numbers == t.values:
		u.Field.Kind = Number
	case t.booleans == t.values:
		u.Field.Kind = Boolean
	}
	return u
}

// most returns the most frequent value, the first by name of equally frequent ones.
func most(counts map[string]int) (out string) {
	for name, n := range counts {
		if out == "" || n > counts[out] || n == counts[out] && name < out {
			out = name
		}
	}
	return out
}

// Infer derives the schema of existing notes: fields that at least a share from of
// them has, each name once, except names that a schema cannot express.
func Infer(entity string, usage []Use, from float64) Schema {
	s := Schema{Entity: entity, Version: 1, Mode: Warn}
	for _, u := range usage {
		known := slices.ContainsFunc(s.Fields, func(f Field) bool { return same(f.Name, u.Field.Name) })
		if u.Share >= from && !known && !strings.ContainsAny(u.Field.Name, ".?(),") {
			s.Fields = append(s.Fields, u.Field)
		}
	}
	return s
}

// Drift is the difference between notes and their schema.
type Drift struct {
	New         []Use         // in notes, and not in the schema
	Unused      []Use         // in the schema, and in few notes; without Source and Samples
	Cardinality []Cardinality // one in the schema and several in notes, or the other way round
}

// Cardinality is a field that is an array on one side only.
type Cardinality struct {
	Use
	Declared bool // it is an array in the schema
}

// Diff compares a schema with notes; from is the share from which a new field
// counts. A property counts as used, but not as a new field.
func (s Schema) Diff(notes []Note, from float64) (d Drift) {
	usage := Usage(notes)
	for _, u := range usage {
		if u.Share >= from && !slices.ContainsFunc(s.Fields, func(f Field) bool { return same(f.Name, u.Field.Name) }) {
			d.New = append(d.New, u)
		}
	}
	having := make([]int, len(s.Fields))
	for _, n := range notes {
		said := n.facts()
		for i, f := range s.Fields {
			if len(said.values(f)) > 0 {
				having[i]++
			}
		}
	}
	for i, f := range s.Fields {
		have := Use{Field: f, Notes: having[i]}
		if have.Share = float64(have.Notes) / float64(len(notes)); have.Share < UnusedBelow {
			d.Unused = append(d.Unused, have)
			continue
		}
		at := slices.IndexFunc(usage, func(u Use) bool { return same(u.Field.Name, f.Name) })
		if at >= 0 && usage[at].Field.Array != f.Array && f.Kind != Object {
			d.Cardinality = append(d.Cardinality, Cardinality{usage[at], f.Array})
		}
	}
	return d
}

// Format writes the metadata of a schema in the form of a note: YAML, without the
// fences.
func (s Schema) Format() string {
	var b strings.Builder
	line := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	line("type", Type)
	line("entity", scalar(s.Entity))
	line("version", strconv.Itoa(max(s.Version, 1)))
	if len(s.Fields) > 0 {
		b.WriteString("schema:\n")
	}
	for _, f := range s.Fields {
		key := f.Name
		if f.Optional {
			key += "?"
		}
		if f.Array {
			key += "(array)"
		}
		line("  "+scalar(key), scalar(f.TypeName()))
	}
	b.WriteString("settings:\n")
	line("  validation", string(s.Mode))
	return b.String()
}

// scalar writes a text so that YAML reads it as that text.
func scalar(text string) string {
	for i, r := range text {
		plain := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune("-?()", r))
		if !plain {
			return strconv.Quote(text)
		}
	}
	switch strings.ToLower(text) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return strconv.Quote(text)
	}
	return text
}
