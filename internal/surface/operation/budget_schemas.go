package operation

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cairn-kb/cairn/internal/api"
)

// Default is the room of an answer with no requested length.
const Default Room = 16_000

// fewFields is how many of the fields of a page an answer has.
const fewFields = 40

// Conformity has as many of the pages from an offset as there is room for, the first in
// any case, and few of the values of each.
func Conformity(c api.Conformity, offset int) (api.Conformity, string) {
	r, out := Default, LeftOut{}
	var more int
	c.Faults, more = Fit(c.Faults, &r)
	out.Add(more, "faults of schemas")
	items, fields := make([]api.PageConformity, 0, len(c.Items)), 0
	for _, p := range c.Items {
		short, more := few(p)
		if !r.Take(short) && len(items) > 0 {
			c.Next = strconv.Itoa(offset + len(items))
			break
		}
		items, fields = append(items, short), fields+more
	}
	out.Add(fields, "fields of these pages")
	out.Add(c.Total-offset-len(items), "pages")
	c.Items = items
	return c, out.String()
}

// few is a page with few of its fields, and how many more it has.
func few(p api.PageConformity) (_ api.PageConformity, more int) {
	more = max(0, len(p.Fields)-fewFields)
	p.Fields = slices.Clone(p.Fields[:len(p.Fields)-more])
	for i, f := range p.Fields {
		p.Fields[i].Values = Values(f.Values)
	}
	if n := len(p.Relations) - fewFields; n > 0 {
		p.Relations, more = p.Relations[:fewFields], more+n
	}
	if n := len(p.Observations) - fewFields; n > 0 {
		some := map[string]int{}
		for _, name := range slices.Sorted(maps.Keys(p.Observations))[:fewFields] {
			some[name] = p.Observations[name]
		}
		p.Observations, more = some, more+n
	}
	return p, more
}

// Inferred keeps as many fields as fit next to the schema.
func Inferred(s api.InferredSchema) (api.InferredSchema, string) {
	r, out := Default, LeftOut{}
	if !r.Take(s.Schema) {
		s.Schema, out = "", append(out, "the schema: save writes it as a page")
	}
	var more int
	s.Fields, more = Fit(uses(s.Fields), &r)
	out.Add(more, "fields")
	return s, out.String()
}

// Drift has as many fields as there is room for, new ones first.
func Drift(d api.SchemaDrift) (api.SchemaDrift, string) {
	r, out := Default, LeftOut{}
	var more int
	d.New, more = Fit(uses(d.New), &r)
	out.Add(more, "new fields")
	d.Unused, more = Fit(d.Unused, &r)
	out.Add(more, "unused fields")
	d.Cardinality = slices.Clone(d.Cardinality)
	for i, c := range d.Cardinality {
		d.Cardinality[i].Samples = Values(c.Samples)
	}
	d.Cardinality, more = Fit(d.Cardinality, &r)
	out.Add(more, "fields with one value against several")
	return d, out.String()
}

// uses are fields with few samples.
func uses(in []api.FieldUse) []api.FieldUse {
	out := slices.Clone(in)
	for i, f := range out {
		if f.Samples != nil {
			out[i].Samples = Values(f.Samples)
		}
	}
	return out
}
