package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Open returns a handle on the memory in dir, which it creates if necessary. Two calls with
// the same dir return two handles on one memory. The handle is closed when the test ends.
type Open func(t *testing.T, dir string) store.Engine

// Run tests that an engine fulfils the contracts of package store.
func Run(t *testing.T, open Open) {
	for _, group := range []struct {
		name  string
		tests map[string]func(*testing.T, *env)
	}{
		{"Spaces", spaceTests},
		{"Documents", documentTests},
		{"FileSums", fileSumTests},
		{"Pages", pageTests},
		{"Filters", filterTests},
		{"Items", itemTests},
		{"Facts", factTests},
		{"Links", linkTests},
		{"History", historyTests},
		{"Operational", operationalTests},
		{"Gaps", gapTests},
		{"Assertions", assertionTests},
		{"LongLists", longListTests},
		{"Claims", claimTests},
		{"Lives", liveTests},
		{"Directories", directoryTests},
		{"Models", modelTests},
		{"Vectors", vectorTests},
		{"Batches", batchTests},
		{"Traces", tracesTests},
		{"Transactions", transactionTests},
		{"Locks", lockTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					dir := t.TempDir()
					test(t, &env{T: t, ctx: t.Context(), open: open, dir: dir, m: open(t, dir)})
				})
			}
		})
	}
}

// env is the environment of a test of the suite.
type env struct {
	*testing.T
	ctx  context.Context
	open Open
	dir  string
	m    store.Engine
}

// noon is the time at which tests start, with microseconds, which every store keeps.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 123456000, time.UTC)

// update and view run f and fail the test when it fails.
func (e *env) update(f func(store.Tx) error) {
	e.Helper()
	if err := e.m.Update(e.ctx, f); err != nil {
		e.Fatalf("update: %v", err)
	}
}

func (e *env) view(f func(store.Tx) error) {
	e.Helper()
	if err := e.m.View(e.ctx, f); err != nil {
		e.Fatalf("view: %v", err)
	}
}

// wantCode fails the test unless err has the code.
func (e *env) wantCode(err error, code kb.Code) {
	e.Helper()
	var ke *kb.Error
	if !errors.As(err, &ke) || ke.Code != code {
		e.Errorf("error %v, want one with code %s", err, code)
	}
}

// updateFails runs f, which must fail with the code, and undoes it.
func (e *env) updateFails(code kb.Code, f func(store.Tx) error) {
	e.Helper()
	e.wantCode(e.m.Update(e.ctx, f), code)
}

func (e *env) same(got, want any, opts ...cmp.Option) {
	e.Helper()
	if diff := cmp.Diff(want, got, append(opts, cmpopts.EquateEmpty())...); diff != "" {
		e.Errorf("differs (-want +got):\n%s", diff)
	}
}

// space adds a directory space.
func (e *env) space(name string) kb.Space {
	e.Helper()
	sp := kb.Space{ID: idOf("space " + name), Name: name, Kind: kb.DirectorySpace, Root: "/spaces/" + name, Created: noon}
	e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &sp) })
	return sp
}

// put stores documents with their links.
func (e *env) put(docs ...*store.Document) {
	e.Helper()
	e.update(func(tx store.Tx) error { return e.putIn(tx, docs...) })
}

func (e *env) putIn(tx store.Tx, docs ...*store.Document) error {
	if err := tx.Documents().Put(e.ctx, docs); err != nil {
		return err
	}
	return tx.Links().Put(e.ctx, docs)
}

// idOf derives an id from any text.
func idOf(text string) kb.ID { return kb.DerivedID("", text, "", 0) }

// doc returns a document of one page with its file name as the title; with modifies the
// page.
func doc(space kb.Space, file string, with ...func(*store.PageRecord)) *store.Document {
	slug := strings.TrimSuffix(file, path.Ext(file))
	title := path.Base(slug)
	d := &store.Document{
		Space: space.Row, ID: idOf(space.Name + ":" + file), Path: file, Format: "markdown", Hash: sha256.Sum256([]byte(file)),
		Size: int64(len(file)), ModTime: noon.Add(789 * time.Nanosecond), Indexed: noon, Version: 1, Recorded: noon,
	}
	rec := store.PageRecord{
		Page:  kb.Page{ID: d.ID, Slug: slug, Title: title, Status: kb.Active, Updated: noon},
		Names: []string{kb.NameKey(title)},
	}
	for _, change := range with {
		change(&rec)
	}
	d.Pages = []store.PageRecord{rec}
	return d
}

// node adds an Org subtree to a document.
func node(d *store.Document, id, title string) {
	d.Pages = append(d.Pages, store.PageRecord{
		Page: kb.Page{
			ID: idOf(id), Node: id, Slug: strings.TrimSuffix(d.Path, path.Ext(d.Path)) + "#" + id, Title: title,
			Status: kb.Active, Line: 7, Updated: noon,
		},
		Names: []string{kb.NameKey(title)},
	})
}

func in(wing string) func(*store.PageRecord) {
	return func(r *store.PageRecord) { r.Page.Wing = wing }
}

func titled(title string) func(*store.PageRecord) {
	return func(r *store.PageRecord) {
		r.Page.Title = title
		r.Names = append(r.Names, kb.NameKey(title))
	}
}

func tagged(tags ...string) func(*store.PageRecord) {
	return func(r *store.PageRecord) { r.Page.Tags = tags }
}

// linking adds links with the names to a page.
func linking(names ...string) func(*store.PageRecord) {
	return func(r *store.PageRecord) {
		for _, n := range names {
			r.Links = append(r.Links, kb.Link{
				Kind: "wikilink", Type: "links_to", Name: n, Key: kb.NameKey(n), Line: len(r.Links) + 1,
			})
		}
	}
}

func slugs(pages []kb.Page) []string {
	var out []string
	for _, p := range pages {
		out = append(out, p.Slug)
	}
	return out
}
