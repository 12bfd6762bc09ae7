package write

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
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

// ids returns the ids that the changed documents have, request or may get,
// which other change sets may depend on.
func (s *changeSet) ids() []kb.ID {
	var out []kb.ID
	add := func(t *target, path string, text []byte) {
		out = append(out, kb.DerivedID(t.space.ID, path, "", 0))
		d := doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text)
		for i := range d.Nodes {
			if id, ok := kb.ParseID(d.Nodes[i].ID); ok {
				out = append(out, id)
			}
		}
	}
	for _, t := range s.docs {
		if !t.changed() {
			continue
		}
		if t.exists() {
			out = append(out, t.row.ID)
			add(t, t.path, t.old)
		}
		if !t.gone {
			add(t, t.to, t.new)
		}
	}
	return out
}

// spaces returns the spaces of the set, those of its changes first.
func (s *changeSet) spaces() []*Space { return append(spacesOf(s.req.Changes), s.linking...) }

// space returns a space of the set.
func (s *changeSet) space(row int64) *Space {
	return s.docs[slices.IndexFunc(s.docs, func(t *target) bool { return t.space.Row == row })].space
}

// journal describes the changes to files, and the changes to documents of
// database spaces that belong to them: database changes alone need no journal.
// Deletions come first, so that their paths are free.
func (s *changeSet) journal() *record {
	r := &record{
		Version: recordSidecars, Time: s.now, Actor: s.req.Actor,
		Operation: s.req.Operation, Message: s.req.Message, Undoes: s.req.Undoes,
	}
	for _, t := range s.docs {
		if t.textChanged() {
			r.Ops = append(r.Ops, t.op())
		}
		if o := t.sideOp(); o != nil {
			r.Ops = append(r.Ops, *o)
		}
	}
	if len(s.generated) > 0 {
		r.Version, r.Ops = recordCommits, append(r.Ops, s.generated...)
	}
	if !slices.ContainsFunc(r.Ops, func(o op) bool { return s.space(o.Space).Files != nil }) {
		r.Ops = nil
	}
	slices.SortStableFunc(r.Ops, func(a, b op) int { return cmp.Compare(rank(a), rank(b)) })
	return r
}

