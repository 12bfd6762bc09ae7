package app

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// minShort is how many digits a short id has at least.
const minShort = 4

// viewer turns index pages into answers within one transaction.
type viewer struct {
	tx    store.Tx
	roots map[string]string // root by name of space
}

func (a *App) viewer(ctx context.Context, tx store.Tx) (*viewer, error) {
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	v := &viewer{tx: tx, roots: make(map[string]string, len(all))}
	for _, s := range all {
		v.roots[s.Name] = s.Root
	}
	return v, nil
}

func (v *viewer) page(ctx context.Context, p kb.Page) (Page, error) {
	short, err := v.short(ctx, p.ID)
	out := Page{
		ID: p.ID, Short: short, Ref: p.Ref(), Space: p.Space, Slug: p.Slug, Title: p.Title, Type: p.Type,
		Status: p.Status, Version: p.Version, Path: p.Path, Summary: p.Summary, Tags: p.Tags, Aliases: p.Aliases,
		Bytes: p.Size, UpdatedAt: p.Updated.UTC().Truncate(time.Second),
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

func (v *viewer) pages(ctx context.Context, in []kb.Page) ([]Page, error) {
	out := make([]Page, len(in))
	for i, p := range in {
		var err error
		if out[i], err = v.page(ctx, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// short returns the shortest prefix of the id that no other page has.
func (v *viewer) short(ctx context.Context, id kb.ID) (string, error) {
	digits := strings.ReplaceAll(string(id), "-", "")
	for n := minShort; n < len(digits); n += 2 {
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

// next is the offset after a page of a list, "" at its end.
func next(offset, got, total int) string {
	if got == 0 || offset+got >= total {
		return ""
	}
	return strconv.Itoa(offset + got)
}
