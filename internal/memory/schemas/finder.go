package schemas

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/schema"
	"github.com/cairn-kb/cairn/internal/store"
)

// Schemas holds the schemas of a space.
type Schemas struct {
	Sources []Source // sorted by slug
	Asking  []int64  // rows of the pages with a schema in their metadata, or the name of one

	space int64
}

// Source is a schema with its page.
type Source struct {
	schema.Schema
	Page   kb.Page // zero for a schema in the metadata of the checked page
	Faults []schema.Fault
}

// Find reads the schemas of a space: pages of type schema that define fields or
// name the type of their pages.
func Find(ctx context.Context, tx store.Tx, codecs []doc.Codec, space int64) (*Schemas, error) {
	said, err := tx.Claims().Properties(ctx, store.Claimants{Space: space}, []string{"entity", schema.Type, schema.Type + "."})
	if err != nil || len(said) == 0 {
		return &Schemas{space: space}, err
	}
	rows, asking := make([]int64, len(said)), map[int64]bool{}
	for i, v := range said {
		rows[i] = v.Page
		asking[v.Page] = asking[v.Page] || v.Key != "entity"
	}
	slices.Sort(rows)
	pages, err := tx.Pages().Get(ctx, slices.Compact(rows))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(pages, func(a, b kb.Page) int { return cmp.Compare(a.Slug, b.Slug) })
	s := &Schemas{space: space}
	for _, p := range pages {
		if p.Type != schema.Type {
			if asking[p.Row] {
				s.Asking = append(s.Asking, p.Row)
			}
			continue
		}
		text, err := tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return nil, err
		}
		d := doc.ForNote(codecs, p.Syntax, p.Path).Parse(p.Path, text)
		x := Source{Page: p}
		for i := range d.Nodes {
			if n := &d.Nodes[i]; p.Node == n.ID && p.Node != "" || p.Node == "" && i == 0 {
				x.Schema, x.Faults = schema.Read(Metadata(n))
			}
		}
		if x.Entity == "" {
			x.Faults = append(x.Faults, schema.Fault{Key: "entity", Problem: "is missing: the type of pages that the schema is for"})
		}
		s.Sources = append(s.Sources, x)
	}
	return s, nil
}

// Metadata returns the properties of a node.
func Metadata(n *doc.Node) []schema.Value {
	out := make([]schema.Value, len(n.Properties))
	for i, v := range n.Properties {
		out[i] = schema.Value{Key: v.Key, Text: v.Value}
	}
	return out
}

// Note returns the data of a node that schemas check, except its type.
func Note(n *doc.Node) (note schema.Note) {
	note.Metadata = Metadata(n)
	note.AddTags(n.Tags)
	for _, o := range n.Observations {
		note.Observations = append(note.Observations, kb.Observation{Category: o.Category, Text: o.Text})
	}
	for _, r := range n.Relations {
		if !r.Target.Local {
			note.Relations = append(note.Relations, schema.Relation{Type: r.Type, Name: r.Target.Name})
		}
	}
	return note
}

// Strict reports whether a page of the space has a strict schema for others.
func (s *Schemas) Strict() bool {
	return slices.ContainsFunc(s.Sources, func(x Source) bool { return x.Mode == schema.Strict })
}

// OfType returns the schema for pages of a type, nil for none.
func (s *Schemas) OfType(name string) *Source {
	i := slices.IndexFunc(s.Sources, func(x Source) bool { return x.Entity != "" && kb.NameKey(x.Entity) == kb.NameKey(name) })
	if i < 0 {
		return nil
	}
	return &s.Sources[i]
}

// Of returns the schema for a page with a type and metadata, nil for none.
func (s *Schemas) Of(ctx context.Context, tx store.Tx, kind string, metadata []schema.Value) (*Source, error) {
	if kind == schema.Type {
		return nil, nil
	}
	if schema.Inline(metadata) {
		x := &Source{}
		x.Schema, x.Faults = schema.Read(metadata)
		x.Entity = kind
		return x, nil
	}
	for _, v := range metadata {
		if strings.EqualFold(v.Key, schema.Type) {
			if x, err := s.named(ctx, tx, v.Text); x != nil || err != nil {
				return x, err
			}
		}
	}
	return s.OfType(kind), nil
}

// named returns the schema named by a page: by its type of pages, else by a name of
// the schema's page.
func (s *Schemas) named(ctx context.Context, tx store.Tx, name string) (*Source, error) {
	if x := s.OfType(name); x != nil || len(s.Sources) == 0 {
		return x, nil
	}
	key := kb.NameKey(name)
	pages, err := tx.Pages().ByNames(ctx, s.space, []string{key})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.Sources, func(x Source) bool {
		return strings.EqualFold(x.Page.Slug, name) || slices.ContainsFunc(pages[key], func(p kb.Page) bool { return p.Row == x.Page.Row })
	})
	if i < 0 {
		return nil, nil
	}
	return &s.Sources[i], nil
}
