package contradiction

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// manyPages is the number of pages from which relations are not read page by page.
const manyPages = 256

// asserted adds the assertions in the sidecars of the pages in in, or about them,
// and finds missing evidence. It returns the pages that are their subjects.
func (f *found) asserted(ctx context.Context, in store.Claimants) ([]int64, error) {
	all, err := f.assertions(ctx, in)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows := make([]int64, len(all))
	for i, a := range all {
		rows[i] = a.Page
	}
	if err := f.load(ctx, rows); err != nil {
		return nil, err
	}
	ends, seen := make([][2]kb.Link, len(all)), make([]index.Seen, 0, 2*len(all))
	for i, a := range all {
		ends[i] = [2]kb.Link{link.Named(a.Subject), link.Named(a.Object)}
		for j := range ends[i] {
			seen = append(seen, index.Seen{Link: &ends[i][j], Path: f.pages[a.Page].Path})
		}
	}
	if err := index.LeadSeen(ctx, f.tx, f.space.Row, seen); err != nil {
		return nil, err
	}
	about := map[int64]bool{}
	for i, a := range all {
		if to := &ends[i][0]; to.To == 0 {
			to.To = f.nameless(to.Name)
		}
		about[ends[i][0].To] = in.Pages == nil || about[ends[i][0].To] || slices.Contains(in.Pages, a.Page) || slices.Contains(in.Pages, ends[i][0].To)
	}
	for i, a := range all {
		if about[ends[i][0].To] {
			f.state(a, ends[i][0].To, ends[i][1])
		}
	}
	var subjects []int64
	for row, asked := range about {
		if asked && row > 0 {
			subjects = append(subjects, row)
		}
	}
	return subjects, nil
}

// assertions returns those in the sidecars of the pages in in, and those that may
// be about them.
func (f *found) assertions(ctx context.Context, in store.Claimants) ([]kb.Assertion, error) {
	filter := store.AssertionFilter{Spaces: []int64{in.Space}, Pages: in.Pages}
	all, err := f.tx.Assertions().List(ctx, filter)
	if err != nil || in.Pages == nil {
		return all, err
	}
	if err := f.load(ctx, in.Pages); err != nil {
		return nil, err
	}
	var keys []string // of the pages, and of the assertions in their sidecars
	for _, a := range all {
		keys = append(keys, a.SubjectKey)
	}
	for _, row := range in.Pages {
		p := f.pages[row]
		keys = append(keys, string(p.ID))
		keys = append(keys, link.Names(link.Page{Path: p.Path, Node: p.Node, Title: p.Title, Aliases: p.Aliases})...)
	}
	filter.Pages, filter.Subjects = nil, link.KeysAbroad(f.space.Name, keys)
	about, err := f.tx.Assertions().List(ctx, filter)
	for _, a := range about {
		if !slices.Contains(in.Pages, a.Page) {
			all = append(all, a)
		}
	}
	return all, err
}

// state adds an assertion to the facts.
func (f *found) state(a kb.Assertion, subject int64, object kb.Link) {
	cited := a.Source
	if a.AssertedBy == "manual" {
		cited = cmp.Or(cited, "user")
	}
	fact := lifecycle.Fact{
		Page: a.Page, Subject: subject, Called: f.names[subject], Predicate: a.Predicate, Object: objectOf(object), Interval: a.Interval(), Source: lifecycle.Asserted,
		Line: a.Lines[0], Said: a.Evidence, On: temporal.Day(a.Created), Cited: cited, Number: link.AssertionNumber(f.pages[a.Page].ID, a.Claim(), a.Nth),
	}
	f.facts = append(f.facts, fact)
	if x, ok := f.rules.Lost(fact); ok && a.Lost() {
		f.all = append(f.all, x)
	}
}

// relationsOf returns the relations of pages without known ones.
func (f *found) relationsOf(ctx context.Context, pages []int64, known []kb.Link) ([]kb.Link, error) {
	have := map[int64]bool{}
	for _, l := range known {
		have[l.From] = true
	}
	slices.Sort(pages)
	pages = slices.DeleteFunc(pages, func(row int64) bool { return have[row] })
	if len(pages) == 0 {
		return nil, nil
	}
	filter := store.AssertionFilter{Spaces: []int64{f.space.Row}}
	if len(pages) <= manyPages {
		filter.Pages = pages
	}
	all, err := f.tx.Assertions().Relations(ctx, filter)
	return slices.DeleteFunc(all, func(l kb.Link) bool { _, asked := slices.BinarySearch(pages, l.From); return !asked }), err
}

// concern filters the findings that involve pages; nil is all.
func (f *found) concern(pages []int64) {
	if pages == nil {
		return
	}
	f.all = slices.DeleteFunc(f.all, func(x lifecycle.Finding) bool {
		return !slices.ContainsFunc(concerned(x), func(row int64) bool { return slices.Contains(pages, row) })
	})
}

// concerned returns the pages of both sides of a finding, and those that they
// mention.
func concerned(x lifecycle.Finding) []int64 {
	out := []int64{x.A.Page, x.A.Subject, x.B.Page, x.B.Subject}
	if x.Shared() {
		out = append(out, x.A.Object.Page)
	}
	return out
}
