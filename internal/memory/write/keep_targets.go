package write

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// keepTargets rewrites links of the spaces of the set that would lead to another page, or
// to several, because a document of the set is new or renamed: they keep their target.
// What is copied or brought back leaves links as they are written.
func (s *changeSet) keepTargets(ctx context.Context) error {
	if s.restores() {
		return nil
	}
	named := map[int64][]*target{}
	for _, t := range s.docs {
		if t.gone || t.exists() && !t.renamed || !t.exists() && (t.put == nil || t.put.Copied) {
			continue
		}
		named[t.space.Row] = append(named[t.space.Row], t)
	}
	for _, row := range slices.Sorted(maps.Keys(named)) {
		if err := s.keepTargetsIn(ctx, named[row]); err != nil {
			return err
		}
	}
	return nil
}

// keepTargetsIn is keepTargets for the new and renamed documents of one space.
func (s *changeSet) keepTargetsIn(ctx context.Context, named []*target) error {
	space := named[0].space
	f := follower{w: s.w, renamed: map[int64]*renaming{}, gained: map[string][]link.Page{}, ways: map[string]ways{}}
	by := map[string]*target{} // that has a key
	for i, t := range named {
		codec := doc.ForNote(s.w.Codecs, space.Syntax, t.to)
		d := codec.Parse(t.to, t.new)
		p := link.Page{Row: -1 - int64(i), Path: t.to, Title: d.Nodes[0].Title, Aliases: d.Nodes[0].Aliases, Refs: d.Nodes[0].Refs}
		p.Keys = link.Names(p)
		for _, key := range p.Keys {
			f.gained[key], by[key] = append(f.gained[key], p), t
		}
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
		links, err = tx.Links().ByKeys(ctx, space.Row, keys)
		return err
	})
	if err != nil {
		return err
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
		if err := s.keepLinks(o, &f, by); err != nil {
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
			if path := link.Slug(p.Path); t.Kind != doc.MarkLink && strings.Contains(path, "/") && !seen {
				t.Name = path // of a path a path
			}
			edit.Links = append(edit.Links, doc.RetargetOne{At: t.NameAt, Raw: f.newName(t, ref, o.path, r)})
			o.kept = append(o.kept, i)
			continue
		}
		note := fmt.Sprintf("the link [[%s]] in %s does not lead to %s alone any more", t.Name, o.path, p.Path)
		if n := by[key]; !slices.Contains(n.notes, note) {
			n.notes = append(n.notes, note)
		}
	}
	return apply(codec, d, o, edit)
}
