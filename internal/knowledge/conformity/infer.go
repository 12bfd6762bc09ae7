package conformity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/policy/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// DefaultShare is the default share of notes that must have a field for it to be
// part of the schema.
const DefaultShare = schema.OptionalFrom

// InferRequest asks for a schema of the notes of a type.
type InferRequest struct {
	api.WriteOptions
	Type  string
	Above float64 // share of notes that must have a field for it to be part of the schema, 0 to 1
	Save  bool    // write it as a page
}

// Infer derives a schema from the notes of a type in the current space.
func Infer(ctx context.Context, sess *memory.Session, req InferRequest) (out api.InferredSchema, err error) {
	out = api.InferredSchema{Type: req.Type, Fields: []api.FieldUse{}}
	if err := share(req.Above); err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		_, rows, err := ofType(ctx, sess, tx, req.Type)
		if err != nil {
			return err
		}
		notes, err := used(ctx, tx, rows)
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
	w, err := change.Put(ctx, sess, change.PutRequest{
		WriteOptions: req.WriteOptions, Ref: "schemas/" + kb.NameKey(req.Type) + ".md",
		Text: fmt.Appendf(nil, "---\ntitle: %q\n%s---\n\n# %s\n\nWhat pages of this type hold.\n", req.Type+" schema", out.Schema, req.Type+" schema"),
	})
	switch {
	case err == nil:
		out.Written = &w
	case kb.CodeOf(err) == kb.Conflict:
		err = kb.Errorf(kb.Conflict, "there is a schema of %s already: %w", req.Type, err).
			WithHint("Nothing was changed.").WithReason(kb.SchemaExists).WithFact("type", req.Type)
	}
	return out, err
}

// share validates a share of notes.
func share(of float64) error {
	if math.IsNaN(of) || of < 0 || of > 1 {
		return kb.Errorf(kb.Usage, "the share of notes is a number from 0 to 1")
	}
	return nil
}

// ofType returns the current space, and the rows of its pages of a type, by slug.
func ofType(ctx context.Context, sess *memory.Session, tx store.Tx, name string) (s kb.Space, rows []int64, err error) {
	if kb.NameKey(name) == "" {
		return s, nil, kb.Errorf(kb.Usage, "name a type of pages")
	}
	if s, err = sess.Spaces.CurrentTx(ctx, tx); err != nil {
		return s, nil, err
	}
	rows, err = tx.Pages().Rows(ctx, store.Filter{Spaces: []int64{s.Row}, Types: []string{name}})
	if err == nil && len(rows) == 0 {
		err = kb.Errorf(kb.NotFound, "there are no pages of type %s in %s", name, s.Name).WithReason(kb.NoSuchType)
	}
	if err != nil {
		return s, nil, err
	}
	places, err := tx.Pages().Places(ctx, rows)
	for i, p := range places {
		rows[i] = p.Row
	}
	return s, rows, err
}

// used collects the fields of pages, in the order of rows.
func used(ctx context.Context, tx store.Tx, rows []int64) ([]schema.Note, error) {
	observations, err := tx.Facts().Observations(ctx, rows)
	if err != nil {
		return nil, err
	}
	links, err := tx.Facts().Links(ctx, rows, true)
	if err != nil {
		return nil, err
	}
	var targets []int64
	for _, l := range links {
		if l.To != 0 {
			targets = append(targets, l.To)
		}
	}
	slices.Sort(targets)
	types, err := tx.Facts().Types(ctx, slices.Compact(targets))
	if err != nil {
		return nil, err
	}
	at, notes := make(map[int64]int, len(rows)), make([]schema.Note, len(rows))
	for i, row := range rows {
		at[row] = i
	}
	for _, o := range observations {
		n := &notes[at[o.Page]]
		n.Observations = append(n.Observations, o)
	}
	for _, l := range links {
		n := &notes[at[l.From]]
		n.Relations = append(n.Relations, schema.Relation{Type: l.Type, Name: l.Name, Target: types[l.To]})
	}
	return notes, nil
}

// whole collects the data of pages that schemas check.
func whole(ctx context.Context, tx store.Tx, pages []kb.Page) ([]schema.Note, error) {
	rows := make([]int64, len(pages))
	at := make(map[int64]int, len(pages))
	for i, p := range pages {
		rows[i], at[p.Row] = p.Row, i
	}
	notes, err := used(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	properties, err := tx.Facts().Properties(ctx, rows)
	if err != nil {
		return nil, err
	}
	for _, p := range properties {
		n := &notes[at[p.Page]]
		n.Metadata = append(n.Metadata, schema.Value{Key: p.Key, Text: p.Text})
	}
	for i, p := range pages {
		notes[i].AddTags(p.Tags)
	}
	return notes, nil
}

// Diff lists the differences between a schema and the pages of its type.
func Diff(ctx context.Context, sess *memory.Session, name string) (out api.SchemaDrift, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		s, rows, err := ofType(ctx, sess, tx, name)
		if err != nil {
			return err
		}
		all, err := within(ctx, sess, tx, s)
		if err != nil {
			return err
		}
		x := all.OfType(name)
		if x == nil {
			return noSchema(nil, name)
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		notes, err := whole(ctx, tx, pages)
		if err != nil {
			return err
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
