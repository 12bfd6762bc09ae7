package retrieve

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// Within says of which pages a list is.
type Within struct {
	Types, Tags, Statuses, Paths []string
	Where                        []string // conditions on properties, see query.ParseWhere
	After, Before                string   // dates or date phrases
	All                          bool     // of every space
}

// Filter is for the store, without spaces.
func (w Within) Filter(now time.Time) (f store.Filter, err error) {
	f = store.Filter{Types: w.Types, AllTags: w.Tags}
	for _, p := range w.Paths {
		f.Paths = append(f.Paths, query.PathGlobs(p)...)
	}
	for _, s := range w.Statuses {
		st, ok := kb.ParseStatus(s)
		if !ok {
			return f, UnknownStatus(s)
		}
		f.Statuses = append(f.Statuses, st)
	}
	for _, text := range w.Where {
		if _, _, _, ok := query.ParseWhere(text); !ok {
			return f, noCondition(text)
		}
		f.Where = append(f.Where, where(text))
	}
	if w.After != "" {
		if f.After, err = query.Since(w.After, now); err != nil {
			return f, err
		}
	}
	if w.Before != "" {
		f.Before, err = query.Since(w.Before, now)
	}
	return f, err
}

func noCondition(text string) error {
	return kb.Errorf(kb.Usage, "%q is no condition on a property", text).
		WithHint("Write one like stage=design, priority>2 or status!=done.")
}

// UnknownStatus is the error for a status that there is not.
func UnknownStatus(s string) error {
	names := make([]string, len(kb.Statuses))
	for i, st := range kb.Statuses {
		names[i] = string(st)
	}
	return kb.Errorf(kb.Usage, "there is no status %q", s).WithHint("Statuses are %s.", strings.Join(names, ", "))
}

// ListRequest narrows and orders a list of pages.
type ListRequest struct {
	Within
	Sort          string // slug (default), title, updated, created
	Limit, Offset int    // Limit 0 is all
}

// Pages lists pages.
func (e *Engine) Pages(ctx context.Context, req ListRequest) (api.List[api.Page], error) {
	out := api.List[api.Page]{Items: []api.Page{}}
	f, err := req.Filter(e.Now())
	if err != nil {
		return out, err
	}
	order := store.Order(req.Sort)
	switch order {
	case "":
		order = store.BySlug
	case store.BySlug, store.ByTitle, store.ByUpdated, store.ByCreated:
	default:
		return out, kb.Errorf(kb.Usage, "cannot sort by %q", req.Sort).WithHint("Sort by slug, title, updated or created.")
	}
	err = e.DB.View(ctx, func(tx store.Tx) error {
		if f.Spaces, err = e.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		pages, total, err := tx.Pages().List(ctx, f, order, api.Limit(req.Limit), req.Offset)
		if err != nil {
			return err
		}
		out.Total = total
		out.Next = api.Next(req.Offset, len(pages), total)
		out.Items, err = v.Pages(ctx, pages)
		return err
	})
	return out, err
}
