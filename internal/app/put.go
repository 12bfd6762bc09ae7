package app

import (
	"bytes"
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// PutRequest stores a whole page.
type PutRequest struct {
	WriteOptions
	Ref         string // where: an existing page's ref, or a slug or path for a new one; "" to make one from Title
	Title, Type string
	Tags        []string
	Text        []byte
	Overwrite   bool // replace an existing page without an expected version
}

// Put stores a whole page. The text goes in as it is; title, type and tags,
// where given, are set in its metadata.
func (a *App) Put(ctx context.Context, req PutRequest) (Written, error) {
	if err := a.notText(ctx, req); err != nil {
		return Written{}, err
	}
	space, p, err := a.place(ctx, req.Ref, req.Title, req.DryRun)
	if err != nil {
		return Written{}, err
	}
	bytes, err := compose(a.codecs, space, p, req)
	if err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "put", req.WriteOptions, []write.Change{{
		Space: space, Path: p, Expected: req.Expected, Action: write.Put{Bytes: bytes, Overwrite: req.Overwrite, KeepID: true, Declare: true},
	}})
}

// ReadsAsText reports whether a ref is rather a text; see ref.ReadsAsText.
func ReadsAsText(raw string) bool { return ref.ReadsAsText(raw) }

// notText refuses to make an empty page named after the text that was meant for
// it.
func (a *App) notText(ctx context.Context, req PutRequest) error {
	if len(bytes.TrimSpace(req.Text)) > 0 || !ref.ReadsAsText(req.Ref) {
		return nil
	}
	_, _, err := a.fresh.find(ctx, req.Ref, a.refs.ResolveToChange)
	if kb.CodeOf(err) != kb.NotFound && kb.CodeOf(err) != kb.Usage {
		return nil
	}
	return kb.Errorf(kb.Usage, "%q reads as the text of a page, and stands where the page is named; there is no text", req.Ref).
		WithHint("Give it as the text, and name the page by a slug such as ideas/cairn, or by a title.")
}

// compose puts the metadata that was asked for into the text.
func compose(codecs []doc.Codec, space *write.Space, p string, req PutRequest) ([]byte, error) {
	if req.Title == "" && req.Type == "" && len(req.Tags) == 0 {
		return req.Text, nil
	}
	codec := doc.ForPath(codecs, p)
	if codec == nil {
		return req.Text, nil // refused by the write path, with its reason
	}
	d := codec.Parse(p, req.Text)
	if d.Nodes[0].Head.Len() == 0 {
		kind := req.Type
		if kind == "" {
			kind = space.Policy.Type
		}
		return codec.New(doc.NewPage{Title: req.Title, Type: kind, Tags: req.Tags, Body: string(d.Text)})
	}
	var edits []doc.Edit
	if req.Title != "" {
		edits = append(edits, doc.SetTitle{Title: req.Title})
	}
	if req.Type != "" {
		edits = append(edits, doc.SetProperty{Key: "type", Value: req.Type})
	}
	for _, t := range req.Tags {
		edits = append(edits, doc.AddTag{Tag: t})
	}
	return codec.Apply(d, "", edits...)
}

// place finds where a page is or will be. The first page makes the first space,
// unless it is a dry run.
func (a *App) place(ctx context.Context, raw, title string, dryRun bool) (*write.Space, string, error) {
	if raw == "" {
		if title == "" {
			return nil, "", kb.Errorf(kb.Usage, "a new page needs a slug or a title").WithReason(kb.PageWithoutName)
		}
		s, err := a.spaces.OpenForNew(ctx, dryRun)
		if err != nil {
			return nil, "", err
		}
		p := space.NewPath(s, title, extension(a.codecs, s))
		err = a.db.View(ctx, func(tx store.Tx) error {
			bear, err := ref.ByName(ctx, tx, link.Slug(p), s.Space)
			if err != nil {
				return err
			}
			return slugIsFree(bear, p, "")
		})
		return s, p, err
	}
	var (
		page  kb.Page
		home  kb.Space // of the page, or of the name
		r     ref.Ref
		found bool
		bear  []kb.Page // the slug of the new page
	)
	err := a.db.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		r = ref.Parse(raw, all)
		if page, found, err = a.refs.Exact(ctx, tx, r, all); err != nil {
			return err
		}
		if found {
			home, err = space.OfPage(ctx, tx, page)
			return err
		}
		if strange, ok := ref.UnknownSpace(r.Name); ok && r.Space == "" {
			return space.NoSuch(strange, all)
		}
		if r.ID != "" || r.Prefix != "" {
			return kb.Errorf(kb.NotFound, "there is no page %q", raw).WithHint("A new page is named by a slug, such as ideas/cairn.")
		}
		if r.Space != "" {
			home, err = space.Named(all, r.Space)
		} else if home, err = a.spaces.CurrentTx(ctx, tx); space.NothingYet(err) {
			return nil // the first page makes the first space
		}
		if err != nil {
			return err
		}
		slug := r.Name
		if doc.ForPath(a.codecs, r.Name) != nil {
			slug = link.Slug(r.Name)
		}
		bear, err = ref.ByName(ctx, tx, slug, home)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if found {
		if page.Node != "" {
			return nil, "", partOf(page)
		}
		space, err := a.spaces.OpenSpace(ctx, home)
		return space, page.Path, err
	}
	space, err := a.openHome(ctx, home, dryRun)
	if err != nil {
		return nil, "", err
	}
	p := r.Name
	if doc.ForPath(a.codecs, p) == nil {
		p += extension(a.codecs, space)
	}
	return space, p, slugIsFree(bear, p, "")
}

// slugIsFree refuses a path whose slug a document of another extension among those
// that bear it has, other than the one that moves there from the path from: no ref
// without an extension would tell them apart.
func slugIsFree(bear []kb.Page, p, from string) error {
	for _, have := range bear {
		if have.Node == "" && have.Slug == link.Slug(p) && have.Path != p && have.Path != from {
			return kb.Errorf(kb.Conflict, "%s would have the same ref as %s", p, have.Path).
				WithHint("Take another name, or change %s.", have.Path)
		}
	}
	return nil
}

// openHome opens the space of a new page; the zero space is the first one, which
// is made.
func (a *App) openHome(ctx context.Context, home kb.Space, dryRun bool) (*write.Space, error) {
	if home.Row == 0 {
		return a.spaces.OpenForNew(ctx, dryRun)
	}
	return a.spaces.OpenSpace(ctx, home)
}

// extension of new pages in a space.
func extension(codecs []doc.Codec, s *write.Space) string {
	for _, c := range codecs {
		if string(c.Format()) == s.Policy.Format {
			return c.Extensions()[0]
		}
	}
	return codecs[0].Extensions()[0]
}
