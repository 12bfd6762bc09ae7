package sidecar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Merge applies the changes from base to ours to theirs: source by source, assertion by
// assertion, and key by key for unknown members. Each version may be empty, for none.
// Conflicts name the parts that both changed differently; merged is nil then. If both
// fetched the same data, the later time counts; additions of both are kept.
//
// Values keep their bytes. The file has the layout that edits produce, with one member per
// line.
func Merge(base, ours, theirs []byte) (merged []byte, conflicts []string) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, ours):
		return theirs, nil
	case bytes.Equal(base, theirs):
		return ours, nil
	}
	var three versions[*File]
	for i, text := range [...][]byte{base, ours, theirs} {
		if len(text) == 0 {
			text = []byte("{}")
		}
		f, err := Parse(text)
		if err != nil {
			return nil, []string{"a sidecar that cannot be read"}
		}
		three[i] = f
	}
	m := merger{}
	text := m.file(three)
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	if _, err := Parse(text); err != nil || len(text) > kb.MaxSidecar {
		return nil, []string{"more than one sidecar holds"}
	}
	return text, nil
}

// versions are the base, our and their version of a part.
type versions[T any] [3]T

// Indexes of versions.
const (
	inBase = iota
	inOurs
	inTheirs
)

// value is a JSON value as written, with its name; raw is nil for none.
type value struct {
	name string // "" for an assertion
	key  []byte // name as written
	raw  []byte
}

// same reports whether two values are equal, ignoring white space.
func (v value) same(other value) bool {
	if v.raw == nil || other.raw == nil {
		return v.raw == nil && other.raw == nil
	}
	return bytes.Equal(compact(v.raw), compact(other.raw))
}

func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// merger combines versions and records conflicts.
type merger struct{ conflicts []string }

func (m *merger) clash(format string, args ...any) {
	m.conflicts = append(m.conflicts, fmt.Sprintf(format, args...))
}

// pick returns the value that one side changed; ok is false if both did.
func pick(v versions[value]) (value, bool) {
	switch {
	case v[inOurs].same(v[inBase]), v[inOurs].same(v[inTheirs]):
		return v[inTheirs], true
	case v[inTheirs].same(v[inBase]):
		return v[inOurs], true
	}
	return v[inTheirs], false
}

// The structured parts of a sidecar.
const (
	partSources    = "sources"
	partFetched    = "fetched"
	partAssertions = "assertions"
)

func (m *merger) file(three versions[*File]) []byte {
	var sources, fetched, top versions[[]value]
	for i, f := range three {
		sources[i], fetched[i], top[i] = f.values(f.sources), f.values(f.fetched), f.values(f.top)
	}
	data, from := m.sources(sources)
	times := m.fetched(fetched, from)
	claims := m.assertions(three)
	parts := map[string]string{
		partSources: render("{", "}", data, "    ", "\n  "), partFetched: render("{", "}", times, "    ", "\n  "),
		partAssertions: render("[", "]", claims, "    ", "\n  "),
	}
	empty := map[string]bool{partSources: len(data) == 0, partFetched: len(times) == 0, partAssertions: len(claims) == 0}
	var out []value
	for _, v := range matched(top) {
		called := name(v)
		if text, ok := parts[called]; ok {
			if !empty[called] || v[inOurs].raw != nil && v[inTheirs].raw != nil {
				out = append(out, value{name: called, key: []byte(quote(called)), raw: []byte(text)})
			}
			continue
		}
		x, ok := pick(v)
		if !ok {
			m.clash("%s", called)
		}
		if x.raw != nil {
			out = append(out, x)
		}
	}
	return []byte(render("{", "}\n", out, "  ", "\n"))
}

// sources merges the data of sources. from maps each source to the side of its data.
func (m *merger) sources(all versions[[]value]) (out []value, from map[string]int) {
	from = map[string]int{}
	for _, v := range matched(all) {
		x, ok := pick(v)
		switch {
		case !ok:
			m.clash("the data of %s", name(v))
		case v[inOurs].same(v[inTheirs]):
			from[name(v)] = inBase // either
		case x.same(v[inOurs]):
			from[name(v)] = inOurs
		default:
			from[name(v)] = inTheirs
		}
		if x.raw != nil {
			out = append(out, x)
		}
	}
	return out, from
}

