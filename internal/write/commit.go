package write

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

func spacesOf(changes []Change) []*Space {
	var out []*Space
	for _, c := range changes {
		if !slices.ContainsFunc(out, func(s *Space) bool { return s.Row == c.Space.Row }) {
			out = append(out, c.Space)
		}
	}
	return inOrder(out)
}

// inOrder sorts spaces as they are locked.
func inOrder(spaces []*Space) []*Space {
	slices.SortFunc(spaces, func(a, b *Space) int { return cmp.Compare(a.ID, b.ID) })
	return spaces
}

func (s *changeSet) changed() bool { return slices.ContainsFunc(s.docs, (*target).changed) }

// space returns a space of the set.
func (s *changeSet) space(row int64) *Space {
	return s.docs[slices.IndexFunc(s.docs, func(t *target) bool { return t.space.Row == row })].space
}

// journal describes what happens to files, and what happens together with it
// to documents of database spaces: those alone need none. Deletions come
// first, so that their paths are free.
func (s *changeSet) journal() *record {
	r := &record{
		Version: recordVersion, Time: s.now, Actor: s.req.Actor,
		Operation: s.req.Operation, Message: s.req.Message, Undoes: s.req.Undoes,
	}
	for _, t := range s.docs {
		if t.changed() {
			r.Ops = append(r.Ops, t.op())
		}
	}
	if !slices.ContainsFunc(r.Ops, func(o op) bool { return s.space(o.Space).Files != nil }) {
		r.Ops = nil
	}
	slices.SortStableFunc(r.Ops, func(a, b op) int { return cmp.Compare(rank(a), rank(b)) })
	return r
}

func rank(o op) int {
	switch {
	case o.New == nil:
		return 0
	case o.From != "":
		return 1
	}
	return 2
}

func (t *target) op() op {
	o := op{Space: t.space.Row, Path: t.to, Old: t.old, New: t.new}
	if t.gone {
		o.Path, o.New = t.path, nil
	}
	if !t.exists() {
		o.Old = nil
	}
	if t.exists() && !t.gone && t.to != t.path {
		o.From = t.path
	}
	return o
}

// record brings the index up to date with a change set whose files are in
// place, and clears its journal entry, in one transaction.
func (w *Writer) record(ctx context.Context, s *changeSet, entry int64) (*Result, error) {
	wr := kb.Write{Time: s.now, Actor: s.req.Actor, Operation: s.req.Operation, Message: s.req.Message, Undoes: s.req.Undoes}
	var (
		touched []*target
		groups  []index.Group
	)
	for _, space := range spacesOf(s.req.Changes) {
		g := index.Group{Space: space.Space}
		for _, t := range s.docs {
			if t.space.Row != space.Row || !t.changed() {
				continue
			}
			g.Items = append(g.Items, w.item(t.space, t.row, t.op(), w.modTime(t)))
			touched = append(touched, t)
		}
		groups = append(groups, g)
	}
	var versions []kb.Version
	err := w.Memory.Update(ctx, func(tx store.Tx) error {
		var err error
		if versions, err = w.Index.Commit(ctx, tx, &wr, groups); err != nil {
			return err
		}
		if entry == 0 {
			return nil
		}
		return tx.Journal().Clear(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	res := &Result{Write: wr}
	items := slices.Concat(itemsOf(groups)...)
	for i, t := range touched {
		res.Pages = append(res.Pages, t.result(items[i], versions[i].Version))
	}
	return res, nil
}

func itemsOf(groups []index.Group) [][]index.Item {
	out := make([][]index.Item, len(groups))
	for i, g := range groups {
		out[i] = g.Items
	}
	return out
}

// modTime returns the modification time that the document has now. A program
// that changed the file since then gives it a time near the time of indexing,
// which makes the next sync look at the bytes; so does a time that cannot be
// had.
func (w *Writer) modTime(t *target) time.Time {
	if t.space.Files == nil || t.gone {
		return w.Now()
	}
	info, err := t.space.Files.Lstat(t.to)
	if err != nil {
		return unknownTime
	}
	return info.ModTime()
}

// unknownTime is no file's modification time, so that the next sync looks at
// the file.
var unknownTime = time.Unix(0, 0)

// preview is what a change set would do, or the present state when it would
// do nothing.
func (s *changeSet) preview() (*Result, error) {
	res := &Result{DryRun: s.req.DryRun}
	for _, t := range s.docs {
		version := 0
		if t.exists() {
			version = t.row.Version
		}
		it := s.w.item(t.space, t.row, t.op(), s.now)
		if !t.changed() {
			it.Change = ""
		}
		res.Pages = append(res.Pages, t.result(it, version))
	}
	return res, nil
}

func (t *target) result(it index.Item, version int) PageResult {
	r := PageResult{Space: t.space.Name, Change: it.Change, Version: version, Old: t.old, New: t.new}
	if it.Change == kb.Moved {
		r.From = t.path
	}
	if it.Derived == nil {
		r.New = nil
		r.Page = kb.Page{ID: it.ID, Space: t.space.Name, SpaceID: t.space.ID, Path: t.path, Slug: link.Slug(t.path), Title: doc.TitleFromPath(t.path), Version: version}
		return r
	}
	r.Page = it.Derived.Record.Pages[0].Page
	r.Page.Space, r.Page.SpaceID, r.Page.Path = t.space.Name, t.space.ID, t.to
	r.Page.Version, r.Page.Hash, r.Page.Size = version, it.Derived.Record.Hash, it.Derived.Record.Size
	if r.Page.ID == "" {
		r.Page.ID = it.Derived.Record.ID
	}
	r.Warnings = it.Derived.Document.Warnings
	return r
}
