package links

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// Relation is an open relation of a page.
type Relation struct {
	Page   kb.Page
	Number int64
	kb.Link
}

// Close returns the edit that ends the relation.
func (r Relation) Close(until string) doc.CloseRelation {
	return doc.CloseRelation{Type: r.Type, Target: r.Name, Until: until, Line: r.Line}
}

// Numbered returns the open relation with a number.
func Numbered(ctx context.Context, sess *memory.Session, number int64) (Relation, error) {
	var found []Relation
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().ByIDs(ctx, func(id kb.ID) bool { return link.MayHold(id, number) })
		if err != nil {
			return err
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		for _, p := range pages {
			all, err := relations(ctx, tx, p)
			if err != nil {
				return err
			}
			found = append(found, slices.DeleteFunc(all, func(r Relation) bool { return r.Number != number })...)
		}
		return nil
	})
	switch {
	case err != nil:
		return Relation{}, err
	case len(found) == 0:
		return Relation{}, kb.Errorf(kb.NotFound, "no link has the id %d", number).WithReason(kb.NoSuchLink)
	case len(found) > 1:
		return Relation{}, several(found, fmt.Sprintf("%d links have the id %d", len(found), number), "Name the page, the relation and the page that it leads to.")
	case found[0].Type == kb.PlainLink:
		return Relation{}, kb.Errorf(kb.Invalid, "%s: the link in line %d is not a relation, and holds at all times", found[0].Page.Ref(), found[0].Line)
	case found[0].ValidUntil != "":
		return Relation{}, kb.Errorf(kb.Conflict, "%s: the relation in line %d ended in %s already", found[0].Page.Ref(), found[0].Line, found[0].ValidUntil)
	}
	return found[0], nil
}

// Open returns the open relation of a type from one page to another, if it exists.
// The target may be a name without a page.
func Open(ctx context.Context, sess *memory.Session, fromRef, kind, toRef string) (r Relation, ok bool, err error) {
	var found []Relation
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		from, err := sess.Refs.Resolve(ctx, tx, fromRef)
		if err != nil {
			return err
		}
		to, missing := sess.Refs.Resolve(ctx, tx, toRef)
		all, err := relations(ctx, tx, from)
		found = slices.DeleteFunc(all, func(r Relation) bool {
			leads := missing == nil && r.To == to.Row || kb.NameKey(r.Name) == kb.NameKey(toRef)
			return !leads || r.Type == kb.PlainLink || r.ValidUntil != "" || doc.FoldName(r.Type) != doc.FoldName(kind)
		})
		return err
	})
	if err != nil || len(found) == 0 {
		return r, false, err
	}
	if len(found) > 1 {
		return r, false, several(found, fmt.Sprintf("%d open relations match", len(found)), "Name the one that ended by its id.")
	}
	return found[0], true, nil
}

// Number returns the id of the relation of a type and interval from one page to
// another, the last of several equal ones; 0 if there is none.
func Number(ctx context.Context, sess *memory.Session, fromRef, kind string, to int64, holds kb.Interval) (number int64, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		from, err := sess.Refs.Resolve(ctx, tx, fromRef)
		if err != nil {
			return err
		}
		all, err := relations(ctx, tx, from)
		for _, r := range all {
			if r.To == to && doc.FoldName(r.Type) == doc.FoldName(kind) && r.ValidFrom == holds.From && r.ValidUntil == holds.Until {
				number = r.Number
			}
		}
		return err
	})
	return number, err
}

// relations returns the links of a page with their numbers.
func relations(ctx context.Context, tx store.Tx, p kb.Page) ([]Relation, error) {
	links, err := tx.Links().From(ctx, p.Row)
	out := make([]Relation, len(links))
	for i, n := range numbered(links, p, map[int64]kb.Page{p.Row: p}) {
		out[i] = Relation{p, n.number(), n.Link}
	}
	return out, err
}

// several lists the relations that may be the requested one.
func several(found []Relation, message, hint string) error {
	all := make([]api.OpenRelation, len(found))
	var named []string
	for i, r := range found {
		all[i] = api.OpenRelation{ID: r.Number, Ref: r.Page.Ref(), Line: r.Line, ValidFrom: r.ValidFrom}
		named = append(named, fmt.Sprintf("id %d in line %d of %s", r.Number, r.Line, r.Page.Ref()))
	}
	return kb.Errorf(kb.Ambiguous, "%s: %s", message, strings.Join(named, ", ")).WithHint("%s", hint).With("relations", all)
}
