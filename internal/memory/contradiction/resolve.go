package contradiction

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// ResolveRequest chooses the side of a contradiction to keep.
type ResolveRequest struct {
	api.WriteOptions
	ID    string
	Keep  string // "a" or "b", or the ref of the page that states it
	Until string // ISO date until which the other side held; "" to derive it from the sides
}

// PlanResolve returns the edits that end the statements of the rejected side of a
// contradiction; see lifecycle.Rules.Settle.
func PlanResolve(ctx context.Context, sess *memory.Session, req ResolveRequest) (edits []Edits, err error) {
	keep := strings.ToLower(strings.TrimSpace(req.Keep))
	var keeps kb.Page
	if keep != "a" && keep != "b" {
		if keep == "" {
			return nil, kb.Errorf(kb.Usage, "a contradiction has the sides a and b: say which of them is kept")
		}
		if keeps, err = freshness.Page(ctx, sess, req.Keep); err != nil {
			return nil, err
		}
	}
	var about, loses kb.Page // the subject of both sides, and the page with the rejected side
	plan := func(page *kb.Page) error {
		return sess.DB.View(ctx, func(tx store.Tx) error {
			x, err := find(ctx, sess, tx, page, req.ID)
			if err != nil {
				return err
			}
			if keeps.Row != 0 {
				if keep, err = sideOf(x.Finding, keeps); err != nil {
					return err
				}
			}
			lost := x.A
			if keep == "a" {
				lost = x.B
			}
			loses = x.in.pages[lost.Page]
			var named bool
			if about, named = x.in.pages[lost.Subject]; !named {
				about = loses
			}
			changes, err := x.in.rules.Settle(x.Finding, keep == "b", req.Until, x.in.facts)
			if err == nil {
				edits, err = planEdits(ctx, sess, x.in, changes)
			}
			return err
		})
	}
	if err := plan(nil); err != nil {
		return nil, err
	}
	// The findings are from the index; the files may have changed since.
	fresh, err := freshness.Page(ctx, sess, about.Ref())
	if err != nil {
		return nil, err
	}
	for _, p := range edits {
		if _, err := freshness.Page(ctx, sess, p.Page); err != nil {
			return nil, err
		}
	}
	if err := plan(&fresh); err != nil {
		return nil, err
	}
	for i := range edits {
		if req.Expected != nil && edits[i].Page == loses.Ref() {
			edits[i].Expected = req.Expected
		}
	}
	return edits, nil
}

// sideOf returns the side of a contradiction that a page states.
func sideOf(x lifecycle.Finding, p kb.Page) (string, error) {
	switch {
	case x.A.Page == p.Row && x.B.Page != p.Row:
		return "a", nil
	case x.B.Page == p.Row && x.A.Page != p.Row:
		return "b", nil
	case x.A.Page == p.Row:
		return "", kb.Errorf(kb.Usage, "%s states both sides: say whether a or b is kept", p.Ref())
	}
	return "", kb.Errorf(kb.Usage, "%s states neither side of it", p.Ref())
}

// planEdits returns, page by page, the edits that apply changes of statements.
func planEdits(ctx context.Context, sess *memory.Session, f *found, changes []lifecycle.Change) (out []Edits, err error) {
	var rows []int64
	for _, c := range changes {
		rows = append(rows, c.Page)
	}
	if err := f.load(ctx, rows); err != nil {
		return nil, err
	}
	for len(changes) > 0 {
		p := f.pages[changes[0].Page]
		n := slices.IndexFunc(changes, func(c lifecycle.Change) bool { return c.Page != p.Row })
		if n < 0 {
			n = len(changes)
		}
		of := Edits{Page: p.Ref(), Expected: &p.Version}
		if of.Document, err = inDocument(ctx, sess, f, p, changes[:n]); err != nil {
			return nil, err
		}
		if of.Sidecar, err = sidecarEdits(ctx, f, p, changes[:n]); err != nil {
			return nil, err
		}
		out, changes = append(out, of), changes[n:]
	}
	return out, nil
}

// inDocument returns the edits of a page that apply changes of its statements: from
// the last line to the first, so that line numbers stay valid, then its metadata. A
// removed metadata value is kept as an ended relation, unless there is one.
func inDocument(ctx context.Context, sess *memory.Session, f *found, p kb.Page, changes []lifecycle.Change) (out []doc.Edit, err error) {
	said := slices.ContainsFunc(changes, func(c lifecycle.Change) bool {
		return c.Source == lifecycle.Relation || slices.ContainsFunc(f.facts, func(x lifecycle.Fact) bool {
			return x.Source == lifecycle.Relation && x.Page == p.Row && x.States(c.Fact) && x.Until == c.Is.Until
		})
	})
	for _, c := range slices.Backward(changes) {
		is := c.AsWritten()
		switch {
		case c.Source == lifecycle.Property:
			edit, err := without(ctx, sess, f, p, c.Fact)
			if err != nil {
				return nil, err
			}
			if out = append(out, edit); !said {
				said = true
				out = append(out, doc.AddRelation{Type: is.Predicate, Target: is.Object, Until: c.Is.Until})
			}
		case c.Source != lifecycle.Relation:
		case c.Gone:
			out = append(out, doc.RemoveRelation{Type: is.Predicate, Target: is.Object, Line: c.Line})
		default:
			out = append(out, doc.SetInterval{Type: is.Predicate, Target: is.Object, Line: c.Line, Was: c.Interval, Is: c.Is})
		}
	}
	return out, nil
}

// sidecarEdits returns the edits that end assertions in the sidecar of a page.
func sidecarEdits(ctx context.Context, f *found, p kb.Page, changes []lifecycle.Change) (out []sidecar.Edit, err error) {
	if !slices.ContainsFunc(changes, func(c lifecycle.Change) bool { return c.Source == lifecycle.Asserted }) {
		return nil, nil
	}
	all, err := f.tx.Assertions().List(ctx, store.AssertionFilter{Pages: []int64{p.Row}})
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		for _, a := range all {
			if c.Source == lifecycle.Asserted && link.AssertionNumber(p.ID, a.Claim(), a.Nth) == c.Number {
				out = append(out, sidecar.EndAssertion{Claim: a.Claim(), Nth: a.Nth, Was: a.ValidUntil, Until: c.Is.Until})
			}
		}
	}
	return out, nil
}

// without returns the edit that removes an object from the metadata.
func without(ctx context.Context, sess *memory.Session, f *found, p kb.Page, x lifecycle.Fact) (doc.Edit, error) {
	text, err := f.tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return nil, err
	}
	d := doc.ForNote(sess.Codecs, f.space.Syntax, p.Path).Parse(p.Path, text)
	node, err := d.NodeIndex(p.Node)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Nodes[node].Metadata {
		if doc.PropertyKey(m.Key) != x.Said || m.Opaque {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(m.Values), func(v string) bool { return link.Named(v).Name == x.AsWritten().Object })
		switch {
		case len(rest) == len(m.Values):
			continue
		case len(rest) == 0:
			return doc.RemoveProperty{Key: m.Key}, nil
		}
		return doc.SetList{Key: m.Key, Values: rest}, nil
	}
	return nil, kb.Errorf(kb.Usage, "the key %s is written in a way that is not edited here", x.Said).
		WithHint("Edit it in %s, or keep the other side.", p.Ref())
}
