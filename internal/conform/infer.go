package conform

import (
	"context"
	"fmt"
	"math"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/change"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// DefaultShare is the share of notes from which a field is in a schema, unless another is
// asked for.
const DefaultShare = schema.OptionalFrom

// InferRequest asks for the schema of notes of a type.
type InferRequest struct {
	api.WriteOptions
	Type  string
	Above float64 // share of the notes from which a field is in the schema, 0 to 1
	Save  bool    // write it as a page
}

// Infer makes a schema of what the notes of a type in the current space hold.
func (e *Engine) Infer(ctx context.Context, req InferRequest) (out api.InferredSchema, err error) {
	out = api.InferredSchema{Type: req.Type, Fields: []api.FieldUse{}}
	if err := share(req.Above); err != nil {
		return out, err
	}
	err = e.DB.View(ctx, func(tx store.Tx) error {
		_, notes, err := e.notes(ctx, tx, req.Type)
		if err != nil {
			return err
		}
		usage := schema.Usage(notes)
		out.Pages, out.Fields = len(notes), uses(usage)
		out.Schema = schema.Infer(req.Type, usage, req.Above).Format()
		return nil
	})
	if err != nil || !req.Save {
		return out, err
	}
	w, err := e.Change.Put(ctx, change.PutRequest{
		WriteOptions: req.WriteOptions, Ref: "schemas/" + kb.NameKey(req.Type) + ".md",
		Text: fmt.Appendf(nil, "---\ntitle: %q\n%s---\n\n# %s\n\nWhat pages of this type hold.\n", req.Type+" schema", out.Schema, req.Type+" schema"),
	})
	if err == nil {
		out.Written = &w
	}
	return out, err
}

// share checks a share of notes.
func share(of float64) error {
	if math.IsNaN(of) || of < 0 || of > 1 {
		return kb.Errorf(kb.Usage, "the share of notes is a number from 0 to 1")
	}
	return nil
}

// notes returns the schemas of the current space, and what its pages of a type hold.
func (e *Engine) notes(ctx context.Context, tx store.Tx, name string) (*schemas, []schema.Note, error) {
	if kb.NameKey(name) == "" {
		return nil, nil, kb.Errorf(kb.Usage, "name a type of pages")
	}
	s, err := e.Spaces.CurrentTx(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	all, err := e.within(ctx, tx, s)
	if err != nil {
		return nil, nil, err
	}
	pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}, Types: []string{name}}, store.BySlug, api.Limit(0), 0)
	if err != nil {
		return nil, nil, err
	}
	if len(pages) == 0 {
		return nil, nil, kb.Errorf(kb.NotFound, "there are no pages of type %s in %s", name, s.Name).WithReason(kb.NoSuchType)
	}
	out := make([]schema.Note, len(pages))
	for i, p := range pages {
		if out[i], err = all.note(ctx, p); err != nil {
			return nil, nil, err
		}
	}
	return all, out, nil
}

// Diff says where the pages of a type and their schema have come apart.
func (e *Engine) Diff(ctx context.Context, name string) (out api.SchemaDrift, err error) {
	err = e.DB.View(ctx, func(tx store.Tx) error {
		all, notes, err := e.notes(ctx, tx, name)
		if err != nil {
			return err
		}
		x := all.OfType(name)
		if x == nil {
			return noSchema(nil, name)
		}
		d := x.Diff(notes, schema.OptionalFrom)
		out = api.SchemaDrift{
			Type: name, Schema: x.Page.Ref(), Pages: len(notes), New: uses(d.New), Unused: uses(d.Unused), Cardinality: []api.Cardinality{},
		}
		for _, c := range d.Cardinality {
			out.Cardinality = append(out.Cardinality, api.Cardinality{FieldUse: use(c.Use), Declared: c.Declared})
		}
		return nil
	})
	return out, err
}

func uses(in []schema.Use) []api.FieldUse {
	out := make([]api.FieldUse, len(in))
	for i, u := range in {
		out[i] = use(u)
	}
	return out
}

func use(u schema.Use) api.FieldUse {
	return api.FieldUse{
		Name: u.Field.Name, Source: string(u.Source), Type: u.Field.TypeName(), Array: u.Field.Array,
		Pages: u.Notes, Share: math.Round(u.Share*1000) / 1000, Samples: u.Samples,
	}
}
