package unsaved

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// Reader reads pages for one caller.
type Reader struct {
	Session *memory.Session
	// Open holds the texts of an editor by file, parsed by Parse.
	Open map[string]*Text
	// Parts is reused between checks.
	Parts *Parts
}

// File is a file of a space that may be a page.
type File struct {
	Name  string // absolute path
	Space kb.Space
	Path  string // within the space
}

// Text is the text of a document, in an editor or as indexed.
type Text struct {
	File
	Document *doc.Document
	Links    []Link // of all nodes, in order of node and position
}

// Link is a link of a text.
type Link struct {
	kb.Link            // To and Candidates are set in a text that is Resolved
	Target  doc.Target // source of the link
	Node    int        // of the document
	Page    *kb.Page   // its target; nil for none, and in a text that is not Resolved
}

// Find returns the place of a file in the innermost space that contains it. There
// is none for a file outside of all spaces, a hidden file, and a file that is
// neither Markdown nor Org.
func (r Reader) Find(ctx context.Context, name string) (f File, ok bool, err error) {
	c := doc.ForPath(r.Session.Codecs, filepath.Base(name))
	if c == nil || c.Format() != doc.Markdown && c.Format() != doc.Org {
		return f, false, nil
	}
	spaces, err := r.Session.Spaces.Directories(ctx)
	if err != nil {
		return f, false, err
	}
	names := []string{filepath.Clean(name)}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		names = append(names, filepath.Join(dir, filepath.Base(name)))
	}
	for _, s := range spaces {
		for _, at := range names {
			rel, err := filepath.Rel(s.Root, at)
			if err != nil || !filepath.IsLocal(rel) || len(s.Root) <= len(f.Space.Root) {
				continue
			}
			f = File{Name: filepath.Clean(name), Space: s, Path: filepath.ToSlash(rel)}
		}
	}
	hidden := func(part string) bool { return strings.HasPrefix(part, ".") }
	if f.Space.Row == 0 || slices.ContainsFunc(strings.Split(f.Path, "/"), hidden) {
		return File{}, false, nil
	}
	return f, true, nil
}

// Parse parses the text of a file, without resolving links.
func (r Reader) Parse(f File, text []byte) *Text {
	t := &Text{File: f, Document: doc.ForNote(r.Session.Codecs, f.Space.Syntax, f.Path).Parse(f.Path, text)}
	lines := doc.NewLines(t.Document.Text)
	for i := range t.Document.Nodes {
		targets := index.Targets(&t.Document.Nodes[i])
		t.Links = slices.Grow(t.Links, len(targets))
		for k, l := range index.Links(&t.Document.Nodes[i], lines) {
			t.Links = append(t.Links, Link{Link: l, Target: targets[k], Node: i})
		}
	}
	return t
}

// Resolved returns the text with its links resolved.
func (r Reader) Resolved(ctx context.Context, t *Text) (out *Text, err error) {
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		all, err := resolve(ctx, tx, []*Text{t})
		if err == nil {
			out = all[0]
		}
		return err
	})
	return out, err
}

// resolve returns texts of one space with their links resolved.
func resolve(ctx context.Context, tx store.Tx, texts []*Text) ([]*Text, error) {
	out := make([]*Text, len(texts))
	docs := make([]*store.Document, len(texts))
	for i, t := range texts {
		d := &store.Document{Path: t.Path, Pages: []store.PageRecord{{Links: make([]kb.Link, 0, len(t.Links))}}}
		for _, l := range t.Links {
			d.Pages[0].Links = append(d.Pages[0].Links, l.Link)
		}
		docs[i] = d
	}
	if len(texts) == 0 {
		return nil, nil
	}
	if err := index.Lead(ctx, tx, texts[0].Space, docs); err != nil {
		return nil, err
	}
	var rows []int64
	for _, d := range docs {
		for _, l := range d.Pages[0].Links {
			if l.To != 0 {
				rows = append(rows, l.To)
			}
		}
	}
	found, err := store.PagesByRow(ctx, tx, rows)
	pages := make(map[int64]*kb.Page, len(found)) // shared by the links: a text may have a million
	for row, p := range found {
		pages[row] = &p
	}
	for i, t := range texts {
		resolved := *t
		resolved.Links = slices.Clone(t.Links)
		for k, l := range docs[i].Pages[0].Links {
			resolved.Links[k].Link, resolved.Links[k].Page = l, pages[l.To]
		}
		out[i] = &resolved
	}
	return out, err
}

// Page returns the indexed page of a file's own text, or of the heading with an id
// in it; its Row is 0 if it is not indexed yet.
func (r Reader) Page(ctx context.Context, f File, node string) (kb.Page, error) {
	pages, err := r.Pages(ctx, f)
	return pages[node], err
}

// Pages returns the indexed pages of a file by node; the file's own text has the
// key "".
func (r Reader) Pages(ctx context.Context, f File) (out map[string]kb.Page, err error) {
	out = map[string]kb.Page{}
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, f.Space.Row, f.Path)
		for _, p := range pages {
			out[p.Node] = p
		}
		return err
	})
	return out, err
}

// Load returns the text of a page, open or indexed, and its node there.
func (r Reader) Load(ctx context.Context, p kb.Page) (t *Text, node int, err error) {
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := r.Session.Spaces.AllTx(ctx, tx)
		if err != nil {
			return err
		}
		t, err = r.load(ctx, tx, spaces, p)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if node, err = t.Document.NodeIndex(p.Node); err != nil {
		node = 0 // the id is not in the open text
	}
	return t, node, nil
}

// load returns the text of the document of a page.
func (r Reader) load(ctx context.Context, tx store.Tx, spaces []kb.Space, p kb.Page) (*Text, error) {
	i := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.ID == p.SpaceID })
	if i < 0 {
		return nil, kb.Errorf(kb.NotFound, "%s is in no space", p.Path)
	}
	f := File{Name: fileIn(spaces[i], p.Path), Space: spaces[i], Path: p.Path}
	if open := r.opened(f); open != nil {
		return open, nil
	}
	text, err := tx.History().Bytes(ctx, p.Hash)
	if err != nil {
		return nil, err
	}
	return r.Parse(f, text), nil
}

// fileIn returns the file at a path of a space, "" in a database.
func fileIn(s kb.Space, path string) string {
	if s.Root == "" {
		return ""
	}
	return filepath.Join(s.Root, filepath.FromSlash(path))
}

// opened returns the open text of a file, nil for none. The editor may use another
// path of the file.
func (r Reader) opened(f File) *Text {
	if t := r.Open[f.Name]; t != nil {
		return t
	}
	for _, t := range r.Open {
		if t.Space.ID == f.Space.ID && t.Path == f.Path {
			return t
		}
	}
	return nil
}
