package write

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// linking returns the other spaces with links to pages that changes may rename,
// open. One that cannot be opened, such as a directory on a disk that is away, is
// left out: its links wait for the page as they would if another program had moved
// it.
func (w *Writer) linking(ctx context.Context, changes []Change) (out []*Space, err error) {
	if w.open == nil {
		return nil, nil
	}
	own := spacesOf(changes)
	found := map[int64]bool{}
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil || len(all) < 2 {
			return err
		}
		for _, c := range changes {
			if !MayRename(c.Action) {
				continue
			}
			pages, err := tx.Pages().ByPath(ctx, c.Space.Row, c.Path)
			if err != nil {
				return err
			}
			for _, p := range pages {
				rows, err := tx.Links().SpacesTo(ctx, p.Row)
				if err != nil {
					return err
				}
				for _, row := range rows {
					if !slices.ContainsFunc(own, func(o *Space) bool { return o.Row == row }) {
						found[row] = true
					}
				}
			}
		}
		return nil
	})
	for row := range found {
		if s, err := w.open(ctx, row); err == nil && Here(s.Space) == nil {
			out = append(out, s)
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, err
}

// touchesOtherSpaces is the error of a call with relations that affect pages of spaces
// that it has not locked; it has their ids.
type touchesOtherSpaces struct{ spaces []kb.ID }

func (touchesOtherSpaces) Error() string { return "relations act on pages of other spaces" }

// openActedOn opens the spaces on which the relations of a call act. One that cannot be
// opened is left out: they act there at the next pass.
func (w *Writer) openActedOn(c *call, ids []kb.ID) error {
	c.again = true
	var rows []int64
	err := w.Memory.View(c.ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(c.ctx)
		for _, s := range all {
			if slices.Contains(ids, s.ID) {
				rows = append(rows, s.Row)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if s, err := w.open(c.ctx, row); err == nil && Here(s.Space) == nil {
			c.actedOn = append(c.actedOn, s)
		} else if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
	}
	return nil
}

// MayRename reports whether an action may give a page another path or title, which
// links follow.
func MayRename(a Action) bool {
	switch a := a.(type) {
	case Move:
		return !a.KeepLinks
	case Edit:
		return renames(a.Edits)
	}
	return false
}

// followCrossSpace updates links of other spaces that would no longer resolve to
// renamed documents.
func (s *changeSet) followCrossSpace(ctx context.Context, links []store.Candidate, f *follower) error {
	type document struct {
		space int64
		path  string
	}
	var order []document
	names := map[document]map[string]*renaming{} // by the name in the link
	for _, c := range links {
		at := document{c.Space, c.FromPath}
		if names[at] == nil {
			names[at] = map[string]*renaming{}
			order = append(order, at)
		}
		names[at][c.Name] = f.renamed[c.To]
	}
	for _, at := range order {
		i := slices.IndexFunc(s.linking, func(o *Space) bool { return o.Row == at.space })
		if i < 0 {
			continue
		}
		o, err := s.target(ctx, s.linking[i], at.path)
		if IsUnmerged(err) {
			continue
		}
		if err != nil {
			return err
		}
		if o.gone || !o.exists() {
			continue
		}
		if err := s.followNames(o, names[at], f); err != nil {
			return err
		}
	}
	return nil
}

// followNames updates the links with these names in one document of another
// space.
func (s *changeSet) followNames(o *target, names map[string]*renaming, f *follower) error {
	codec := doc.ForNote(s.w.Codecs, o.space.Syntax, o.to)
	d := codec.Parse(o.to, o.new)
	var edit doc.Retarget
	for _, t := range d.Targets() {
		if r := names[t.Name]; r != nil {
			edit.Links = append(edit.Links, f.withSpace(t, r)...)
		}
	}
	return s.retarget(codec, d, o, edit)
}

// withSpace returns the new target of a link that has the name of a space in front, which stays;
// none if the link leads to the renamed page as it is.
func (f *follower) withSpace(t doc.Target, r *renaming) []doc.RetargetOne {
	_, page, ok := link.CrossSpace(link.Ref{Kind: string(t.Kind), Name: t.Name})
	if !ok || f.leadsTo(page, r) && (!means(page, r.before) || means(page, r.after)) {
		return nil
	}
	in := strings.TrimSuffix(t.Name, page.Name) // as written, with the separator from the page
	t.Name = page.Name
	return []doc.RetargetOne{{At: t.NameAt, Raw: in + f.newName(t, page, page.FromPath, r)}}
}
