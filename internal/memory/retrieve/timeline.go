package retrieve

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// TimelineRequest narrows a list of timeline entries.
type TimelineRequest struct {
	Ref           string // the page; "" for all that the other fields let through
	Within               // the pages, but After and Before are of the entries
	Source        string // of the entries: how they are known; "meeting" is that of "meeting/12", too
	Limit, Offset int    // Limit 0 is all
}

// Timeline lists the entries of all pages, the newest first.
func Timeline(ctx context.Context, sess *memory.Session, req TimelineRequest) (api.List[api.Entry], error) {
	out := api.List[api.Entry]{Items: []api.Entry{}}
	sess.Notices.Add(req.Notes(sess.Now())...)
	f, err := req.filter(sess.Now())
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if f.Pages.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		found, total, err := tx.Items().Entries(ctx, f, api.Limit(req.Limit), req.Offset)
		out.Total, out.Next = total, api.Next(req.Offset, len(found), total)
		for _, x := range found {
			out.Items = append(out.Items, entryOf(x.Entry, x.Page))
		}
		return err
	})
	return out, err
}

// TimelineOf lists the entries of one page in the order of the page.
func TimelineOf(ctx context.Context, sess *memory.Session, p kb.Page, req TimelineRequest) (api.List[api.Entry], error) {
	out := api.List[api.Entry]{Items: []api.Entry{}}
	if req.pages().Narrows() || req.All {
		return out, OnePage()
	}
	sess.Notices.Add(req.Notes(sess.Now())...)
	f, err := req.filter(sess.Now())
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		entries, err := tx.Pages().Entries(ctx, p.Row)
		for _, x := range entries {
			if !passes(f, x) {
				continue
			}
			out.Total++
			if out.Total > req.Offset && len(out.Items) < api.Limit(req.Limit) {
				out.Items = append(out.Items, entryOf(x, p))
			}
		}
		return err
	})
	out.Next = api.Next(req.Offset, len(out.Items), out.Total)
	return out, err
}

// pages selects the pages of the entries.
func (req TimelineRequest) pages() Within {
	req.After, req.Before = "", ""
	return req.Within
}

func (req TimelineRequest) filter(now time.Time) (f store.EntryFilter, err error) {
	f.Source = req.Source
	if f.Pages, err = req.pages().Filter(now); err != nil {
		return f, err
	}
	for _, b := range []struct {
		text string
		to   *string
	}{{req.After, &f.After}, {req.Before, &f.Before}} {
		if b.text == "" {
			continue
		}
		t, err := query.Since(b.text, now)
		if err != nil {
			return f, err
		}
		*b.to = t.Format(time.DateOnly)
	}
	return f, nil
}

// passes is what store.Items.Entries does for one entry. ISO dates of any precision
// compare as text.
func passes(f store.EntryFilter, e kb.Entry) bool {
	switch {
	case f.After != "" && e.Date < f.After[:min(len(f.After), len(e.Date))]:
		return false
	case f.Before != "" && e.Date >= f.Before:
		return false
	}
	return f.Source == "" || strings.EqualFold(e.Source, f.Source) ||
		len(e.Source) > len(f.Source) && strings.EqualFold(e.Source[:len(f.Source)+1], f.Source+"/")
}

func entryOf(e kb.Entry, p kb.Page) api.Entry {
	return api.Entry{Page: p.Ref(), Date: e.Date, Source: e.Source, Text: e.Text, Detail: e.Detail, Line: e.Line}
}
