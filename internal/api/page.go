package api

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// MinShort is how many digits a short id has at least.
const MinShort = 4

// Viewer turns index pages into answers within one transaction.
type Viewer struct {
	tx    store.Tx
	roots map[string]string // root by name of space
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
	short, err := v.short(ctx, p.ID)
	out := Page{
		ID: p.ID, Short: short, Ref: p.Ref(), Space: p.Space, Slug: p.Slug, Title: p.Title, Type: p.Type,
		Status: p.Status, Version: p.Version, Path: p.Path, Summary: p.Summary, Tags: p.Tags, Aliases: p.Aliases,
		Bytes: p.Size, Date: p.Day, UpdatedAt: p.Updated.UTC().Truncate(time.Second),
	}
	if root := v.roots[p.Space]; root != "" {
		out.File = filepath.Join(root, filepath.FromSlash(p.Path))
	}
	if !p.Created.IsZero() {
		t := p.Created.UTC()
		out.CreatedAt = &t
	}
	return out, err
}

// Pages describes pages, in order.
func (v *Viewer) Pages(ctx context.Context, in []kb.Page) ([]Page, error) {
	out := make([]Page, len(in))
	for i, p := range in {
		var err error
		if out[i], err = v.Page(ctx, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// short returns the shortest prefix of the id that no other page has.
func (v *Viewer) short(ctx context.Context, id kb.ID) (string, error) {
	digits := strings.ReplaceAll(string(id), "-", "")
	for n := MinShort; n < len(digits); n += 2 {
		same, err := v.tx.Pages().ByIDPrefix(ctx, digits[:n], 2)
		if err != nil {
			return "", err
		}
		if len(same) <= 1 {
			return id.Short(n), nil
		}
	}
	return id.Short(len(digits)), nil
}

// Limit turns "no limit" into what the store understands.
func Limit(n int) int {
	if n <= 0 {
		return 1 << 30
	}
	return n
}

// Next returns the offset at which a list goes on, "" at its end.
func Next(offset, got, total int) string {
	if got == 0 || offset+got >= total {
		return ""
	}
	return strconv.Itoa(offset + got)
}
