package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// TagRequest adds and removes tags.
type TagRequest struct {
	WriteOptions
	Ref         string
	Add, Remove []string
}

// Tag adds and removes tags of a page.
func (a *App) Tag(ctx context.Context, req TagRequest) (Written, error) {
	var edits []doc.Edit
	for _, t := range req.Add {
		edits = append(edits, doc.AddTag{Tag: t})
	}
	for _, t := range req.Remove {
		edits = append(edits, doc.RemoveTag{Tag: t})
	}
	op := "tag"
	if len(req.Add) == 0 {
		op = "untag"
	}
	return a.edit(ctx, op, req.WriteOptions, req.Ref, edits...)
}

// LinkRequest names a typed relation.
type LinkRequest struct {
	WriteOptions
	From, Type, To string // refs and a relation type such as works_at
	Since, Until   string // dates or date phrases
	Context        string
}

// Link writes a relation from one page to another.
func (a *App) Link(ctx context.Context, req LinkRequest) (Written, error) {
	if strings.TrimSpace(req.Type) == "" {
		return Written{}, kb.Errorf(kb.Usage, "a link needs a type").WithReason(kb.LinkWithoutType)
	}
	since, err := date(req.Since, a.opts.Now())
	if err != nil {
		return Written{}, err
	}
	until, err := date(req.Until, a.opts.Now())
	if err != nil {
		return Written{}, err
	}
	var target string
	err = a.db.View(ctx, func(tx store.Tx) error {
		from, err := a.refs.Resolve(ctx, tx, req.From)
		if err != nil {
			return err
		}
		to, err := a.refs.Resolve(ctx, tx, req.To)
		if err != nil {
			return err
		}
		target, err = a.targetName(ctx, tx, from, to)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	return a.edit(ctx, "link", req.WriteOptions, req.From, doc.AddRelation{
		Type: req.Type, Target: target, From: since, Until: until, Context: req.Context,
	})
}

// targetName returns what to write so that a link from one page leads to
// another: its title if that is clear, else its file name, else its slug. In
// Org it is the id, where the page declares one.
func (a *App) targetName(ctx context.Context, tx store.Tx, from, to kb.Page) (string, error) {
	if from.SpaceID != to.SpaceID {
		return "", kb.Errorf(kb.Usage, "%s and %s are in different spaces", from.Ref(), to.Ref()).
			WithHint("Links hold within a space.")
	}
	space, err := space.OfPage(ctx, tx, from)
	if err != nil {
		return "", err
	}
	if c := doc.ForPath(a.codecs, from.Path); c != nil && c.Format() == doc.Org {
		decl, err := tx.Pages().Declared(ctx, space.Row, []kb.ID{to.ID})
		if err != nil {
			return "", err
		}
		if len(decl) > 0 {
			return string(to.ID), nil
		}
	}
	names := []string{to.Title, to.Slug[strings.LastIndexByte(to.Slug, '/')+1:], to.Slug}
	if to.Headed() {
		names = names[1:] // others find a page by the name of its file
	}
	for _, name := range names {
		if strings.ContainsAny(name, "[]|#\n") {
			continue
		}
		key := link.Key(link.RelationKind, name)
		found, err := tx.Pages().ByNames(ctx, space.Row, []string{key})
		if err != nil {
			return "", err
		}
		var targets []link.Page
		for _, p := range found[key] {
			targets = append(targets, link.Page{Row: p.Row, ID: p.ID, Path: p.Path, Node: p.Node, Title: p.Title, Aliases: p.Aliases})
		}
		rows := link.Resolve(link.Ref{Kind: link.RelationKind, Name: name, FromPath: from.Path}, targets)
		if len(rows) == 1 && rows[0] == to.Row {
			return name, nil
		}
	}
	return string(to.ID), nil
}

// LinkClose writes the end of a relation's interval; Until is today when it
// is not given.
func (a *App) LinkClose(ctx context.Context, req LinkRequest) (Written, error) {
	if req.Until == "" {
		req.Until = "today"
	}
	until, err := date(req.Until, a.opts.Now())
	if err != nil {
		return Written{}, err
	}
	target, err := a.writtenTarget(ctx, req)
	if err != nil {
		return Written{}, err
	}
	return a.edit(ctx, "link-close", req.WriteOptions, req.From, doc.CloseRelation{Type: req.Type, Target: target, Until: until})
}

// Unlink removes the relations of a type, or with no type all relations, from
// one page to another.
func (a *App) Unlink(ctx context.Context, req LinkRequest) (Written, error) {
	target, err := a.writtenTarget(ctx, req)
	if err != nil {
		return Written{}, err
	}
	return a.edit(ctx, "unlink", req.WriteOptions, req.From, doc.RemoveRelation{Type: req.Type, Target: target})
}

// writtenTarget finds how the relation to a page is written. A target that
// leads to no page is taken as it stands, so that it can be closed too.
func (a *App) writtenTarget(ctx context.Context, req LinkRequest) (target string, err error) {
	err = a.db.View(ctx, func(tx store.Tx) error {
		from, err := a.refs.Resolve(ctx, tx, req.From)
		if err != nil {
			return err
		}
		to, missing := a.refs.Resolve(ctx, tx, req.To)
		links, err := tx.Links().From(ctx, from.Row)
		if err != nil {
			return err
		}
		var others []string // types of the relations that do lead there
		for _, l := range links {
			leads := missing == nil && l.To == to.Row || kb.NameKey(l.Name) == kb.NameKey(req.To)
			switch {
			case l.Type == "links_to" || !leads:
			case req.Type == "" || doc.FoldName(l.Type) == doc.FoldName(req.Type):
				target = l.Name
				return nil
			default:
				others = append(others, l.Type)
			}
		}
		if missing != nil {
			return missing
		}
		return noRelation(req.Type, from, to, others)
	})
	return target, err
}

// noRelation says that no relation of this type leads from one page to
// another, and of which types those are that do.
func noRelation(kind string, from, to kb.Page, others []string) error {
	e := kb.Errorf(kb.NotFound, "%s has no %s relation to %s", from.Ref(), kind, to.Ref())
	if kind == "" {
		e = kb.Errorf(kb.NotFound, "%s has no relation to %s", from.Ref(), to.Ref())
	}
	if len(others) > 0 {
		slices.Sort(others)
		others = slices.Compact(others)
		return e.WithHint("Its relations to it are of type %s.", strings.Join(others, ", ")).With("types", others)
	}
	return e.WithReason(kb.NoRelation).WithFact("slug", from.Slug).WithFact("ref", from.Ref())
}

// date turns a date phrase into an ISO date; "" stays "".
func date(text string, now time.Time) (string, error) {
	if text == "" || doc.IsDate(text) {
		return text, nil
	}
	r, ok := query.ParseRange(text, now)
	if !ok {
		return "", kb.Errorf(kb.Usage, "%q is no date", text).WithHint("Write 2026-03-01, 2026-03, today, or last monday.")
	}
	return r.From.Format("2006-01-02"), nil
}

// TimelineAddRequest adds a timeline entry.
type TimelineAddRequest struct {
	WriteOptions
	Ref                string
	Date               string // "" is today
	Source, Text, More string
}

// TimelineAdd adds an entry to a page's timeline, newest first.
func (a *App) TimelineAdd(ctx context.Context, req TimelineAddRequest) (Written, error) {
	if strings.TrimSpace(req.Text) == "" {
		return Written{}, kb.Errorf(kb.Usage, "the timeline entry has no text")
	}
	if req.Date == "" {
		req.Date = "today"
	}
	date, err := date(req.Date, a.opts.Now())
	if err != nil {
		return Written{}, err
	}
	return a.edit(ctx, "timeline-add", req.WriteOptions, req.Ref, doc.AddEntry{Date: date, Source: req.Source, Text: req.Text, Detail: req.More})
}

// StatusRequest sets where a page stands in its life.
type StatusRequest struct {
	WriteOptions
	Ref, Status string
}

// Status sets a page's status.
func (a *App) Status(ctx context.Context, req StatusRequest) (Written, error) {
	s, ok := kb.ParseStatus(req.Status)
	if !ok || strings.TrimSpace(req.Status) == "" {
		return Written{}, unknownStatus(req.Status)
	}
	return a.edit(ctx, "status", req.WriteOptions, req.Ref, doc.SetProperty{Key: "status", Value: string(s)})
}
