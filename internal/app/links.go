package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/store"
)

// Links are the edges between the pages of a memory.
type Links struct{ app *App }

// Links returns the edges between pages.
func (a *App) Links() Links { return Links{a} }

// LinksRequest asks for the links at a page.
type LinksRequest struct {
	Ref           string
	Temporal      Temporal // "" is all of those from a page, and the current of those to it
	At            string   // date or date phrase; "" is today
	Limit, Offset int      // 0: all
}

// From lists what a page links to.
func (l Links) From(ctx context.Context, req LinksRequest) (LinkList, error) {
	return l.at(ctx, req, l.app.graph.From)
}

// To lists what links to a page.
func (l Links) To(ctx context.Context, req LinksRequest) (LinkList, error) {
	return l.at(ctx, req, l.app.graph.To)
}

func (l Links) at(ctx context.Context, req LinksRequest, list func(context.Context, kb.Page, links.Request) (LinkList, error)) (LinkList, error) {
	times, err := l.times(req.Temporal, req.At)
	if err != nil {
		return LinkList{}, err
	}
	p, err := l.app.fresh.Page(ctx, req.Ref)
	if err != nil {
		return LinkList{}, err
	}
	return list(ctx, p, links.Request{Times: times, Limit: req.Limit, Offset: req.Offset})
}

// times reads a date phrase.
func (l Links) times(temporal Temporal, at string) (links.Times, error) {
	day, err := change.Date(at, l.app.opts.Now())
	return links.Times{Temporal: temporal, At: day}, err
}

// Unresolved lists the links of the current space that lead nowhere, or to
// several pages.
func (l Links) Unresolved(ctx context.Context, limit, offset int) (List[Link], error) {
	return l.app.graph.Unresolved(ctx, limit, offset)
}

// Unlinked lists the names of pages that stand in texts of the current space, or in that
// of one page, and are no links; see graph.Engine.Unlinked.
func (l Links) Unlinked(ctx context.Context, ref string, limit, offset int) (List[UnlinkedName], error) {
	if ref == "" {
		return l.app.graph.Unlinked(ctx, nil, limit, offset)
	}
	p, err := l.app.fresh.Page(ctx, ref)
	if err != nil {
		return List[UnlinkedName]{Items: []UnlinkedName{}}, err
	}
	return l.app.graph.Unlinked(ctx, &p, limit, offset)
}

// GraphRequest asks for the pages around one.
type GraphRequest struct {
	Ref       string
	Depth     int // in links; 0 is the default
	Limit     int // of pages; 0 is the default
	Direction links.Direction
	Types     []string // of links
	Temporal  Temporal // "" is current
	At        string   // date or date phrase; "" is today
}

// Around returns the pages around one, and the links between them.
func (l Links) Around(ctx context.Context, req GraphRequest) (Graph, error) {
	times, err := l.times(req.Temporal, req.At)
	if err != nil {
		return Graph{}, err
	}
	p, err := l.app.fresh.Page(ctx, req.Ref)
	if err != nil {
		return Graph{}, err
	}
	return l.app.graph.Around(ctx, p, links.AroundRequest{
		Times: times, Depth: req.Depth, Limit: req.Limit, Direction: req.Direction, Types: req.Types,
	})
}

// MapRequest asks for pages and the links between them.
type MapRequest struct {
	Within
	Projects []string // that the pages name, all of them
	Limit    int      // of pages; 0 is GraphMaxNodes
}

// Map returns pages of the current space, and the links between them.
func (l Links) Map(ctx context.Context, req MapRequest) (Graph, error) {
	for _, name := range req.Projects {
		req.Where = append(slices.Clip(req.Where), "projects="+name)
	}
	f, err := req.Filter(l.app.opts.Now())
	if err != nil {
		return Graph{}, err
	}
	return l.app.graph.Map(ctx, links.MapRequest{Filter: f, All: req.All, Limit: req.Limit})
}

// LinkRequest names a typed relation.
type LinkRequest struct {
	WriteOptions
	ID             int64  // of a relation that ends, in the place of the next three
	From, Type, To string // refs and a relation type such as works_at
	Since, Until   string // dates or date phrases
	Context        string
}

// Add writes a relation from one page to another.
func (l Links) Add(ctx context.Context, req LinkRequest) (Written, error) {
	if strings.TrimSpace(req.Type) == "" {
		return Written{}, kb.Errorf(kb.Usage, "a link needs a type").WithReason(kb.LinkWithoutType)
	}
	since, err := change.Date(req.Since, l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	until, err := change.Date(req.Until, l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	var target string
	var leads kb.Page
	err = l.app.db.View(ctx, func(tx store.Tx) error {
		from, err := l.app.refs.Resolve(ctx, tx, req.From)
		if err != nil {
			return err
		}
		to, err := l.app.refs.Resolve(ctx, tx, req.To)
		if err != nil {
			return err
		}
		leads = to
		target, err = l.app.change.Target(ctx, tx, from, to)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	w, err := l.app.change.Edit(ctx, "link", req.WriteOptions, req.From, doc.AddRelation{
		Type: req.Type, Target: target, From: since, Until: until, Context: req.Context,
	})
	if err != nil || w.DryRun || len(w.Pages) == 0 {
		return w, err
	}
	w.Relation, err = l.app.graph.Number(ctx, w.Pages[0].Ref, req.Type, leads.Row, kb.Interval{From: since, Until: until})
	if err != nil && w.Write != 0 {
		err = change.Unread(w.Write, err)
	}
	return w, err
}

// Close writes the end of a relation's interval; Until is today when it
// is not given.
func (l Links) Close(ctx context.Context, req LinkRequest) (Written, error) {
	until, err := change.Date(cmp.Or(req.Until, "today"), l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	return change.Retry(ctx, req.WriteOptions, func() (Written, error) { return l.close(ctx, req, until) })
}

// close is Close once: the line of a relation is that in a version of its page, which is
// read again where its file has changed.
func (l Links) close(ctx context.Context, req LinkRequest, until string) (_ Written, err error) {
	r, open, from := links.Relation{}, true, req.From
	if req.ID != 0 {
		if r, err = l.app.graph.Numbered(ctx, req.ID); err != nil {
			return Written{}, err
		}
		from = r.Page.Ref()
	}
	p, err := l.app.fresh.Page(ctx, from)
	switch {
	case err != nil:
	case req.ID != 0:
		r, err = l.app.graph.Numbered(ctx, req.ID)
	default:
		r, open, err = l.app.graph.Open(ctx, req.From, req.Type, req.To)
	}
	if err == nil && !open {
		r.Type = req.Type
		r.Name, err = l.app.change.Written(ctx, req.From, req.Type, req.To)
	}
	if err != nil {
		return Written{}, err
	}
	if req.Expected == nil {
		req.Expected = &p.Version
	}
	return l.app.change.Edit(ctx, "link-close", req.WriteOptions, from, r.Close(until))
}

// Remove removes the relations of a type, or with no type all relations, from
// one page to another.
func (l Links) Remove(ctx context.Context, req LinkRequest) (Written, error) {
	target, err := l.app.change.Written(ctx, req.From, req.Type, req.To)
	if err != nil {
		return Written{}, err
	}
	return l.app.change.Edit(ctx, "unlink", req.WriteOptions, req.From, doc.RemoveRelation{Type: req.Type, Target: target})
}
