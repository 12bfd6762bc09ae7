package index

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Differences returns how the rows of a document differ from the derived ones, in
// one or two words for each kind. It does not compare ids, since they may depend on
// other documents, or the targets of links, see WrongLinks.
func Differences(have *store.Document, want *Derived) []string {
	rec := &want.Record
	if have.Format != rec.Format || have.Hash != rec.Hash || have.Size != rec.Size {
		return []string{"format or size"}
	}
	if have.Side.Hash != rec.Side.Hash || have.Side.Size != rec.Side.Size {
		return []string{"sidecar"}
	}
	if len(have.Pages) != len(rec.Pages) {
		return []string{"pages"}
	}
	found := map[string]bool{}
	for i := range rec.Pages {
		for what, same := range compare(&have.Pages[i], &rec.Pages[i], rec.Path) {
			if !same {
				found[what] = true
			}
		}
	}
	return sorted(found)
}

// compare reports for each kind of row whether it is equal.
func compare(have, want *store.PageRecord, path string) map[string]bool {
	h, w := &have.Page, &want.Page
	return map[string]bool{
		"title":   h.Title == w.Title,
		"slug":    h.Slug == w.Slug && h.Permalink == w.Permalink && h.Node == w.Node && h.Line == w.Line,
		"type":    h.Type == w.Type,
		"status":  h.Status == w.Status,
		"filing":  h.Wing == w.Wing && h.Room == w.Room,
		"text":    have.TruthSum == want.TruthSum && have.TimelineSum == want.TimelineSum,
		"summary": h.Summary == w.Summary,
		"dates":   sameTime(h.Created, w.Created) && sameTime(h.Updated, w.Updated) && h.Day == w.Day && h.AsOf == w.AsOf,
		"tags":    slices.Equal(h.Tags, w.Tags),
		"aliases": slices.Equal(h.Aliases, w.Aliases),
		"names":   slices.Equal(have.Names, namesOf(want, path)),
		"id":      have.Declared == want.Declared,
		"links":   slices.EqualFunc(have.Links, want.Links, sameLink),
		"observations": slices.EqualFunc(have.Observations, want.Observations, func(a, b kb.Observation) bool {
			return a.Category == b.Category && a.Text == b.Text && a.Context == b.Context && a.Line == b.Line && slices.Equal(a.Tags, b.Tags)
		}),
		"properties": slices.EqualFunc(have.Properties, want.Properties, func(a, b kb.Property) bool {
			return a.Key == b.Key && a.Text == b.Text
		}),
		"items": slices.EqualFunc(have.Items, want.Items, func(a, b kb.Item) bool {
			a.Page, b.Page = 0, 0
			return a == b
		}),
		"timeline": slices.EqualFunc(have.Entries, want.Entries, func(a, b kb.Entry) bool {
			a.Page, b.Page = 0, 0
			return a == b
		}),
		"endings": slices.EqualFunc(have.Endings, want.Endings, func(a, b kb.Ending) bool {
			a.Page, b.Page = 0, 0
			return a == b
		}),
		"assertions": slices.EqualFunc(have.Assertions, want.Assertions, func(a, b kb.Assertion) bool {
			a.Page, b.Page = 0, 0
			return a == b
		}),
		"warnings": slices.EqualFunc(have.Warnings, want.Warnings, func(a, b store.Warning) bool {
			a.Page, b.Page = 0, 0
			return a == b
		}),
	}
}

// sameTime compares times with the precision of a store.
func sameTime(a, b time.Time) bool {
	return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
}

func sameLink(a, b kb.Link) bool {
	a.From, a.To, a.Candidates = b.From, b.To, b.Candidates
	return a == b
}

// namesOf returns the keys by which links find a page.
func namesOf(p *store.PageRecord, path string) []string {
	return link.Names(link.Page{Path: path, Node: p.Page.Node, Title: p.Page.Title, Aliases: p.Page.Aliases, Refs: p.Refs})
}

// WrongLinks returns the rows of documents with a link that would resolve to
// another target now.
func WrongLinks(ctx context.Context, tx store.Tx, space kb.Space, docs []*store.Document) (map[int64]bool, error) {
	wrong := map[int64]bool{}
	err := leadFrom(ctx, tx, space, docs, func(d *store.Document, l *kb.Link, to int64, candidates int) {
		if to != l.To || candidates != l.Candidates {
			wrong[d.Row] = true
		}
	})
	return wrong, err
}

// TextSums returns the full-text index's checksums of the pages of documents, by
// row (see lexical.Index.Sums). The pages have their rows.
func TextSums(docs []*Derived) map[int64]uint64 { return analyse(docs).Sums() }
