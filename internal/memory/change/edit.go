package change

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Edit changes spans of a page, or of a part of it, selected by raw; op is the
// operation in the history. Everything else stays byte for byte.
func Edit(ctx context.Context, sess *memory.Session, op string, opts api.WriteOptions, raw string, edits ...doc.Edit) (api.Written, error) {
	if len(edits) == 0 {
		return api.Written{}, nothingToEdit()
	}
	named, space, err := Writable(ctx, sess, raw)
	if err != nil {
		return api.Written{}, err
	}
	page := named.Page
	edits = slices.Clone(edits)
	for i, edit := range edits {
		if edits[i], err = doc.Within(named.Part, edit); err != nil {
			return api.Written{}, err
		}
	}
	return Apply(ctx, sess, op, opts, []write.Change{{
		Space: space, Path: page.Path, Of: write.OfPage(page), Size: page.Size, Expected: opts.Expected, Action: write.Edit{Node: page.Node, Edits: edits},
	}})
}

// EditPages changes spans of several pages and their sidecars in one write.
func EditPages(ctx context.Context, sess *memory.Session, op string, opts api.WriteOptions, pages []contradiction.Edits) (api.Written, error) {
	var changes []write.Change
	for _, p := range pages {
		named, space, err := Writable(ctx, sess, p.Page)
		if err != nil {
			return api.Written{}, err
		}
		c := write.Change{Space: space, Path: named.Page.Path, Of: write.OfPage(named.Page), Size: named.Page.Size, Expected: p.Expected}
		if len(p.Document) > 0 {
			c.Action = write.Edit{Node: named.Page.Node, Edits: p.Document}
			changes = append(changes, c)
		}
		if len(p.Sidecar) > 0 {
			c.Action = write.EditSide{Edits: p.Sidecar}
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return api.Written{}, nothingToEdit()
	}
	return Apply(ctx, sess, op, opts, changes)
}

func nothingToEdit() error {
	return kb.Errorf(kb.Usage, "there is nothing to edit").WithReason(kb.NothingToEdit)
}

// Writable resolves a ref to a page, or a part of one, and its open space.
func Writable(ctx context.Context, sess *memory.Session, raw string) (named ref.Named, s *write.Space, err error) {
	named, home, err := freshness.FindToChange(ctx, sess, raw)
	if err != nil {
		return named, nil, err
	}
	s, err = sess.Spaces.OpenSpace(ctx, home)
	return named, s, err
}

// EditTextRequest replaces the text of a page, or of a part of it, with the text
// from an editor.
type EditTextRequest struct {
	api.WriteOptions
	Ref  string
	Part string // heading or "^block" of Text, "" for the whole page
	Text []byte // UTF-8; stored in the document's encoding
}

// EditText stores the whole text of an existing page, or of a part of it.
func EditText(ctx context.Context, sess *memory.Session, req EditTextRequest) (api.Written, error) {
	named, space, err := Writable(ctx, sess, req.Ref)
	page := named.Page
	if err == nil && page.Node != "" {
		err = PartOf(page)
	}
	if err != nil {
		return api.Written{}, err
	}
	var old []byte
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		old, err = tx.History().Bytes(ctx, page.Hash)
		return err
	})
	if err != nil {
		return api.Written{}, err
	}
	text := req.Text
	d := doc.ForNote(sess.Codecs, page.Syntax, page.Path).Parse(page.Path, old)
	if part := cmp.Or(req.Part, named.Part); part != "" {
		span, err := d.Part(&d.Nodes[0], part)
		if err != nil {
			return api.Written{}, err
		}
		text = d.Instead(span, text)
	}
	if d.Encoding != doc.Opaque {
		if text, err = doc.Encode(text, d.Encoding); err != nil {
			return api.Written{}, err
		}
	}
	return Apply(ctx, sess, "edit", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Put{Bytes: text, Overwrite: true},
	}})
}

// Resolve ends the statements of the rejected side of a contradiction in their
// documents. Until may be a date phrase.
func Resolve(ctx context.Context, sess *memory.Session, req contradiction.ResolveRequest) (out api.Written, err error) {
	if req.Until, err = Date(req.Until, sess.Now()); err != nil {
		return out, err
	}
	edits, err := contradiction.PlanResolve(ctx, sess, req)
	if err != nil {
		return out, err
	}
	return EditPages(ctx, sess, "resolve", req.WriteOptions, edits)
}