func rank(o op) int {
	switch {
	case o.Generated:
		return 3
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

// releaseOld drops the old bytes of large documents: their change is made, and indexing the
// new ones takes as much memory again.
func (c *call) releaseOld() {
	for _, t := range c.set.docs {
		if len(t.old) >= packAt && !t.gone && string(t.old) != string(t.new) {
			t.old, t.differs = nil, true
		}
	}
	for i := range c.rec.Ops {
		if o := &c.rec.Ops[i]; len(o.Old) >= packAt {
			o.Old = nil
		}
	}
}

// record updates the index with change sets that have their files in place, and
// clears their journal entries, in one transaction.
func (w *Writer) record(ctx context.Context, calls []*call) error {
	sets := make([]index.Set, len(calls))
	touched := make([][]*target, len(calls))
	for i, c := range calls {
		c.releaseOld()
		sets[i], touched[i] = w.indexed(c.set)
	}
	var (
		versions [][]kb.Version
		shared   []sharedIDs // of each call
	)
	err := w.Memory.Update(ctx, func(tx store.Tx) (err error) {
		var settled map[int64]bool
		if versions, settled, err = w.Index.CommitAll(ctx, tx, sets); err != nil {
			return err
		}
		shared = make([]sharedIDs, len(calls))
		for i := range calls {
			if shared[i], err = findShared(ctx, tx, sets[i].Groups, touched[i]); err != nil {
				return err
			}
		}
		for i, c := range calls {
			if err := c.set.noteCatalogs(ctx, tx, sets[i], versions[i], settled); err != nil {
				return err
			}
			if c.req.Within != nil {
				if err := c.req.Within(ctx, tx, versions[i]); err != nil {
					return err
				}
			}
			if c.entry == 0 {
				continue
			}
			if err := hold(ctx, tx, c.guarded, c.rec); err != nil {
				return err
			}
			if err := tx.Journal().Clear(ctx, c.entry); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && calls[0].entry != 0 {
		return kb.Errorf(kb.CodeOf(err), "the change is in the files, but the index could not be brought up to date: %w", err).
			WithHint("Nothing was lost: the next command finishes it from the journal.")
	}
	if err != nil {
		return err // rows only: nothing has happened
	}
	for i, c := range calls {
		c.res, c.err = &Result{Write: *sets[i].Write}, c.durable
		n := 0
		defer c.noteCommits()
		for _, g := range sets[i].Groups {
			for _, it := range g.Items {
				r := w.result(touched[i][n], it, versions[i][n].Version)
				r.Warnings = append(r.Warnings, shared[i].of(&r)...)
				c.res.Pages = append(c.res.Pages, r)
				n++
			}
		}
	}
	return nil
}

// indexed is a change set as the index takes it, with the documents in the
// order of its items.
func (w *Writer) indexed(s *changeSet) (index.Set, []*target) {
	var touched []*target
	set := index.Set{Write: &kb.Write{Time: s.now, Actor: s.req.Actor, Operation: s.req.Operation, Message: s.req.Message, Undoes: s.req.Undoes}}
	for _, space := range s.spaces() {
		var changed []*target
		for _, t := range s.docs {
			if t.space.Row == space.Row && t.changed() {
				changed = append(changed, t)
			}
		}
		g := index.Group{Space: space.Space, Items: make([]index.Item, len(changed))}
		_ = each(len(changed), func(i int) error {
			t := changed[i]
			g.Items[i] = w.item(t.space, t.row, t.to, w.found(t))
			return nil
		})
		set.Groups, touched = append(set.Groups, g), append(touched, changed...)
	}
	return set, touched
}

// found is a document as the change set leaves it.
func (w *Writer) found(t *target) Found {
	if t.gone {
		return Found{}
	}
	f := Found{Bytes: t.new, ModTime: w.modTime(t.space, t.to)}
	if t.side.new != nil {
		f.Side = index.Side{Bytes: t.side.new, ModTime: w.modTime(t.space, vault.SidecarPath(t.to))}
	}
	return f
}

// modTime returns the modification time that a file has now. A program
// that changed the file since then gives it a time near the time of indexing,
// which makes the next sync look at the bytes; so does a time that cannot be
// had.
func (w *Writer) modTime(space *Space, path string) time.Time {
	if space.Files == nil {
		return w.Now()
	}
	info, err := space.Files.Lstat(path)
	if err != nil {
		return unknownTime
	}
	return info.ModTime()
}

// unknownTime is not a modification time of any file, so that the next sync
// checks the file.
var unknownTime = time.Unix(0, 0)

// preview returns the result that a change set would have, or the present state
// when it would change nothing.
func (s *changeSet) preview(ctx context.Context) (*Result, error) {
	res := &Result{DryRun: s.req.DryRun}
	var groups []index.Group
	for _, t := range s.docs {
		version := 0
		if t.exists() {
			version = t.row.Version
		}
		found := Found{Bytes: t.new, ModTime: s.now, Side: index.Side{Bytes: t.side.new, ModTime: s.now}}
		if t.gone {
			found = Found{}
		}
		it := s.w.item(t.space, t.row, t.to, found)
		if !t.changed() {
			it.Change = ""
		}
		groups = append(groups, index.Group{Space: t.space.Space, Items: []index.Item{it}})
		res.Pages = append(res.Pages, s.w.result(t, it, version))
	}
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		shared, err := findShared(ctx, tx, groups, s.docs)
		for i := range res.Pages {
			r := &res.Pages[i]
			r.Warnings = append(r.Warnings, shared.of(r)...)
		}
		return err
	})
	return res, err
}

func (w *Writer) result(t *target, it index.Item, version int) PageResult {
	r := PageResult{Space: t.space.Name, Change: it.Change, Version: version, Old: t.old, New: t.new, OldSide: t.side.old, NewSide: t.side.new, Notes: t.notes}
	if it.Change == kb.Moved {
		r.From = t.path
	}
	d := it.Derived
	if d == nil {
		r.New = nil
		d = w.Derive(t.space, t.path, Found{Bytes: t.old, ModTime: t.row.ModTime})
		d.Record.ID = it.ID
	} else {
		r.Warnings = d.Document.Warnings
	}
	r.Page = d.Record.Pages[0].Page
	for _, p := range d.Record.Pages[0].Properties {
		if strings.EqualFold(p.Key, "status") {
			r.Status = p.Text
			break
		}
	}
	r.Page.Space, r.Page.SpaceID, r.Page.Path = t.space.Name, t.space.ID, t.to
	r.Page.Version, r.Page.Hash, r.Page.Side, r.Page.Size = version, d.Record.Hash, d.Record.Side.Hash, d.Record.Size
	if r.Page.ID == "" {
		r.Page.ID = d.Record.ID
	}
	if t.differs {
		r.Was = t.row.Hash
	}
	if t.exists() && r.Page.ID != t.row.ID {
		r.Notes = append(slices.Clip(r.Notes), "its id was "+string(t.row.ID))
	}
	return r
}
