package ref

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Place is the location for writing a whole page.
type Place struct {
	Page  kb.Page  // the existing page; its Row is 0 for a new one
	Space kb.Space // of the page; its Row is 0 when the memory has no space yet
	Name  string   // slug or path of a new page

	Named []kb.Page // pages with this name, or with the slug of a new page
}

// ToWrite finds the place for writing a whole page by a ref. A name resolves as for
// reading: a new page with the name of an existing one would change the targets of
// links. So an existing page is kb.Conflict, with Named, unless the caller expects
// a version, and so has read the page. another requests a new page, and so does a
// path with its extension.
func (v *Resolver) ToWrite(ctx context.Context, tx store.Tx, raw string, expected *int, another bool) (at Place, err error) {
	all, err := v.Spaces.AllTx(ctx, tx)
	if err != nil {
		return at, err
	}
	if err := CheckURI(raw); err != nil {
		return at, err
	}
	r := Parse(raw, all)
	page, found, err := v.Exact(ctx, tx, r, all)
	if err == nil && !found && r.ID == "" && r.Prefix == "" {
		if name, ok := v.aliased(ctx, r.Name, v.Home(ctx, tx, all, r.Space)); ok {
			r.Name = name
			page, found, err = v.Exact(ctx, tx, r, all)
		}
	}
	if err != nil {
		return at, err
	}
	if found {
		at.Page = page
		if at.Space, err = space.OfPage(ctx, tx, page); err == nil {
			err = space.InPin(v.Spaces, all, at.Space.ID)
		}
		return at, err
	}
	if strange, ok := UnknownSpace(r.Name); ok && r.Space == "" {
		return at, space.NoSuch(strange, all)
	}
	if r.ID != "" || r.Prefix != "" {
		return at, kb.Errorf(kb.NotFound, "no page %q", raw).WithHint("A new page is named by a slug, such as ideas/cairn.")
	}
	at.Name = r.Name
	if r.Space != "" {
		if at.Space, err = space.Named(all, r.Space); err == nil {
			err = space.InPin(v.Spaces, all, at.Space.ID)
		}
	} else if at.Space, err = v.Spaces.CurrentTx(ctx, tx); space.NothingYet(err) {
		return at, nil // the first page creates the first space
	}
	if err != nil {
		return at, err
	}
	if doc.ForPath(v.Codecs, r.Name) != nil {
		at.Named, err = ByName(ctx, tx, link.Slug(r.Name), at.Space)
		return at, err
	}
	if another {
		at.Named, err = ByName(ctx, tx, r.Name, at.Space)
	} else {
		at.Named, err = Meant(ctx, tx, r.Name, at.Space)
	}
	if err != nil || another || strings.ContainsFunc(r.Name, unicode.IsControl) {
		return at, err // for an invalid file name the write path returns the reason
	}
	at.Page, err = existingOrNew(raw, at.Named, expected)
	return at, err
}

// existingOrNew decides between a new page and existing pages with the name.
func existingOrNew(name string, named []kb.Page, expected *int) (kb.Page, error) {
	switch {
	case len(named) == 0:
		return kb.Page{}, nil
	case len(named) > 1:
		e := kb.AsError(ambiguous(name, named))
		return kb.Page{}, e.WithHint("%s.", e.Hint).WithReason(kb.NameShared)
	case expected != nil && *expected > 0:
		return named[0], nil
	}
	p := named[0]
	return kb.Page{}, kb.Errorf(kb.Conflict, "%q names %s, which is in version %d", name, p.Ref(), p.Version).
		WithHint("Nothing was written.").WithReason(kb.NameTaken).WithFact("ref", p.Ref()).
		With("ref", p.Ref()).With("path", p.Path).With("current_version", p.Version)
}

// Path returns the path of a new page in a space with this extension for its pages.
// A slug in use by a document with another extension is kb.Conflict.
func (at Place) Path(codecs []doc.Codec, extension string) (string, error) {
	p := at.Name
	if doc.ForPath(codecs, p) == nil {
		p += extension
	}
	return p, SlugIsFree(at.Named, p, "")
}

// Titled finds the place for writing a page with a title and no ref, with a path
// derived from the title. As in ToWrite, it is the existing page with that title if
// there is one. A path in use by a page with another title gets a number.
func Titled(ctx context.Context, tx store.Tx, s kb.Space, title, p string, expected *int, another bool) (at Place, err error) {
	at.Space = s
	if !another {
		if at.Named, err = Meant(ctx, tx, title, s); err != nil {
			return at, err
		}
		if at.Page, err = existingOrNew(title, at.Named, expected); at.Page.Row != 0 || err != nil {
			return at, err
		}
	}
	at.Name, err = FreePath(ctx, tx, s, p, nil)
	return at, err
}

// FreePath returns a path, or its first variant with a number, that no document has
// in any spelling and that is not taken. taken receives paths in the form of
// kb.FoldPath, and may be nil.
func FreePath(ctx context.Context, tx store.Tx, s kb.Space, p string, taken func(path string) bool) (string, error) {
	ext := path.Ext(p)
	for n := 1; ; n++ {
		try := p
		if n > 1 {
			try = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(p, ext), n, ext)
		}
		if taken != nil && taken(kb.FoldPath(try)) {
			continue
		}
		key := link.Key(link.RelationKind, link.Slug(try))
		bear, err := tx.Pages().ByNames(ctx, s.Row, []string{key})
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(bear[key], func(have kb.Page) bool { return have.Node == "" && strings.EqualFold(have.Slug, link.Slug(try)) }) {
			return try, nil
		}
	}
}

// SlugIsFree rejects a path if its slug is in use by a document with another
// extension, among those in bear and except the one that moves there from the path
// from: refs without an extension could not distinguish them.
func SlugIsFree(bear []kb.Page, p, from string) error {
	for _, have := range bear {
		if have.Node == "" && have.Slug == link.Slug(p) && have.Path != p && have.Path != from {
			return kb.Errorf(kb.Conflict, "%s would have the same ref as %s", p, have.Path).
				WithHint("Take another name, or change %s.", have.Path)
		}
	}
	return nil
}
