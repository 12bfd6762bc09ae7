package conformity

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/schemas"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request selects the notes to validate: those of the current space that a schema
// applies to.
type Request struct {
	Ref   string // only this one, in any space; a schema selects the notes of its type
	Type  string // only those of this type
	Every bool   // also list notes without problems

	Limit, Offset int // Limit 0 is all

	strict bool // only validate against strict schemas
}

// Validate lists the notes that violate their schemas, by slug.
func Validate(ctx context.Context, sess *memory.Session, req Request) (out api.Conformity, err error) {
	out.Items = []api.PageConformity{}
	if req.Ref != "" && req.Type != "" {
		return out, kb.Errorf(kb.Usage, "name a page or a type, and not both")
	}
	var one *kb.Page
	if req.Ref != "" {
		p, err := freshness.Page(ctx, sess, req.Ref)
		if err != nil {
			return out, err
		}
		one = &p
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		s, err := home(ctx, sess, tx, one)
		if err != nil {
			return err
		}
		all, err := within(ctx, sess, tx, s)
		if err != nil {
			return err
		}
		for _, x := range all.Sources {
			out.Faults = append(out.Faults, faulty(x.Page, x.Faults)...)
			if one != nil && x.Page.Row == one.Row && x.Entity != "" {
				req.Type = x.Entity // a schema name selects the pages that it applies to
			}
		}
		if req.Type != "" {
			one = nil
		}
		pages := []kb.Page{}
		if one != nil {
			pages = append(pages, *one)
		} else if pages, err = all.pages(ctx, req.Type); err != nil {
			return err
		}
		if err := all.validateAll(ctx, pages, req, &out); err != nil {
			return err
		}
		if out.Pages == 0 && (one != nil || req.Type != "") {
			return noSchema(one, req.Type)
		}
		return nil
	})
	out.Next = api.Next(req.Offset, len(out.Items), out.Total)
	return out, err
}

// Broken lists the notes of a space that violate a strict schema, at most limit,
// and the unreadable lines of its schemas.
func Broken(ctx context.Context, sess *memory.Session, s kb.Space, limit int) (out api.Conformity, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := within(ctx, sess, tx, s)
		if err != nil {
			return err
		}
		for _, x := range all.Sources {
			out.Faults = append(out.Faults, faulty(x.Page, x.Faults)...)
		}
		pages, err := all.pages(ctx, "")
		if err != nil {
			return err
		}
		return all.validateAll(ctx, pages, Request{Limit: limit, strict: true}, &out)
	})
	return out, err
}

// home returns the space of a page, or the current one.
func home(ctx context.Context, sess *memory.Session, tx store.Tx, p *kb.Page) (kb.Space, error) {
	if p != nil {
		return space.OfPage(ctx, tx, *p)
	}
	return sess.Spaces.CurrentTx(ctx, tx)
}

func noSchema(p *kb.Page, name string) error {
	if p != nil {
		name = p.Type
	}
	if name == "" {
		name = "note"
	}
	return kb.Errorf(kb.NotFound, "there is no schema for pages of type %s", name).WithReason(kb.NoSuchSchema).WithFact("type", name)
}

// conformSchemas holds the schemas of a space and the transaction that reads its
// pages.
type conformSchemas struct {
	*schemas.Schemas
	tx    store.Tx
	space kb.Space
}

func within(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space) (*conformSchemas, error) {
	found, err := schemas.Find(ctx, tx, sess.Codecs, s.Row)
	return &conformSchemas{found, tx, s}, err
}

func faulty(p kb.Page, faults []schema.Fault) (out []api.Faulty) {
	for _, f := range faults {
		out = append(out, api.Faulty{Ref: p.Ref(), Key: f.Key, Problem: f.Problem})
	}
	return out
}

// pages returns the notes that schemas may apply to, or those of a type.
func (s *conformSchemas) pages(ctx context.Context, name string) ([]kb.Page, error) {
	f := store.Filter{Spaces: []int64{s.space.Row}, Types: []string{name}}
	rows := []int64(nil)
	if name == "" {
		f.Types, rows = nil, slices.Clone(s.Asking)
		for _, x := range s.Sources {
			if x.Entity != "" {
				f.Types = append(f.Types, x.Entity)
			}
		}
	}
	if len(f.Types) > 0 {
		more, err := s.tx.Pages().Rows(ctx, f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	slices.Sort(rows)
	pages, err := s.tx.Pages().Get(ctx, slices.Compact(rows))
	slices.SortStableFunc(pages, func(a, b kb.Page) int { return strings.Compare(a.Slug, b.Slug) })
	return pages, err
}

// validateAll adds the results of validating pages against their schemas.
func (s *conformSchemas) validateAll(ctx context.Context, pages []kb.Page, req Request, out *api.Conformity) error {
	notes, err := whole(ctx, s.tx, pages)
	if err != nil {
		return err
	}
	for i, p := range pages {
		if err := s.validate(ctx, p, notes[i], req, out); err != nil {
			return err
		}
	}
	return nil
}

// validate adds the result for a page, if a schema applies to it.
func (s *conformSchemas) validate(ctx context.Context, p kb.Page, note schema.Note, req Request, out *api.Conformity) error {
	x, err := s.Of(ctx, s.tx, p.Type, note.Metadata)
	if err != nil || x == nil {
		return err
	}
	if x.Page.Row == 0 {
		x.Page = p // schemas are found by the page's own metadata
		out.Faults = append(out.Faults, faulty(p, x.Faults)...)
	}
	if x.Mode == schema.Off || req.strict && x.Mode != schema.Strict {
		return nil
	}
	r := x.Validate(note)
	shown := api.PageConformity{
		Ref: p.Ref(), Title: p.Title, Type: p.Type, Schema: x.Page.Ref(), Mode: string(x.Mode), Valid: r.Valid(),
		Fields: []api.SchemaField{}, Observations: r.Observations, Relations: r.Relations,
	}
	out.Pages++
	for _, f := range r.Fields {
		shown.Fields = append(shown.Fields, api.SchemaField{
			Name: f.Field.Name, Type: f.Field.TypeName(), Required: !f.Field.Optional, State: string(f.State),
			Values: append([]string{}, f.Values...), Problem: f.Problem,
		})
		switch {
		case f.Problem == "":
		case x.Mode == schema.Strict:
			out.Errors++
		default:
			out.Warnings++
		}
	}
	if shown.Valid {
		out.Valid++
		if !req.Every && req.Ref == "" {
			return nil
		}
	}
	if out.Total++; out.Total > req.Offset && (req.Limit == 0 || len(out.Items) < req.Limit) {
		out.Items = append(out.Items, shown)
	}
	return nil
}
