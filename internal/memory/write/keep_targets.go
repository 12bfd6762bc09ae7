package write

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// keepTargets rewrites links of the spaces of the set that would lead to another page, or
// to several, because a document of the set is new, renamed or gets another title or alias:
// they keep their target. What is copied or brought back leaves links as they are written,
// and notes them.
func (s *changeSet) keepTargets(ctx context.Context) error {
	named, copied := map[int64][]*target{}, map[int64][]*target{}
	for _, t := range s.docs {
		switch {
		case t.gone || t.renamed && s.restores() || t.exists() && !t.renamed && !t.headChanged() || !t.exists() && t.put == nil:
		case s.restores() || !t.exists() && t.put.Copied:
			copied[t.space.Row] = append(copied[t.space.Row], t)
		default:
			named[t.space.Row] = append(named[t.space.Row], t)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(copied)) {
		if err := s.noteTargets(ctx, copied[row]); err != nil {
			return err
		}
	}
	for _, row := range slices.Sorted(maps.Keys(named)) {
		if err := s.keepTargetsIn(ctx, named[row]); err != nil {
			return err
		}
	}
	return nil
}

// headBytes is where a document says its title and aliases, at most.
const headBytes = 64 << 10

// headChanged reports whether a document may get other names by its new text.
func (t *target) headChanged() bool {
	return !bytes.Equal(t.old[:min(len(t.old), headBytes)], t.new[:min(len(t.new), headBytes)])
}

// gaining is a follower of links to which documents of a space give more targets, with the
// document that gets a key.
func (s *changeSet) gaining(named []*target) (f *follower, by map[string]*target) {
	space := named[0].space
	f, by = &follower{w: s.w, renamed: map[int64]*renaming{}, gained: map[string][]link.Page{}, stored: map[storedLink]*renaming{}, ways: map[string]ways{}}, map[string]*target{}
	for i, t := range named {
		codec := doc.ForNote(s.w.Codecs, space.Syntax, t.to)
		d := codec.Parse(t.to, t.new)
		p := link.Page{Row: -1 - int64(i), Path: t.to, Title: d.Nodes[0].Title, Aliases: d.Nodes[0].Aliases, Refs: d.Nodes[0].Refs}
		p.Keys = link.Names(p)
		gained := p.Keys
		if t.exists() && !t.renamed {
			had := link.Names(linkPage(codec.Parse(t.path, t.old), t))
			gained = slices.DeleteFunc(slices.Clone(gained), func(key string) bool { return slices.Contains(had, key) })
		}
		for _, key := range gained {
			f.gained[key], by[key] = append(f.gained[key], p), t
		}
	}
	return f, by
}

// maxNotes bounds the links that a document with their name is noted with.
const maxNotes = 3

// noteTargets notes in documents of a space that are copied or brought back which links of
// others do not lead to their page alone any more.
func (s *changeSet) noteTargets(ctx context.Context, named []*target) error {
	space := named[0].space
	f, by := s.gaining(named)
	if len(f.gained) == 0 {
		return nil
	}
	var links []store.Candidate
	err := s.w.Memory.View(ctx, func(tx store.Tx) (err error) {
		keys := slices.Sorted(maps.Keys(f.gained))
		if f.pages, err = index.TargetsByKey(ctx, tx, space.Row, keys); err != nil {
			return err
		}
		if keys = slices.DeleteFunc(keys, func(key string) bool { return len(f.pages[key]) == 0 }); len(keys) > 0 {
			links, err = tx.Links().ByKeys(ctx, space.Row, link.KeysAbroad(space.Name, keys))
		}
		return err
	})
	if err != nil {
		return err
	}
	inSet := map[string]bool{}
	for _, t := range s.docs {
		inSet[t.path] = inSet[t.path] || t.space.Row == space.Row
	}
	for _, c := range links {
		ref, p, ok := f.within(space, c)
		if c.Candidates > 1 || !ok || c.Space == space.Row && inSet[c.FromPath] || inSet[p.Path] {
			continue
		}
		if err := s.noteLink(ctx, space, f, by, c, ref, p); err != nil {
			return err
		}
	}
	return nil
}

// within returns a link as it is within the space of its page, without the name of the space
// that it may have in front, and the page.
func (f *follower) within(space *Space, c store.Candidate) (ref link.Ref, p link.Page, ok bool) {
	find := func(ref link.Ref) bool {
		at := slices.IndexFunc(f.pages[link.Key(ref.Kind, ref.Name)], func(p link.Page) bool { return p.Row == c.To })
		if at >= 0 {
			p = f.pages[link.Key(ref.Kind, ref.Name)][at]
		}
		return at >= 0
	}
	ref = link.Ref{Kind: c.Kind, Name: c.Name, FromPath: c.FromPath, Rules: link.RulesOf(space.Syntax)}
	if c.To == 0 || c.Space == space.Row && find(ref) {
		return ref, p, c.To != 0
	}
	if _, ref, ok = link.CrossSpace(ref); ok {
		ok = find(ref)
	}
	return ref, p, ok
}

// noteLink notes that a link does not lead to its page alone after the set, if so.
func (s *changeSet) noteLink(ctx context.Context, space *Space, f *follower, by map[string]*target, c store.Candidate, ref link.Ref, p link.Page) error {
	t := by[link.Key(ref.Kind, ref.Name)]
	if t == nil || len(t.notes) >= maxNotes || f.after(ref) == c.To {
		return nil
	}
	from := c.FromPath
	if c.Space != space.Row {
		err := s.w.Memory.View(ctx, func(tx store.Tx) error {
			all, err := tx.Spaces().All(ctx)
			if i := slices.IndexFunc(all, func(o kb.Space) bool { return o.Row == c.Space }); i >= 0 {
				from = all[i].Name + ":" + from
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	t.noteElsewhere(c.Name, from, p.Path)
	return nil
}

// noteElsewhere notes that a link does not lead to its page alone any more.
func (t *target) noteElsewhere(name, from, to string) {
	note := fmt.Sprintf("the link [[%s]] in %s does not lead to %s alone any more", name, from, to)
	if !slices.Contains(t.notes, note) {
		t.notes = append(t.notes, note)
	}
}

// keepTargetsIn is keepTargets for the new and renamed documents of one space.
func (s *changeSet) keepTargetsIn(ctx context.Context, named []*target) error {
	space := named[0].space
	f, by := s.gaining(named)
	if len(f.gained) == 0 {
		return nil
	}
	var links []store.Candidate
	err := s.w.Memory.View(ctx, func(tx store.Tx) (err error) {
		keys := slices.Sorted(maps.Keys(f.gained))
		if f.pages, err = index.TargetsByKey(ctx, tx, space.Row, keys); err != nil {
			return err
		}
		for _, t := range s.docs {
			if !t.exists() || t.space.Row != space.Row || !t.gone && !t.renamed {
				continue
			}
			own, err := tx.Pages().ByPath(ctx, space.Row, t.path)
			if err != nil {
				return err
			}
			for _, p := range own {
				f.renamed[p.Row] = &renaming{target: t}
			}
		}
		keys = slices.DeleteFunc(keys, func(key string) bool {
			return !slices.ContainsFunc(f.pages[key], func(p link.Page) bool { return f.renamed[p.Row] == nil })
		})
		if len(keys) == 0 {
			return nil
		}
		s.alone = true
		links, err = tx.Links().ByKeys(ctx, space.Row, link.KeysAbroad(space.Name, keys))
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range links {
		ref, p, ok := f.within(space, c)
		switch {
		case !ok || c.Candidates > 1 || f.renamed[c.To] != nil:
		case c.Space != space.Row:
			if err := s.noteLink(ctx, space, f, by, c, ref, p); err != nil {
				return err
			}
		case ref.Name != c.Name && p.Node == "" && p.Path != "":
			f.stored[storedLink{c.FromPath, c.Name}] = &renaming{before: p, after: p}
		}
	}
	seen := map[string]bool{}
	for _, c := range links {
		if c.Space != space.Row || c.To == 0 || c.Candidates > 1 || f.renamed[c.To] != nil || seen[c.FromPath] {
			continue
		}
		seen[c.FromPath] = true
		o, err := s.linkingTo(ctx, space, c.FromPath)
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		if err := s.keepLinks(o, f, by); err != nil {
			return err
		}
	}
	return nil
}

// linkingTo returns the document at a path that the index knows, nil where its links are not
// to be changed.
func (s *changeSet) linkingTo(ctx context.Context, space *Space, path string) (*target, error) {
	i := slices.IndexFunc(s.docs, func(t *target) bool { return t.space.Row == space.Row && t.path == path })
	if i >= 0 {
		o := s.docs[i]
		if o.gone || !o.exists() {
			return nil, nil
		}
		return o, nil
	}
	o, err := s.target(ctx, space, path)
	if IsUnmerged(err) {
		return nil, nil
	}
	if err != nil || !o.exists() {
		return nil, err
	}
	return o, nil
}

// keepLinks rewrites the links of one document, or notes in the document that is new or
// renamed that they lead elsewhere now, where they cannot be changed.
func (s *changeSet) keepLinks(o *target, f *follower, by map[string]*target) error {
	codec := doc.ForNote(s.w.Codecs, o.space.Syntax, o.to)
	d := codec.Parse(o.to, o.new)
	var edit doc.Retarget
	allowed := o.renamed || o.space.Check(policy.Request{Actor: s.req.Actor, Operation: policy.OpEdit, Path: o.path}) == nil
	rules, syntax := link.RulesOf(o.space.Syntax), doc.SyntaxOf(o.space.Syntax)
	for i, t := range d.Targets() {
		if t.Kind == doc.OrgCite || t.Kind == doc.BlockRef || link.IsRelative(t, rules) || t.Local {
			continue // they are paths and ids
		}
		ref := link.Ref{Kind: string(t.Kind), Name: t.Name, FromPath: o.path, Rules: rules}
		key := link.Key(ref.Kind, ref.Name)
		row, _ := f.waysOf(key).before.Lead(ref)
		if stored := f.stored[storedLink{o.path, t.Name}]; row == 0 && stored != nil { // the name of this space is in front
			kept := f.withSpace(t, &renaming{target: o, before: stored.before, after: stored.after})
			switch _, page, _ := link.CrossSpace(ref); {
			case len(kept) == 0:
			case allowed:
				edit.Links, o.kept = append(edit.Links, kept...), append(o.kept, i)
			default:
				by[link.Key(page.Kind, page.Name)].noteElsewhere(t.Name, o.path, stored.before.Path)
			}
			continue
		}
		at := slices.IndexFunc(f.pages[key], func(p link.Page) bool { return p.Row == row && p.Node == "" && p.Path != "" })
		if at < 0 || f.renamed[row] != nil {
			continue
		}
		p := f.pages[key][at]
		r := &renaming{target: o, before: p, after: p}
		ref.FromPath = o.to
		if f.leadsTo(ref, r) {
			continue
		}
		if allowed {
			seen := syntax.Vault && link.IsSeen(t.Name, o.path, p.Path, syntax.NewLinks)
			if path := link.Slug(p.Path); t.Kind != doc.MarkLink && t.Kind != doc.SiteLink && strings.Contains(path, "/") && !seen {
				t.Name = path // of a path a path
			}
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: f.newName(t, ref, o.path, r)})
			o.kept = append(o.kept, i)
			continue
		}
		by[key].noteElsewhere(t.Name, o.path, p.Path)
	}
	return apply(codec, d, o, edit)
}
