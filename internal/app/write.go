package app

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/vault"
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
	space, p, err := a.place(ctx, req.Ref, req.Title, req.DryRun)
	if err != nil {
		return Written{}, err
	}
	bytes, err := a.compose(space, p, req)
	if err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "put", req.WriteOptions, []write.Change{{
		Space: space, Path: p, Expected: req.Expected, Action: write.Put{Bytes: bytes, Overwrite: req.Overwrite},
	}})
}

// compose puts the metadata that was asked for into the text.
func (a *App) compose(space *write.Space, p string, req PutRequest) ([]byte, error) {
	if req.Title == "" && req.Type == "" && len(req.Tags) == 0 {
		return req.Text, nil
	}
	codec := doc.ForPath(a.codecs, p)
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
			return nil, "", kb.Errorf(kb.Usage, "a new page needs a slug or a title").WithHint("For example: cairn put ideas/cairn --title Cairn").
				WithToolHint("Give ref, such as ideas/cairn, or title.")
		}
		space, err := a.openForNew(ctx, dryRun)
		if err != nil {
			return nil, "", err
		}
		p := path.Join(space.Policy.Folder, vault.FileName(title, a.extension(space)))
		return space, p, a.slugIsFree(ctx, space, p, "")
	}
	var (
		page  kb.Page
		r     ref
		found bool
	)
	err := a.db.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		r = parseRef(raw, all)
		if page, found, err = a.exact(ctx, tx, r, all); err != nil || found {
			return err
		}
		if strange, ok := strangeSpace(r.name); ok && r.space == "" {
			return noSpace(strange, all)
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if found {
		if page.Node != "" {
			return nil, "", partOf(page)
		}
		space, err := a.spaceNamed(ctx, page.Space)
		return space, page.Path, err
	}
	if r.id != "" || r.prefix != "" {
		return nil, "", kb.Errorf(kb.NotFound, "there is no page %q", raw).WithHint("A new page is named by a slug, such as ideas/cairn.")
	}
	space, err := a.spaceOf(ctx, r, dryRun)
	if err != nil {
		return nil, "", err
	}
	p := r.name
	if doc.ForPath(a.codecs, p) == nil {
		p += a.extension(space)
	}
	return space, p, a.slugIsFree(ctx, space, p, "")
}

// slugIsFree refuses a path whose slug a document of another extension has,
// other than the one that moves there from the path from: no ref without an
// extension would tell them apart.
func (a *App) slugIsFree(ctx context.Context, space *write.Space, p, from string) error {
	var found []kb.Page
	err := a.db.View(ctx, func(tx store.Tx) (err error) {
		found, err = byName(ctx, tx, link.Slug(p), space.Space)
		return err
	})
	for _, have := range found {
		if have.Node == "" && have.Slug == link.Slug(p) && have.Path != p && have.Path != from {
			return kb.Errorf(kb.Conflict, "%s would have the same ref as %s", p, have.Path).
				WithHint("Take another name, or change %s.", have.Path)
		}
	}
	return err
}

// exact finds the page that a ref names by id or by its very slug or path.
// Looser matches would let a new page replace one of a similar name.
func (a *App) exact(ctx context.Context, tx store.Tx, r ref, all []kb.Space) (kb.Page, bool, error) {
	home := a.home(ctx, all, r.space)
	if r.id != "" || r.prefix != "" {
		found, err := a.candidates(ctx, tx, r, kb.Space{})
		if err != nil || len(found) == 0 {
			return kb.Page{}, false, err
		}
		if len(found) > 1 {
			return kb.Page{}, false, ambiguous(r.raw, found)
		}
		return found[0], true, nil
	}
	found, err := a.byPath(ctx, tx, r.name, home)
	if err == nil && len(found) == 0 && home.Row != 0 {
		if found, err = byName(ctx, tx, r.name, home); err == nil {
			found = slices.DeleteFunc(found, func(p kb.Page) bool { return p.Slug != r.name })
		}
	}
	if err != nil || len(found) == 0 {
		return kb.Page{}, false, err
	}
	if len(found) > 1 {
		return kb.Page{}, false, ambiguous(r.raw, found)
	}
	return found[0], true, nil
}

func (a *App) spaceOf(ctx context.Context, r ref, dryRun bool) (*write.Space, error) {
	if r.space != "" {
		return a.spaceNamed(ctx, r.space)
	}
	return a.openForNew(ctx, dryRun)
}

func (a *App) spaceNamed(ctx context.Context, name string) (*write.Space, error) {
	s, err := a.byName(ctx, name)
	if err != nil {
		return nil, err
	}
	return a.openRow(ctx, s.Row)
}

// extension of new pages in a space.
func (a *App) extension(s *write.Space) string {
	for _, c := range a.codecs {
		if string(c.Format()) == s.Policy.Format {
			return c.Extensions()[0]
		}
	}
	return a.codecs[0].Extensions()[0]
}

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
		return Written{}, kb.Errorf(kb.Usage, "there is nothing to edit").WithHint("Say what to change; see cairn edit --help.").
			WithToolHint("Give at least one edit.")
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
	if p, err = a.find(ctx, raw, a.resolveToChange); err != nil {
		return p, nil, err
	}
	s, err = a.spaceNamed(ctx, p.Space)
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
	page, space, err := a.writable(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	if page.Node != "" {
		return Written{}, partOf(page)
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
	page, space, err := a.writable(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	if page.Node != "" {
		return Written{}, partOf(page)
	}
	to, err := a.within(ctx, space, req.To)
	if err != nil {
		return Written{}, err
	}
	if strings.HasSuffix(to, "/") {
		to += path.Base(page.Path)
	}
	if doc.ForPath(a.codecs, to) == nil {
		to += path.Ext(page.Path)
	}
	to = path.Clean(to)
	if err := a.slugIsFree(ctx, space, to, page.Path); err != nil {
		return Written{}, err
	}
	return a.apply(ctx, "mv", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Move{To: to, KeepLinks: req.KeepLinks},
	}})
}

