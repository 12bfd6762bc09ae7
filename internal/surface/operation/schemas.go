package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type schemaValidateInput struct {
	Ref    string `json:"ref,omitempty" jsonschema:"only this page"`
	Type   string `json:"type,omitempty" jsonschema:"only pages of this type"`
	Valid  bool   `json:"valid,omitempty" jsonschema:"list pages without problems as well"`
	Space  string `json:"space,omitempty"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

type conformityAnswer struct {
	api.Conformity
	LeftOut string   `json:"left_out,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	offset int // of the first page
}

func (c conformityAnswer) short() any {
	c.Conformity, c.LeftOut = Conformity(c.Conformity, c.offset)
	return c
}

var schemaValidate = define(Operation{
	Name: "schema_validate", Title: "Validate pages", Group: more, Route: Route{"GET", "/schema/validate"},
	Description: "Pages that do not keep to the schema of their type: fields that are missing, values that do not fit. A schema is a page of type schema.",
	ReadOnly:    true, Idempotent: true,
	nothing: conformityAnswer{Conformity: api.Conformity{List: api.List[api.PageConformity]{Items: []api.PageConformity{}}}},
}, func(ctx context.Context, a *memory.Session, in schemaValidateInput) (out conformityAnswer, err error) {
	a = a.In(in.Space)
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: in.Ref != ""}); err != nil {
		return out, err
	}
	out.offset = in.Offset
	out.Conformity, err = conformity.Validate(ctx, a, conformity.Request{
		Ref: in.Ref, Type: in.Type, Every: in.Valid, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset,
	})
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type schemaInferInput struct {
	Type  string   `json:"type" jsonschema:"of the pages"`
	Above *float64 `json:"above,omitempty" jsonschema:"share of the pages from which a field counts, default 0.25"`
	Save  bool     `json:"save,omitempty" jsonschema:"write it as a page"`
	Space string   `json:"space,omitempty"`
	writeOptions
}

type inferred struct {
	api.InferredSchema
	LeftOut string `json:"left_out,omitempty"`
}

func (i inferred) short() any {
	i.InferredSchema, i.LeftOut = Inferred(i.InferredSchema)
	return i
}

var schemaInfer = define(Operation{
	Name: "schema_infer", Title: "Infer a schema", Group: more, Route: Route{"POST", "/schema/infer"},
	Reads: []string{"type", "above", "space"}, Dry: "dry_run",
	Description: "The schema that pages of a type keep to already: what observations and relations they have, and how many have each.",
}, func(ctx context.Context, a *memory.Session, in schemaInferInput) (out inferred, err error) {
	a = a.In(in.Space)
	if _, err := read.Freshen(ctx, a, read.FreshenRequest{}); err != nil {
		return out, err
	}
	req := conformity.InferRequest{WriteOptions: in.WriteOptions, Type: in.Type, Above: conformity.DefaultShare, Save: in.Save}
	if in.Above != nil {
		req.Above = *in.Above
	}
	out.InferredSchema, err = conformity.Infer(ctx, a, req)
	return out, err
})

type schemaDiffInput struct {
	Type  string `json:"type" jsonschema:"of the pages"`
	Space string `json:"space,omitempty"`
}

type drift struct {
	api.SchemaDrift
	LeftOut string `json:"left_out,omitempty"`
}

func (d drift) short() any {
	d.SchemaDrift, d.LeftOut = Drift(d.SchemaDrift)
	return d
}

var schemaDiff = define(Operation{
	Name: "schema_diff", Title: "Compare a schema with its pages", Group: more, Route: Route{"GET", "/schema/diff"},
	Description: "Where pages of a type and their schema have come apart: new fields, unused ones, one value against several.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in schemaDiffInput) (out drift, err error) {
	a = a.In(in.Space)
	if _, err := read.Freshen(ctx, a, read.FreshenRequest{}); err != nil {
		return out, err
	}
	out.SchemaDrift, err = conformity.Diff(ctx, a, in.Type)
	return out, err
})
