package history

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// ReadRequest asks for a version of a document, by number or by time.
type ReadRequest struct {
	Ref     string // the ref of the request, for errors
	Version int
	AsOf    string // a time or date phrase, which takes precedence over a number
	Node    string // of the document, "" for all of it
}

// ReadAsOf reads the target of a request's ref at its time, and returns the node of
// the document, "" for all of it. It finds nothing if the ref had no target then,
// but may have one today. A time that is not over yields the present text,
// including changes in files since they were indexed.
func ReadAsOf(ctx context.Context, sess *memory.Session, req ReadRequest) (out api.Text, node string, found bool, err error) {
	at, err := query.Instant(req.AsOf, sess.Now())
	if err != nil || !at.Before(sess.Now()) {
		return out, "", false, err
	}
	var then *ref.Then
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		if then, err = sess.Refs.ResolveAsOf(ctx, tx, req.Ref, at); then == nil || err != nil {
			return err
		}
		if out.Page, err = presentPage(ctx, tx, then); err != nil {
			return err
		}
		return fillVersion(ctx, sess, tx, then.Version, then.Space, then.Node, &out)
	})
	if then == nil || err != nil {
		return api.Text{}, "", false, err
	}
	return out, then.Node, true, nil
}

// presentPage describes the present page for a ref, only by its id if it does not
// exist any more.
func presentPage(ctx context.Context, tx store.Tx, then *ref.Then) (api.Page, error) {
	id := then.Version.Page
	if then.Node != "" {
		if declared, ok := kb.ParseID(then.Node); ok {
			id = declared
		}
	}
	viewer, err := api.NewViewer(ctx, tx)
	if err != nil {
		return api.Page{}, err
	}
	same, err := tx.Pages().ByID(ctx, id)
	if err != nil {
		return api.Page{}, err
	}
	same = slices.DeleteFunc(same, func(p kb.Page) bool {
		return p.SpaceID != then.Space.ID || (p.Node != "") != (then.Node != "")
	})
	if i := slices.IndexFunc(same, func(p kb.Page) bool { return p.Path == then.Version.Path }); i >= 0 {
		return viewer.Page(ctx, same[i]) // two files may contain the same id
	}
	if len(same) > 0 {
		return viewer.Page(ctx, same[0])
	}
	return api.Page{ID: id, Short: id.Short(api.MinShort), Space: then.Space.Name, Status: kb.Active}, nil
}

// ReadDeleted reads a version of a deleted page.
func ReadDeleted(ctx context.Context, sess *memory.Session, d Document, req ReadRequest) (out api.Text, err error) {
	out.Page = api.Page{ID: d.ID, Short: d.ID.Short(api.MinShort), Space: d.Space.Name, Status: kb.Active}
	err = sess.DB.View(ctx, func(tx store.Tx) error { return Read(ctx, sess, tx, d, req, &out) })
	return out, err
}

// ExplainMissing adds to the error about a missing page that it was deleted, if so,
// and how to restore it.
func ExplainMissing(ctx context.Context, sess *memory.Session, missing error, ref string) error {
	if kb.CodeOf(missing) != kb.NotFound {
		return missing
	}
	var v *kb.Version
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err == nil {
			v, err = deleted(ctx, sess, tx, all, ref)
		}
		return err
	})
	if err != nil || v == nil {
		return missing // the result does not exist, even if something else fails
	}
	when := v.Time.UTC().Format(time.RFC3339)
	return kb.AsError(missing).WithHint("").WithReason(kb.PageDeleted).
		WithFact("actor", v.Actor).WithFact("when", when).WithFact("version", v.Version-1)
}

// Read reads the requested version by number or time.
func Read(ctx context.Context, sess *memory.Session, tx store.Tx, d Document, req ReadRequest, out *api.Text) error {
	v, err := readVersion(ctx, sess, tx, d, req)
	if err != nil {
		return err
	}
	return fillVersion(ctx, sess, tx, v, d.Space, req.Node, out)
}

func fillVersion(ctx context.Context, sess *memory.Session, tx store.Tx, v kb.Version, space kb.Space, node string, out *api.Text) (err error) {
	out.Version, out.UpdatedAt, out.Path, out.Page.Bytes = v.Version, v.Time.UTC(), v.Path, v.Size
	out.Syntax, out.Side = space.Syntax, v.Side.Hash
	if out.Ref == "" {
		out.Slug, out.Title = link.Slug(v.Path), v.Title
		out.Ref = space.Name + ":" + out.Slug
	}
	if out.Bytes, err = textOf(ctx, tx, v); err != nil {
		return err
	}
	was := index.Derive(doc.ForNote(sess.Codecs, space.Syntax, v.Path), index.Source{
		Space: space, Path: v.Path, Bytes: out.Bytes, ModTime: v.ModTime, Now: v.Time,
	}, secrets.Hide).Record.Pages
	if i := slices.IndexFunc(was, func(p store.PageRecord) bool { return strings.EqualFold(p.Page.Node, node) }); i >= 0 {
		describeAsWas(was[i].Page, &out.Page)
		if at := slices.IndexFunc(was[i].Properties, func(p kb.Property) bool { return p.Key == "status" }); at >= 0 {
			out.Status = api.OwnStatus(out.Status, was[i].Properties[at].Text)
		}
	}
	return nil
}

// describeAsWas replaces the parts of a description that depend on the document,
// which may be different today.
func describeAsWas(was kb.Page, out *api.Page) {
	out.Title, out.Type, out.Status, out.Summary = was.Title, was.Type, was.Status, was.Summary
	out.Tags, out.Aliases = was.Tags, api.OtherNames(was)
	out.Permalink, out.Wing, out.Room, out.Date = was.Permalink, was.Wing, was.Room, was.Day
	out.CreatedAt = nil
	if !was.Created.IsZero() {
		out.CreatedAt = new(was.Created.UTC())
	}
}

// readVersion finds a version by number or time.
func readVersion(ctx context.Context, sess *memory.Session, tx store.Tx, d Document, req ReadRequest) (kb.Version, error) {
	var v kb.Version
	if req.AsOf != "" {
		t, err := query.Instant(req.AsOf, sess.Now())
		if err != nil {
			return v, err
		}
		if v, err = tx.History().AsOf(ctx, d.Space.Row, d.ID, t); kb.CodeOf(err) == kb.NotFound {
			return v, kb.Errorf(kb.NotFound, "%s was not there at %s", req.Ref, t.UTC().Format(time.RFC3339))
		} else if err != nil {
			return v, err
		}
	} else {
		var err error
		v, err = tx.History().Version(ctx, d.Space.Row, d.ID, req.Version)
		if kb.CodeOf(err) == kb.NotFound {
			return v, kb.Errorf(kb.NotFound, "%s has no version %d", req.Ref, req.Version).WithReason(kb.NoSuchVersion)
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

// DocumentOf returns the document of a page. For a node that is the whole document,
// with the id of its history.
func DocumentOf(ctx context.Context, tx store.Tx, p kb.Page) (Document, error) {
	s, err := space.OfPage(ctx, tx, p)
	if err != nil || p.Node == "" {
		return Document{s, p.ID}, err
	}
	pages, err := tx.Pages().ByPath(ctx, s.Row, p.Path)
	if err != nil {
		return Document{Space: s}, err
	}
	return Document{s, pages[0].ID}, nil
}
