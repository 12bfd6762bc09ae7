package app

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// Links are the edges between the pages of a memory.
type Links struct{ app *App }

// Links returns the edges between pages.
func (a *App) Links() Links { return Links{a} }

// From lists what a page links to.
func (l Links) From(ctx context.Context, raw string) (List[Link], error) {
	return l.of(ctx, raw, store.Links.From)
}

// To lists what links to a page.
func (l Links) To(ctx context.Context, raw string) (List[Link], error) {
	return l.of(ctx, raw, store.Links.To)
}

// of lists the links at one end of which a page is.
func (l Links) of(ctx context.Context, raw string, ends func(store.Links, context.Context, int64) ([]store.LinkEnd, error)) (List[Link], error) {
	p, err := l.app.fresh.Page(ctx, raw)
	if err != nil {
		return List[Link]{}, err
	}
	var out List[Link]
	err = l.app.db.View(ctx, func(tx store.Tx) error {
		found, err := ends(tx.Links(), ctx, p.Row)
		if err != nil {
			return err
		}
		out, err = linkList(ctx, tx, found)
		return err
	})
	out.Total = len(out.Items)
	return out, err
}

// Unresolved lists the links of the current space that lead nowhere, or to
// several pages.
func (l Links) Unresolved(ctx context.Context, limit, offset int) (List[Link], error) {
	var out List[Link]
	err := l.app.db.View(ctx, func(tx store.Tx) error {
		spaces, err := l.app.spaces.ScopeTx(ctx, tx, false)
		if err != nil {
			return err
		}
		found, total, err := tx.Links().Unresolved(ctx, spaces, api.Limit(limit), offset)
		if err != nil {
			return err
		}
		if out, err = linkList(ctx, tx, found); err != nil {
			return err
		}
		out.Total, out.Next = total, api.Next(offset, len(found), total)
		return nil
	})
	return out, err
}

func linkList(ctx context.Context, tx store.Tx, found []store.LinkEnd) (List[Link], error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return List[Link]{}, err
	}
	holders, err := holders(ctx, tx, found)
	if err != nil {
		return List[Link]{}, err
	}
	ends := make([]kb.Page, len(found))
	for i, f := range found {
		ends[i] = f.Page
	}
	pages, err := v.Pages(ctx, ends)
	if err != nil {
		return List[Link]{}, err
	}
	out := List[Link]{Items: make([]Link, 0, len(found))}
	for i, f := range found {
		l := Link{
			From: holders[f.From], Type: f.Type, Kind: f.Kind, Target: f.Name, Text: f.Text,
			ValidFrom: f.ValidFrom, ValidUntil: f.ValidUntil, Context: f.Context, Line: f.Line, State: "resolved",
		}
		l.Heading, l.Block = f.Anchor()
		switch {
		case f.Link.To == 0 && f.Candidates > 1:
			l.State = "ambiguous"
			if l.Candidates, err = candidateRefs(ctx, tx, f); err != nil {
				return out, err
			}
		case f.Link.To == 0:
			l.State = "unresolved"
		}
		if f.Page.Row != 0 {
			l.Page = &pages[i]
		}
		out.Items = append(out.Items, l)
	}
	return out, nil
}

// holders returns the refs of the pages that hold links, by row.
func holders(ctx context.Context, tx store.Tx, found []store.LinkEnd) (map[int64]string, error) {
	rows := make([]int64, len(found))
	for i, f := range found {
		rows[i] = f.From
	}
	slices.Sort(rows)
	pages, err := tx.Pages().Get(ctx, slices.Compact(rows))
	refs := make(map[int64]string, len(pages))
	for _, p := range pages {
		refs[p.Row] = p.Ref()
	}
	return refs, err
}

// candidateRefs lists the pages that carry an ambiguous link's key: of its own
// space, else of the one that it names.
func candidateRefs(ctx context.Context, tx store.Tx, f store.LinkEnd) ([]string, error) {
	from, err := tx.Pages().Get(ctx, []int64{f.From})
	if err != nil || len(from) == 0 {
		return nil, err
	}
	found, err := tx.Pages().ByNames(ctx, 0, []string{f.Key})
	if err != nil {
		return nil, err
	}
	in := from[0].SpaceID
	own := func(p kb.Page) bool { return p.SpaceID == in }
	if name, _, ok := link.Abroad(link.Ref{Kind: f.Kind, Name: f.Name}); ok && !slices.ContainsFunc(found[f.Key], own) {
		spaces, err := tx.Spaces().All(ctx)
		if err != nil {
			return nil, err
		}
		s, _ := link.Space(spaces, name)
		in = s.ID
	}
	var refs []string
	for _, p := range found[f.Key] {
		if own(p) {
			refs = append(refs, p.Ref())
		}
	}
	return refs, nil
}

// LinkRequest names a typed relation.
type LinkRequest struct {
	WriteOptions
	From, Type, To string // refs and a relation type such as works_at
	Since, Until   string // dates or date phrases
	Context        string
}

// Add writes a relation from one page to another.
func (l Links) Add(ctx context.Context, req LinkRequest) (Written, error) {
	if strings.TrimSpace(req.Type) == "" {
		return Written{}, kb.Errorf(kb.Usage, "a link needs a type").WithReason(kb.LinkWithoutType)
	}
	since, err := date(req.Since, l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	until, err := date(req.Until, l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	var target string
	err = l.app.db.View(ctx, func(tx store.Tx) error {
		from, err := l.app.refs.Resolve(ctx, tx, req.From)
		if err != nil {
			return err
		}
		to, err := l.app.refs.Resolve(ctx, tx, req.To)
		if err != nil {
			return err
		}
		target, err = l.app.change.Target(ctx, tx, from, to)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return l.app.edit(ctx, "link", req.WriteOptions, req.From, doc.AddRelation{
		Type: req.Type, Target: target, From: since, Until: until, Context: req.Context,
	})
}

// Close writes the end of a relation's interval; Until is today when it
// is not given.
func (l Links) Close(ctx context.Context, req LinkRequest) (Written, error) {
	if req.Until == "" {
		req.Until = "today"
	}
	until, err := date(req.Until, l.app.opts.Now())
	if err != nil {
		return Written{}, err
	}
	target, err := l.app.change.Written(ctx, req.From, req.Type, req.To)
	if err != nil {
		return Written{}, err
	}
	return l.app.edit(ctx, "link-close", req.WriteOptions, req.From, doc.CloseRelation{Type: req.Type, Target: target, Until: until})
}

// Remove removes the relations of a type, or with no type all relations, from
// one page to another.
func (l Links) Remove(ctx context.Context, req LinkRequest) (Written, error) {
	target, err := l.app.change.Written(ctx, req.From, req.Type, req.To)
	if err != nil {
		return Written{}, err
	}
	return l.app.edit(ctx, "unlink", req.WriteOptions, req.From, doc.RemoveRelation{Type: req.Type, Target: target})
}
