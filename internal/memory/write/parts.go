package write

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// followParts rewrites the links to headings and blocks that documents of the set have under
// another name now. Links that cannot be changed are noted in the document.
func (s *changeSet) followParts(ctx context.Context) error {
	if s.restores() {
		return nil
	}
	for _, t := range slices.Clone(s.docs) {
		if !t.exists() || t.gone || !t.textChanged() || bytes.Equal(outline(t.old), outline(t.new)) {
			continue
		}
		codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
		was, is := codec.Parse(t.path, t.old), codec.Parse(t.to, t.new)
		renamed := map[string]map[string]string{} // by node
		for i := range was.Nodes {
			node := ""
			if i > 0 {
				node = was.Nodes[i].ID
			}
			if j, err := is.NodeIndex(node); err == nil {
				if parts := doc.RenamedParts(was, &was.Nodes[i], is, &is.Nodes[j]); len(parts) > 0 {
					renamed[node] = parts
				}
			}
		}
		if len(renamed) > 0 {
			if err := s.followPartsOf(ctx, t, was, is, renamed); err != nil {
				return err
			}
		}
	}
	return nil
}

// outline returns the lines of a text that may be headings or end in the id of a block.
func outline(text []byte) []byte {
	var out, before []byte
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) == 0:
		case trimmed[0] == '#' || trimmed[0] == '*' || bytes.IndexByte(trimmed, '^') >= 0:
			out = append(out, line...)
		case len(bytes.Trim(trimmed, "=")) == 0 || len(bytes.Trim(trimmed, "-")) == 0: // underlines a heading
			out = append(out, before...)
		}
		before = line
	}
	return out
}

// namedPart is a link as the index has it.
type namedPart struct{ name, heading string }

func (s *changeSet) followPartsOf(ctx context.Context, t *target, was, is *doc.Document, renamed map[string]map[string]string) error {
	var paths []string
	links := map[string]map[namedPart]map[string]string{} // renamed parts by path and link
	err := s.w.Memory.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, t.space.Row, t.path)
		if err != nil {
			return err
		}
		for _, p := range pages {
			parts := renamed[p.Node]
			if parts == nil {
				continue
			}
			i, err := was.NodeIndex(p.Node)
			if err != nil {
				continue
			}
			j, err := is.NodeIndex(p.Node)
			if err != nil {
				continue
			}
			ends, err := tx.Links().To(ctx, p.Row)
			if err != nil {
				return err
			}
			for _, l := range ends {
				heading, block := l.Anchor()
				if l.Heading == "" || l.Page.SpaceID != t.space.ID || !was.HasPart(&was.Nodes[i], heading, block) || is.HasPart(&is.Nodes[j], heading, block) {
					continue
				}
				if links[l.Page.Path] == nil {
					links[l.Page.Path] = map[namedPart]map[string]string{}
					paths = append(paths, l.Page.Path)
				}
				links[l.Page.Path][namedPart{l.Name, l.Heading}] = parts
			}
		}
		return nil
	})
	if err != nil || len(paths) == 0 {
		return err
	}
	s.alone = true
	slices.Sort(paths)
	for _, path := range paths {
		o, err := s.linkingTo(ctx, t.space, path)
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		codec := doc.ForNote(s.w.Codecs, o.space.Syntax, o.to)
		d := codec.Parse(o.to, o.new)
		var edit doc.RetargetParts
		seen := map[doc.Span]bool{}
		for _, x := range d.Targets() {
			anchor := x.Heading
			if x.Block != "" {
				anchor += "^" + x.Block
			}
			parts := links[path][namedPart{x.Name, anchor}]
			if parts == nil {
				continue
			}
			if at, raw, ok := d.RenamedPart(x, parts); ok && !seen[at] {
				seen[at] = true
				edit.Links = append(edit.Links, doc.RetargetOne{At: at, Raw: raw})
			}
		}
		if len(edit.Links) == 0 {
			continue
		}
		if o != t && o.space.Check(policy.Request{Actor: s.req.Actor, Operation: policy.OpEdit, Path: o.path}) != nil {
			t.notes = append(t.notes, fmt.Sprintf("links in %s lead to a heading or block that was renamed", o.path))
			continue
		}
		text, err := codec.Apply(d, "", edit)
		if err != nil {
			t.notes = append(t.notes, fmt.Sprintf("links in %s lead to a heading or block that was renamed", o.path))
			continue
		}
		o.new = text
	}
	return nil
}
