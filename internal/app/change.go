package app

import (
	"context"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

func partOf(p kb.Page) error {
	return kb.Errorf(kb.Usage, "%s is a heading within %s", p.Ref(), p.Path).
		WithHint("Edit it, or name the file for what concerns the whole of it.")
}

// EditRequest changes spans of a page.
type EditRequest struct {
	WriteOptions
	Ref   string
	Edits []doc.Edit
}

// Edit changes spans of a page; everything else stays byte for byte.
func (a *App) Edit(ctx context.Context, req EditRequest) (Written, error) {
	return a.edit(ctx, "edit", req.WriteOptions, req.Ref, req.Edits...)
}

func (a *App) edit(ctx context.Context, op string, opts WriteOptions, raw string, edits ...doc.Edit) (Written, error) {
	if len(edits) == 0 {
		return Written{}, kb.Errorf(kb.Usage, "there is nothing to edit").WithReason(kb.NothingToEdit)
	}
	page, space, err := a.writable(ctx, raw)
	if err != nil {
		return Written{}, err
	}
	of := page.ID
	if page.Node != "" {
		of = "" // a heading, whose id is in the text itself
	}
	return a.apply(ctx, op, opts, []write.Change{{
		Space: space, Path: page.Path, Of: of, Expected: opts.Expected, Action: write.Edit{Node: page.Node, Edits: edits},
	}})
}

// writable resolves a ref to a page and its open space.
func (a *App) writable(ctx context.Context, raw string) (p kb.Page, s *write.Space, err error) {
	p, home, err := a.fresh.Find(ctx, raw, a.refs.ResolveToChange)
	if err != nil {
		return p, nil, err
	}
	s, err = a.spaces.OpenSpace(ctx, home)
	return p, s, err
}

// writableDocument is writable for what concerns a document as a whole.
func (a *App) writableDocument(ctx context.Context, raw string) (p kb.Page, s *write.Space, err error) {
	if p, s, err = a.writable(ctx, raw); err == nil && p.Node != "" {
		err = partOf(p)
	}
	return p, s, err
}

// EditTextRequest replaces the text of a page by what an editor made of it.
type EditTextRequest struct {
	WriteOptions
	Ref  string
	Text []byte // UTF-8; stored in the document's encoding
}

// EditText stores the whole text of an existing page.
func (a *App) EditText(ctx context.Context, req EditTextRequest) (Written, error) {
	page, space, err := a.writableDocument(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	var old []byte
	err = a.db.View(ctx, func(tx store.Tx) error {
		old, err = tx.History().Bytes(ctx, page.Hash)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	_, enc := doc.Decode(old)
	text := req.Text
	if enc != doc.Opaque {
		if text, err = doc.Encode(req.Text, enc); err != nil {
			return Written{}, err
		}
	}
	return a.apply(ctx, "edit", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Put{Bytes: text, Overwrite: true},
	}})
}

// MoveRequest gives a page another path.
type MoveRequest struct {
	WriteOptions
	Ref, To   string // To is a slug or path; one that ends in "/" keeps the file name
	KeepLinks bool   // leave links to the page as they are
}

// Move gives a page another path and keeps the links to it working.
func (a *App) Move(ctx context.Context, req MoveRequest) (Written, error) {
	page, space, err := a.writableDocument(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	var to string
	err = a.db.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		if to, err = within(space, all, req.To); err != nil {
			return err
		}
		if strings.HasSuffix(to, "/") {
			to += path.Base(page.Path)
		}
		if doc.ForPath(a.codecs, to) == nil {
			to += path.Ext(page.Path)
		}
		to = path.Clean(to)
		bear, err := ref.ByName(ctx, tx, link.Slug(to), space.Space)
		if err != nil {
			return err
		}
		return ref.SlugIsFree(bear, to, page.Path)
	})
	if err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "mv", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Move{To: to, KeepLinks: req.KeepLinks},
	}})
}

// within returns what a name says within a space, which it may name, but no
// other of all: pages do not move.
func within(home *write.Space, all []kb.Space, raw string) (string, error) {
	for _, s := range all {
		rest, ok := strings.CutPrefix(raw, s.Name+":")
		switch {
		case ok && s.ID == home.ID:
			return rest, nil
		case ok:
			return "", kb.Errorf(kb.Usage, "pages do not move between spaces").
				WithHint("Write it anew as %s, then remove it in %s.", raw, home.Name)
		}
	}
	if strange, ok := ref.UnknownSpace(raw); ok {
		return "", space.NoSuch(strange, all)
	}
	return raw, nil
}

// DeleteRequest removes a page.
type DeleteRequest struct {
	WriteOptions
	Ref string
}

// Delete removes a page; its history stays, and restore brings it back.
func (a *App) Delete(ctx context.Context, req DeleteRequest) (Written, error) {
	page, space, err := a.writableDocument(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "rm", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Delete{},
	}})
}
