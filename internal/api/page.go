package api

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// MinShort is the minimum number of digits of a short id.
const MinShort = 4

// Viewer converts index pages to answers within one transaction.
type Viewer struct {
	tx    store.Tx
	roots map[string]string // by name of the space
}

// NewViewer returns a viewer for a transaction.
func NewViewer(ctx context.Context, tx store.Tx) (*Viewer, error) {
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	v := &Viewer{tx: tx, roots: make(map[string]string, len(all))}
	for _, s := range all {
		v.roots[s.Name] = s.Root
	}
	return v, nil
}

// Page describes a page.
func (v *Viewer) Page(ctx context.Context, p kb.Page) (Page, error) {
	out, err := v.Pages(ctx, []kb.Page{p})
	if err != nil {
		return Page{}, err
	}
	return out[0], nil
}

// Shorts returns the short ids of pages, in order, with one query.
func (v *Viewer) Shorts(ctx context.Context, in []kb.Page) ([]string, error) {
	ids := make([]kb.ID, len(in))
	for i, p := range in {
		ids[i] = p.ID
	}
	slices.Sort(ids)
	digits, err := v.tx.Pages().Telling(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	out := make([]string, len(in))
	for i, p := range in {
		out[i] = p.ID.Short(max(MinShort, digits[p.ID]+digits[p.ID]%2))
	}
	return out, nil
}

// Pages describes pages, in order, with one query.
func (v *Viewer) Pages(ctx context.Context, in []kb.Page) ([]Page, error) {
	shorts, err := v.Shorts(ctx, in)
	if err != nil {
		return nil, err
	}
	own, err := v.own(ctx, in)
	if err != nil {
		return nil, err
	}
	out := make([]Page, len(in))
	for i, p := range in {
		out[i] = v.page(p, shorts[i])
		if status := own[p.Row]; status != "" {
			out[i].Status = kb.Status(status)
		}
	}
	return out, nil
}

// own returns the statuses of active pages as written in their documents:
// "current", and unknown ones, which count as active.
func (v *Viewer) own(ctx context.Context, in []kb.Page) (map[int64]string, error) {
	var active []int64
	for _, p := range in {
		if p.Status == kb.Active {
			active = append(active, p.Row)
		}
	}
	if len(active) == 0 {
		return nil, nil
	}
	out, err := v.tx.Facts().Values(ctx, "status", active)
	for row, status := range out {
		out[row] = string(OwnStatus(kb.Active, status))
	}
	return out, err
}

// OwnStatus returns the status of a page as written in its document, from the
// document's property.
func OwnStatus(status kb.Status, property string) kb.Status {
	word := strings.ToLower(strings.TrimSpace(property))
	switch {
	case status != kb.Active || word == "" || slices.Contains(kb.Statuses, kb.Status(word)):
		return status
	case word == "current":
		return kb.Status(word)
	}
	return kb.Status(property)
}

// page describes a page with this short id.
func (v *Viewer) page(p kb.Page, short string) Page {
	out := Page{
		ID: p.ID, Short: short, Ref: p.Ref(), Space: p.Space, Slug: p.Slug, Permalink: p.Permalink, Title: p.Title, Type: p.Type,
		Wing: p.Wing, Room: p.Room,
		Status: p.Status, Version: p.Version, Path: p.Path, Summary: p.Summary, Tags: p.Tags, Aliases: OtherNames(p),
		Bytes: p.Size, Date: p.Day, UpdatedAt: p.Updated.UTC().Truncate(time.Second),
	}
	if root := v.roots[p.Space]; root != "" {
		out.File = filepath.Join(root, filepath.FromSlash(p.Path))
	}
	if !p.Created.IsZero() {
		t := p.Created.UTC()
		out.CreatedAt = &t
	}
	return out
}

// OtherNames returns the aliases of a page without its title, which is an alias if
// it comes from the text.
func OtherNames(p kb.Page) []string {
	i := slices.Index(p.Aliases, p.Title)
	if i < 0 {
		return p.Aliases
	}
	return slices.Delete(slices.Clone(p.Aliases), i, i+1)
}

// When formats a time for answers, nil for the zero time.
func When(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

// Counts converts counts of the store.
func Counts(in []store.Count) []Count {
	out := make([]Count, len(in))
	for i, c := range in {
		out[i] = Count{Value: c.Value, Count: c.N}
	}
	return out
}

// Limit converts "no limit" to the store's value for it.
func Limit(n int) int {
	if n <= 0 {
		return 1 << 30
	}
	return n
}

// Next returns the offset of the next part of a list, "" at its end.
func Next(offset, got, total int) string {
	if got == 0 || offset+got >= total {
		return ""
	}
	return strconv.Itoa(offset + got)
}