// within returns what a name says within a space, which it may name, but no
// other: pages do not move.
func (a *App) within(ctx context.Context, space *write.Space, raw string) (string, error) {
	all, err := a.spaces(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		rest, ok := strings.CutPrefix(raw, s.Name+":")
		switch {
		case ok && s.ID == space.ID:
			return rest, nil
		case ok:
			return "", kb.Errorf(kb.Usage, "pages do not move between spaces").
				WithHint("Write it anew as %s, then remove it in %s.", raw, space.Name)
		}
	}
	if strange, ok := strangeSpace(raw); ok {
		return "", noSpace(strange, all)
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
	page, space, err := a.writable(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	if page.Node != "" {
		return Written{}, partOf(page)
	}
	return a.apply(ctx, "rm", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Delete{},
	}})
}

// apply runs a change set and describes what came of it.
func (a *App) apply(ctx context.Context, op string, opts WriteOptions, changes []write.Change) (Written, error) {
	return a.applyRequest(ctx, write.Request{
		Actor: a.opts.Actor, Operation: op, Message: opts.Message, Changes: changes,
		DryRun: opts.DryRun, AllowSecrets: opts.AllowSecrets,
	})
}

func (a *App) applyRequest(ctx context.Context, req write.Request) (Written, error) {
	res, err := a.writer.Apply(ctx, req)
	if res == nil {
		return Written{}, a.sayWhatChanged(ctx, req, err)
	}
	if res.Write.ID != 0 {
		ctx = context.WithoutCancel(ctx) // it has happened, and that is the answer
	}
	out := Written{Write: res.Write.ID, DryRun: res.DryRun, Pages: []WrittenPage{}}
	verr := a.db.View(ctx, func(tx store.Tx) error {
		v, err := a.viewer(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range res.Pages {
			w, err := v.written(ctx, p)
			if err != nil {
				return err
			}
			out.Pages = append(out.Pages, w)
		}
		return nil
	})
	if err == nil && verr != nil && res.Write.ID != 0 {
		err = kb.Errorf(kb.CodeOf(verr), "the change is made, as write %d, but what it made could not be read: %w", res.Write.ID, verr).
			WithHint("Nothing was lost: do not repeat it. See what was written: cairn recent").
			WithToolHint("Nothing was lost: do not repeat it. browse with what set to recent shows what was written.")
	} else if err == nil {
		err = verr
	}
	if err == nil && a.opts.Written != nil && len(out.Changed()) > 0 {
		a.opts.Written(out)
	}
	return out, err
}

// Changed returns refs of the pages that have other bytes or another path
// after the write; none after a dry run.
func (w Written) Changed() []string {
	var refs []string
	for _, p := range w.Pages {
		if !w.DryRun && p.Change != "" && p.Change != kb.Deleted {
			refs = append(refs, p.Space+":"+p.Path)
		}
	}
	return refs
}

func (v *viewer) written(ctx context.Context, p write.PageResult) (WrittenPage, error) {
	page, err := v.page(ctx, p.Page)
	w := WrittenPage{Page: page, Change: p.Change, From: p.From, Diff: unified(p)}
	for _, x := range p.Warnings {
		w.Warnings = append(w.Warnings, Warning{Code: x.Code, Text: x.Text, Line: x.Line})
	}
	return w, err
}

// unified shows a page's change as a unified diff with git's names.
func unified(p write.PageResult) string {
	from, to := "a/"+p.Page.Path, "b/"+p.Page.Path
	if p.From != "" {
		from = "a/" + p.From
	}
	if p.Old == nil {
		from = "/dev/null"
	}
	if p.New == nil {
		to = "/dev/null"
	}
	if bytes.Equal(p.Old, p.New) {
		if p.From == "" {
			return ""
		}
		return fmt.Sprintf("rename from %s\nrename to %s\n", p.From, p.Page.Path)
	}
	return unifiedDiff(from, p.Old, to, p.New)
}

// unifiedDiff compares two texts by lines; text that is not UTF-8 is decoded
// first.
func unifiedDiff(from string, old []byte, to string, new []byte) string {
	oldText, _ := doc.Decode(old)
	newText, _ := doc.Decode(new)
	out := diff.Diff(from, oldText, to, newText)
	// The library starts with a line of its own for its "diff" command.
	if _, rest, ok := bytes.Cut(out, []byte("\n")); ok && bytes.HasPrefix(out, []byte("diff ")) {
		out = rest
	}
	return string(out)
}

// refresh indexes a page's file when it changed since it was indexed, and
// reports whether it had.
func (a *App) refresh(ctx context.Context, p kb.Page) (bool, error) {
	space, err := a.spaceNamed(ctx, p.Space)
	if err != nil || space.Files == nil {
		return false, err
	}
	return a.writer.Look(ctx, space, p.Path, p.Hash)
}
