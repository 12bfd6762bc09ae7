package operation

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/operation/budget"
)

type schemaValidateInput struct {
	Ref    string `json:"ref,omitempty" jsonschema:"only this page"`
	Type   string `json:"type,omitempty" jsonschema:"only pages of this type"`
	Valid  bool   `json:"valid,omitempty" jsonschema:"list pages without problems as well"`
	Space  string `json:"space,omitempty"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

type conformity struct {
	app.Conformity
	LeftOut string   `json:"left_out,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	offset int // of the first page
}

// shownFields is how many of the fields of a page an answer has.
const shownFields = 40

// newRoom is that of an answer of which nobody says how long it may be.
func newRoom() *budget.Room {
	r := budget.Room(defaultBudget * bytesPerToken)
	return &r
}

// short has as many pages as there is room for, the first in any case, and few of the
// values of each.
func (c conformity) short() any {
	r, out := newRoom(), budget.LeftOut{}
	var more int
	c.Faults, more = budget.Fit(c.Faults, r)
	out.Add(more, "faults of schemas")
	items, fields := make([]app.PageConformity, 0, len(c.Items)), 0
	for _, p := range c.Items {
		short, more := fewFields(p)
		if len(items) > 0 && !r.Take(short) {
			c.Next = strconv.Itoa(c.offset + len(items))
			break
		}
		items, fields = append(items, short), fields+more
	}
	out.Add(fields, "fields of these pages")
	out.Add(c.Total-c.offset-len(items), "pages")
	c.Items, c.LeftOut = items, out.String()
	return c
}

// fewFields is a page with few of its fields, and how many more it has.
func fewFields(p app.PageConformity) (_ app.PageConformity, more int) {
	if more = max(0, len(p.Fields)-shownFields); more > 0 {
		p.Fields = p.Fields[:shownFields]
	}
	p.Fields = slices.Clone(p.Fields)
	for i, f := range p.Fields {
		p.Fields[i].Values = budget.Values(f.Values)
	}
	if n := len(p.Relations) - shownFields; n > 0 {
		p.Relations, more = p.Relations[:shownFields], more+n
	}
	if n := len(p.Observations) - shownFields; n > 0 {
		names := slices.Sorted(maps.Keys(p.Observations))
		few := map[string]int{}
		for _, name := range names[:shownFields] {
			few[name] = p.Observations[name]
		}
		p.Observations, more = few, more+n
	}
	return p, more
}

var schemaValidate = define(Operation{
	Name: "schema_validate", Title: "Validate pages", Group: more, Route: Route{"GET", "/schema/validate"},
	Description: "Pages that do not keep to the schema of their type: fields that are missing, values that do not fit. A schema is a page of type schema.",
	ReadOnly:    true, Idempotent: true,
	nothing: conformity{Conformity: app.Conformity{List: app.List[app.PageConformity]{Items: []app.PageConformity{}}}},
}, func(ctx context.Context, a *app.App, in schemaValidateInput) (out conformity, err error) {
	a = a.In(in.Space)
	if out.Notes, err = a.Freshen(ctx, app.FreshenRequest{All: in.Ref != ""}); err != nil {
		return out, err
	}
	out.offset = in.Offset
	out.Conformity, err = a.Schemas().Validate(ctx, app.ConformityRequest{
		Ref: in.Ref, Type: in.Type, Every: in.Valid, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset,
	})
	return out, err
}, between("limit", 1, 1000), atLeast("offset", 0))

type schemaInferInput struct {
	Type  string   `json:"type" jsonschema:"of the pages"`
	Above *float64 `json:"above,omitempty" jsonschema:"share of the pages from which a field counts, default 0.25"`
	Save  bool     `json:"save,omitempty" jsonschema:"write it as a page"`
	Space string   `json:"space,omitempty"`
	writeOptions
}

type inferred struct {
	app.InferredSchema
	LeftOut string `json:"left_out,omitempty"`
}

// short has as many fields as there is room for beside the schema.
func (i inferred) short() any {
	r, out := newRoom(), budget.LeftOut{}
	if !r.Take(i.Schema) {
		i.Schema = ""
		out = append(out, "the schema: save writes it as a page")
	}
	var more int
	i.Fields, more = budget.Fit(fewSamples(i.Fields), r)
	out.Add(more, "fields")
	i.LeftOut = out.String()
	return i
}

// fewSamples are fields with cut samples.
func fewSamples(in []app.FieldUse) []app.FieldUse {
	out := slices.Clone(in)
	for i, f := range out {
		if f.Samples != nil {
			out[i].Samples = budget.Values(f.Samples)
		}
	}
	return out
}

var schemaInfer = define(Operation{
	Name: "schema_infer", Title: "Infer a schema", Group: more, Route: Route{"POST", "/schema/infer"},
	Description: "The schema that pages of a type keep to already: what observations and relations they have, and how many have each.",
}, func(ctx context.Context, a *app.App, in schemaInferInput) (out inferred, err error) {
	a = a.In(in.Space)
	if _, err := a.Freshen(ctx, app.FreshenRequest{}); err != nil {
		return out, err
	}
	req := app.InferRequest{WriteOptions: in.options(), Type: in.Type, Above: app.SchemaFrom, Save: in.Save}
	if in.Above != nil {
		req.Above = *in.Above
	}
	out.InferredSchema, err = a.Schemas().Infer(ctx, req)
	return out, err
})

type schemaDiffInput struct {
	Type  string `json:"type" jsonschema:"of the pages"`
	Space string `json:"space,omitempty"`
}

type drift struct {
	app.SchemaDrift
	LeftOut string `json:"left_out,omitempty"`
}

// short has as many fields as there is room for, new ones first.
func (d drift) short() any {
	r, out := newRoom(), budget.LeftOut{}
	var more int
	d.New, more = budget.Fit(fewSamples(d.New), r)
	out.Add(more, "new fields")
	d.Unused, more = budget.Fit(d.Unused, r)
	out.Add(more, "unused fields")
	d.Cardinality = slices.Clone(d.Cardinality)
	for i, c := range d.Cardinality {
		d.Cardinality[i].Samples = budget.Values(c.Samples)
	}
	d.Cardinality, more = budget.Fit(d.Cardinality, r)
	out.Add(more, "fields with one value against several")
	d.LeftOut = out.String()
	return d
}

var schemaDiff = define(Operation{
	Name: "schema_diff", Title: "Compare a schema with its pages", Group: more, Route: Route{"GET", "/schema/diff"},
	Description: "Where pages of a type and their schema have come apart: new fields, unused ones, one value against several.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *app.App, in schemaDiffInput) (out drift, err error) {
	a = a.In(in.Space)
	if _, err := a.Freshen(ctx, app.FreshenRequest{}); err != nil {
		return out, err
	}
	out.SchemaDrift, err = a.Schemas().Diff(ctx, in.Type)
	return out, err
})
