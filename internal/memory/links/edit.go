package links

import (
	"cmp"
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/store"
	"strings"
)

// Add adds a relation from one page to another.
func Add(ctx context.Context, sess *memory.Session, req api.LinkRequest) (api.Written, error) {
	if strings.TrimSpace(req.Type) == "" {
		return api.Written{}, kb.Errorf(kb.Usage, "a link needs a type").WithReason(kb.LinkWithoutType)
	}
	since, err := change.Date(req.Since, sess.Now())
	if err != nil {
		return api.Written{}, err
	}
	until, err := change.Date(req.Until, sess.Now())
	if err != nil {
		return api.Written{}, err
	}
	var target string
	var leads kb.Page
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		from, err := sess.Refs.Resolve(ctx, tx, req.From)
		if err != nil {
			return err
		}
		to, err := sess.Refs.Resolve(ctx, tx, req.To)
		if err != nil {
			return err
		}
		if to.Row == from.Row {
			return kb.Errorf(kb.Invalid, "%s cannot have a relation to itself", from.Ref())
		}
		leads = to
		target, err = change.TargetAs(ctx, sess, tx, from, to, req.To)
		return err
	})
	if err != nil {
		return api.Written{}, err
	}
	w, err := change.Edit(ctx, sess, "link", req.WriteOptions, req.From, doc.AddRelation{
		Type: req.Type, Target: target, From: since, Until: until, Context: req.Context,
	})
	if err != nil || w.DryRun || len(w.Pages) == 0 {
		return w, err
	}
	w.Relation, err = Number(ctx, sess, w.Pages[0].Ref, req.Type, leads.Row, kb.Interval{From: since, Until: until})
	if err != nil && w.Write != 0 {
		err = change.ReadbackError(w.Write, err)
	}
	return w, err
}

// Close sets the end of a relation's interval; Until defaults to today.
func Close(ctx context.Context, sess *memory.Session, req api.LinkRequest) (api.Written, error) {
	until, err := change.Date(cmp.Or(req.Until, "today"), sess.Now())
	if err != nil {
		return api.Written{}, err
	}
	return change.Retry(ctx, req.WriteOptions, func() (api.Written, error) { return closeRelation(ctx, sess, req, until) })
}

// closeRelation makes one attempt at Close. The line number of a relation is that
// in an indexed version of its page, so the page is read again when its file has
// changed.
func closeRelation(ctx context.Context, sess *memory.Session, req api.LinkRequest, until string) (_ api.Written, err error) {
	r, open, from := Relation{}, true, req.From
	if req.ID != 0 {
		if r, err = Numbered(ctx, sess, req.ID); err != nil {
			return api.Written{}, err
		}
		from = r.Page.Ref()
	}
	p, err := freshness.Page(ctx, sess, from)
	switch {
	case err != nil:
	case req.ID != 0:
		r, err = Numbered(ctx, sess, req.ID)
	default:
		r, open, err = Open(ctx, sess, req.From, req.Type, req.To)
	}
	if err == nil && !open {
		r.Type = req.Type
		r.Name, err = change.Written(ctx, sess, req.From, req.Type, req.To)
	}
	if err != nil {
		return api.Written{}, err
	}
	if req.Expected == nil {
		req.Expected = &p.Version
	}
	return change.Edit(ctx, sess, "link-close", req.WriteOptions, from, r.Close(until))
}

// Remove removes the relations of a type, or without a type all relations, from one
// page to another.
func Remove(ctx context.Context, sess *memory.Session, req api.LinkRequest) (api.Written, error) {
	target, err := change.Written(ctx, sess, req.From, req.Type, req.To)
	if err != nil {
		return api.Written{}, err
	}
	return change.Edit(ctx, sess, "unlink", req.WriteOptions, req.From, doc.RemoveRelation{Type: req.Type, Target: target})
}
