package retrieve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// Within selects the pages of a list.
type Within struct {
	Types, Tags, Statuses, Paths []string
	Wings                        []string
	Where                        []string // conditions and filters, see query.Conditions
	After, Before                string   // dates or date phrases
	All                          bool     // of every space
}

// Filter is for the store, without spaces.
func (w Within) Filter(now time.Time) (f store.Filter, err error) {
	f = store.Filter{Types: slices.Clone(w.Types), AllTags: slices.Clone(w.Tags), Wings: slices.Clone(w.Wings)}
	for _, p := range w.Paths {
		f.Paths = append(f.Paths, query.PathGlobs(p)...)
	}
	for _, s := range w.Statuses {
		f.Statuses = append(f.Statuses, kb.Status(s))
	}
	conditions, err := conditionsOf(w.Where, now)
	if err != nil {
		return f, err
	}
	for _, c := range conditions {
		narrow(&f, c)
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

// Notes say which conditions do not compare as what they look like.
func (w Within) Notes(now time.Time) []string {
	conditions, _ := conditionsOf(w.Where, now) // which Filter refuses
	return comparedAsText(conditions)
}

// comparedAsText returns notes for conditions that compare text with < or >.
func comparedAsText(conditions []query.Filter) (notes []string) {
	for _, c := range conditions {
		_, sign, value, ok := query.ParseWhere(c.Value)
		if c.Key != query.Where || !ok || strings.Trim(sign, "<>=") != "" || sign == "" || sign == "=" {
			continue
		}
		_, isNumber := kb.Number(value)
		if _, _, isDate := doc.CutDate(value); !isNumber && !isDate {
			notes = append(notes, fmt.Sprintf("%s compares text: %s is neither a number nor a date such as 2026-03-01", c.Value, value))
		}
	}
	return notes
}

// readFilter returns w.Filter, and adds its notes to the session's notices.
func readFilter(ctx context.Context, sess *memory.Session, w Within) (store.Filter, error) {
	now := sess.Now()
	sess.Notices.Add(w.Notes(now)...)
	if len(w.Paths) > 0 {
		spaces, err := sess.Spaces.All(ctx)
		if err != nil {
			return store.Filter{}, err
		}
		w.Paths = slices.Clone(w.Paths)
		for i, path := range w.Paths {
			w.Paths[i] = aliased(ctx, sess, spaces, path)
		}
	}
	return w.Filter(now)
}

// aliased returns the value of a path filter with the paths to which aliases of the spaces
// lead from it.
func aliased(ctx context.Context, sess *memory.Session, spaces []kb.Space, value string) string {
	globs := query.PathGlobs(value)
	for _, sp := range spaces {
		// A policy that cannot be read has no aliases; doctor reports it.
		if pol, _, err := sess.Spaces.Policy(ctx, sp, nil); err == nil {
			if to, ok := pol.UnaliasedPath(value); ok {
				globs = append(globs, query.PathGlobs(to)...)
			}
		}
	}
	if len(globs) == len(query.PathGlobs(value)) {
		return value
	}
	return "{" + strings.Join(globs, ",") + "}"
}

// Narrows reports whether w selects a part of the pages of a space.
func (w Within) Narrows() bool {
	return len(w.Types)+len(w.Tags)+len(w.Statuses)+len(w.Paths)+len(w.Wings)+len(w.Where) > 0 || w.After+w.Before != ""
}

// OnePage is the error for a request about one page and many.
func OnePage() error {
	return kb.Errorf(kb.Usage, "a page is given, and others are asked for").
		WithHint("Leave the page out to list what many pages have.")
}

// Tags counts the tags of pages.
func Tags(ctx context.Context, sess *memory.Session, w Within) (api.List[api.Count], error) {
	out := api.List[api.Count]{Items: []api.Count{}}
	f, err := readFilter(ctx, sess, w)
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, w.All); err != nil {
			return err
		}
		tags, err := tx.Pages().Tags(ctx, f)
		out.Items = api.Counts(tags)
		return err
	})
	out.Total = len(out.Items)
	return out, err
}

// Below are the paths that w names, by themselves or as conditions.
func (w Within) Below(now time.Time) []string {
	out := slices.Clone(w.Paths)
	conditions, _ := conditionsOf(w.Where, now) // which Filter refuses
	for _, c := range conditions {
		if c.Key == query.Path && !c.Not {
			out = append(out, c.Value)
		}
	}
	return out
}

// conditionsOf are the filters that conditions say.
func conditionsOf(texts []string, now time.Time) (out []query.Filter, err error) {
	for _, text := range texts {
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			filters, err := query.Metadata(text)
			if err != nil {
				return nil, err
			}
			out = append(out, filters...)
			continue
		}
		filters, ok := query.Conditions(text, now)
		if !ok {
			return nil, kb.Errorf(kb.Usage, "%q is not a condition on pages", text).
				WithHint("Write one like stage=design or priority>2, or filters: path:, tag:, type:, status:, wing:, after: and before:, such as path:inbox -tag:done")
		}
		out = append(out, filters...)
	}
	return out, nil
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
	Orphans       bool   // only pages to which no other page links
	Sort          string // slug (default), title, updated, created
	Limit, Offset int    // Limit 0 is all
}

// Pages lists pages.
func Pages(ctx context.Context, sess *memory.Session, req ListRequest) (api.List[api.Page], error) {
	out := api.List[api.Page]{Items: []api.Page{}}
	f, err := readFilter(ctx, sess, req.Within)
	if err != nil {
		return out, err
	}
	f.Orphans = req.Orphans
	order := store.Order(req.Sort)
	switch order {
	case "":
		order = store.BySlug
	case store.BySlug, store.ByTitle, store.ByUpdated, store.ByCreated:
	default:
		return out, kb.Errorf(kb.Usage, "cannot sort by %q", req.Sort).WithHint("Sort by slug, title, updated or created.")
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
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
