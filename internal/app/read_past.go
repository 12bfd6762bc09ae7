package app

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// getDeleted is Get for an older version of a page that is not there any more.
func (a *App) getDeleted(ctx context.Context, req GetRequest) (Text, error) {
	space, page, err := a.pastPage(ctx, req.Ref)
	if err != nil {
		return Text{}, err
	}
	var out Text
	err = a.db.View(ctx, func(tx store.Tx) error {
		out.Page = Page{ID: page, Short: page.Short(api.MinShort), Space: space.Name, Status: kb.Active}
		return a.getVersion(ctx, tx, req, space, page, &out)
	})
	if err != nil {
		return Text{}, err
	}
	return cutText(doc.ForNote(a.codecs, out.Path), out, "", req)
}

// saysDeleted adds to the error of a page that is not there that it was, and
// how it comes back.
func (a *App) saysDeleted(ctx context.Context, missing error, ref string) error {
	if kb.CodeOf(missing) != kb.NotFound {
		return missing
	}
	v, err := a.deleted(ctx, ref)
	if err != nil || v == nil {
		return missing // what was asked for is not there, whatever else fails
	}
	when := v.Time.UTC().Format(time.RFC3339)
	return kb.AsError(missing).WithHint("%s deleted it at %s; cairn restore brings it back, and --version %d shows it.", v.Actor, when, v.Version-1).
		WithToolHint("%s deleted it at %s; its version %d has its text.", v.Actor, when, v.Version-1)
}

// getVersion fills in the version that was asked for by number or time.
func (a *App) getVersion(ctx context.Context, tx store.Tx, req GetRequest, space kb.Space, page kb.ID, out *Text) error {
	v, err := a.version(ctx, tx, req, space, page)
	if err != nil {
		return err
	}
	out.Version, out.UpdatedAt, out.Path, out.Page.Bytes = v.Version, v.Time.UTC(), v.Path, v.Size
	if out.Ref == "" {
		out.Slug, out.Title = link.Slug(v.Path), v.Title
		out.Ref = space.Name + ":" + out.Slug
	}
	out.Bytes, err = textOf(ctx, tx, v)
	return err
}

// version finds a version by number or time.
func (a *App) version(ctx context.Context, tx store.Tx, req GetRequest, space kb.Space, page kb.ID) (kb.Version, error) {
	var v kb.Version
	if req.AsOf != "" {
		t, err := query.Instant(req.AsOf, a.opts.Now())
		if err != nil {
			return v, err
		}
		if v, err = tx.History().AsOf(ctx, space.Row, page, t); kb.CodeOf(err) == kb.NotFound {
			return v, kb.Errorf(kb.NotFound, "%s was not there at %s", req.Ref, t.UTC().Format(time.RFC3339))
		} else if err != nil {
			return v, err
		}
	} else {
		var err error
		v, err = tx.History().Version(ctx, space.Row, page, req.Version)
		if kb.CodeOf(err) == kb.NotFound {
			return v, kb.Errorf(kb.NotFound, "%s has no version %d", req.Ref, req.Version).WithHint("List them with cairn history.").
				WithToolHint("The tool history lists them; it is in the set more.")
		}
		if err != nil {
			return v, err
		}
	}
	if v.Change == kb.Deleted {
		return v, kb.Errorf(kb.NotFound, "%s was deleted at that time", req.Ref).WithHint("An older version has its text.")
	}
	return v, nil
}

// document returns the space of a page and the id under which its document's
// history is kept, which for a node is that of the whole document.
func document(ctx context.Context, tx store.Tx, p kb.Page) (kb.Space, kb.ID, error) {
	s, err := space.OfPage(ctx, tx, p)
	if err != nil || p.Node == "" {
		return s, p.ID, err
	}
	pages, err := tx.Pages().ByPath(ctx, s.Row, p.Path)
	if err != nil {
		return s, "", err
	}
	return s, pages[0].ID, nil
}
