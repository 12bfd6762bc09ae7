package sidecar

import (
	"slices"
	"strconv"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Joined is the sidecar of two joined pages.
type Joined struct {
	Text  []byte
	Left  []byte   // remaining data that stays with the other page, nil for none
	Stays []string // names of that data: both pages have it, with different values
	At    []int    // index in Text of each assertion of the other page
}

// Join appends the sidecar of one page to that of another. Equal data is kept
// once. Each may be nil, for none.
func Join(into, from []byte) (out Joined, err error) {
	a, err := Parse(orEmpty(into))
	if err != nil {
		return out, err
	}
	b, err := Parse(orEmpty(from))
	if err != nil {
		return out, err
	}
	var claims []value
	for _, at := range a.Assertions {
		claims = append(claims, value{raw: a.bytes(at)})
	}
	for _, at := range b.Assertions {
		i := slices.IndexFunc(a.Assertions, func(o doc.Span) bool { return repeats(a, o, b, at) })
		if i < 0 {
			i, claims = len(claims), append(claims, value{raw: b.bytes(at)})
		}
		out.At = append(out.At, i)
	}
	var rest [3][]value // for equal data the first time counts
	sources, stay := union(a.values(a.sources), b.values(b.sources))
	rest[0] = stay
	times, _ := union(a.values(a.fetched), b.values(b.fetched)) // for equal data the first time counts
	for _, v := range stay {
		out.Stays = append(out.Stays, v.name)
		times = slices.DeleteFunc(times, func(t value) bool {
			_, had := a.fetched.find(v.name)
			return !had && t.name == v.name
		})
		if m, ok := b.fetched.find(v.name); ok {
			rest[1] = append(rest[1], value{name: v.name, key: b.bytes(m.At), raw: b.bytes(m.Value)})
		}
	}
	parts := map[string]string{}
	add := func(name, open, end string, values []value) {
		if len(values) > 0 {
			parts[name] = render(open, end, values, "    ", "\n  ")
		}
	}
	add(partSources, "{", "}", sources)
	add(partFetched, "{", "}", times)
	add(partAssertions, "[", "]", claims)
	top, stay := union(a.others(), b.others())
	for _, v := range stay {
		out.Stays = append(out.Stays, v.name)
	}
	rest[2] = stay
	if out.Text = layout(top, parts); len(out.Text) > kb.MaxSidecar {
		return out, kb.Errorf(kb.Invalid, "the joined sidecar would have %d bytes, more than the maximum of %d", len(out.Text), kb.MaxSidecar).
			WithHint("Nothing was changed.")
	}
	if len(out.Stays) > 0 {
		parts = map[string]string{}
		add(partSources, "{", "}", rest[0])
		add(partFetched, "{", "}", rest[1])
		out.Left = layout(rest[2], parts)
	}
	return out, nil
}

// union returns the values of one object followed by those that only the other
// has. Values that differ stay with the other.
func union(a, b []value) (all, stay []value) {
	all = slices.Clone(a)
	for _, v := range b {
		i := slices.IndexFunc(a, func(o value) bool { return o.name == v.name })
		switch {
		case i < 0:
			all = append(all, v)
		case !a[i].same(v):
			stay = append(stay, v)
		}
	}
	return all, stay
}

// layout writes a file from its structured parts and its other members.
func layout(others []value, parts map[string]string) []byte {
	var out []value
	for _, name := range []string{partSources, partFetched, partAssertions} {
		if text := parts[name]; text != "" {
			out = append(out, value{key: []byte(quote(name)), raw: []byte(text)})
		}
	}
	return []byte(render("{", "}\n", append(out, others...), "  ", "\n"))
}

func orEmpty(text []byte) []byte {
	if text == nil {
		return []byte("{}")
	}
	return text
}

// repeats reports whether two assertions are equal except for the time of their recording.
func repeats(f *File, at doc.Span, g *File, other doc.Span) bool {
	a, err := f.Assertion(at)
	b, err2 := g.Assertion(other)
	if err != nil || err2 != nil {
		return value{raw: f.bytes(at)}.same(value{raw: g.bytes(other)})
	}
	a.Created, b.Created = "", ""
	return a.line() == b.line()
}

// others returns the members of a file other than the structured parts.
func (f *File) others() []value {
	return slices.DeleteFunc(f.values(f.top), func(v value) bool {
		return v.name == partSources || v.name == partFetched || v.name == partAssertions
	})
}

// Restate replaces the subject, the object and the supersedes number of assertions with
// those returned by say; at counts all objects of the list. Everything else keeps its bytes.
func Restate(text []byte, say func(at int, a Assertion) Assertion) ([]byte, error) {
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	var splices []doc.Splice
	for i, at := range f.Assertions {
		was, err := f.Assertion(at)
		if err != nil {
			continue // not an assertion: unchanged
		}
		o, err := f.object(at)
		if err != nil {
			return nil, err
		}
		is := say(i, was)
		for _, part := range []struct {
			name     string
			was, now string
		}{
			{"subject", quote(was.Subject), quote(is.Subject)}, {"object", quote(was.Object), quote(is.Object)},
			{"supersedes_id", strconv.FormatInt(was.Supersedes, 10), strconv.FormatInt(is.Supersedes, 10)},
		} {
			if m, ok := o.find(part.name); ok && part.was != part.now {
				splices = append(splices, o.keys.Set([]doc.Key{m}, part.now)...)
			}
		}
	}
	return doc.ApplySplices(text, splices)
}