// fetched returns the fetch times of the merged data.
func (m *merger) fetched(all versions[[]value], from map[string]int) (out []value) {
	for _, v := range matched(all) {
		x, ok := pick(v)
		switch side := from[name(v)]; {
		case side != inBase:
			x = v[side]
		case !ok && string(compact(v[inOurs].raw)) > string(compact(v[inTheirs].raw)): // equal data
			x = v[inOurs]
		}
		if x.raw != nil {
			out = append(out, x)
		}
	}
	return out
}

// assertions merges lists of assertions. They are matched by claim; both sides may have set
// an end, a confidence or other parts.
func (m *merger) assertions(three versions[*File]) (out []value) {
	var all versions[[]value]
	var known versions[map[string]value]
	for i, f := range three {
		known[i] = map[string]value{}
		for _, at := range f.Assertions {
			raw := f.bytes(at)
			key := string(compact(raw))
			if a, err := f.Assertion(at); err == nil {
				key = fmt.Sprintf("%q", a.Claim())
			}
			for n := 0; ; n++ {
				if name := fmt.Sprint(key, n); known[i][name].raw == nil {
					v := value{name: name, raw: raw}
					known[i][name], all[i] = v, append(all[i], v)
					break
				}
			}
		}
	}
	for _, v := range matched(all) {
		if v[inBase].raw == nil { // added
			for _, side := range []int{inTheirs, inOurs} {
				if v[side].raw != nil && !slices.ContainsFunc(out, v[side].same) {
					out = append(out, value{raw: v[side].raw})
				}
			}
			continue
		}
		x, ok := pick(v)
		if !ok {
			x, ok = m.assertion(v)
		}
		if !ok {
			m.clash("the assertion %s", compact(v[inBase].raw))
		}
		if x.raw != nil {
			out = append(out, value{raw: x.raw})
		}
	}
	return out
}

// assertion merges an assertion that both sides changed.
func (m *merger) assertion(v versions[value]) (value, bool) {
	var all versions[[]value]
	for i := range v {
		if v[i].raw == nil {
			return value{}, false // removed on one side, and changed on the other
		}
		f, err := Parse(v[i].raw)
		if err != nil {
			return value{}, false
		}
		all[i] = f.values(f.top)
	}
	var members []string
	for _, part := range matched(all) {
		x, ok := pick(part)
		if !ok {
			return value{}, false
		}
		if x.raw != nil {
			members = append(members, string(x.key)+": "+string(x.raw))
		}
	}
	return value{raw: []byte("{" + strings.Join(members, ", ") + "}")}, true
}

// values returns the members of an object.
func (f *File) values(o object) (out []value) {
	for _, m := range o.keys.All {
		out = append(out, value{name: m.Name, key: f.bytes(m.At), raw: f.bytes(m.Value)})
	}
	return out
}

// matched groups the values of three versions by name: in the order of theirs, then those
// that only the others have.
func matched(all versions[[]value]) (out []versions[value]) {
	at := map[string]int{}
	for _, side := range []int{inTheirs, inOurs, inBase} {
		for _, v := range all[side] {
			i, ok := at[v.name]
			if !ok {
				i = len(out)
				at[v.name], out = i, append(out, versions[value]{})
			}
			out[i][side] = v
		}
	}
	return out
}

// name returns the name of a value in any version.
func name(v versions[value]) string {
	for _, x := range v {
		if x.raw != nil {
			return x.name
		}
	}
	return ""
}

// render writes values between brackets, one per line.
func render(open, end string, values []value, indent, last string) string {
	lines := make([]string, len(values))
	for i, v := range values {
		lines[i] = "\n" + indent
		if v.key != nil {
			lines[i] += string(v.key) + ": "
		}
		lines[i] += string(v.raw)
	}
	return open + strings.Join(lines, ",") + last + end
}
