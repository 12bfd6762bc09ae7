package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// What pages had before is not computed again when it comes back, whichever way
// it went, nor what several pages share.
func TestNothingIsEmbeddedTwice(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, a *memory.Session, root string, sync func()){
		"removed and brought back": func(t *testing.T, a *memory.Session, _ string, _ func()) {
			w := apptest.OK(change.Delete(t.Context(), a, change.DeleteRequest{Ref: "dog"}))(t)
			apptest.OK(change.Undo(t.Context(), a, history.UndoRequest{Write: w.Write}))(t)
		},
		"another branch and back": func(t *testing.T, _ *memory.Session, root string, sync func()) {
			had := map[string][]byte{}
			for _, file := range []string{"dog.md", "money.md"} {
				had[file] = apptest.OK(os.ReadFile(filepath.Join(root, file)))(t)
				takeAway(t, root, file)
			}
			sync()
			for file, text := range had {
				lay(t, root, file, string(text))
			}
			sync()
		},
		"edited and back": func(t *testing.T, a *memory.Session, root string, sync func()) {
			was := string(apptest.OK(os.ReadFile(filepath.Join(root, "dog.md")))(t))
			lay(t, root, "dog.md", "Another text.\n")
			sync()
			if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Chunks != 1 {
				t.Errorf("another text: %+v", r)
			}
			lay(t, root, "dog.md", was)
			sync()
		},
		"moved and edited at once": func(t *testing.T, _ *memory.Session, root string, sync func()) {
			was := string(apptest.OK(os.ReadFile(filepath.Join(root, "dog.md")))(t))
			takeAway(t, root, "dog.md")
			sync()
			if err := os.Mkdir(filepath.Join(root, "pets"), 0o700); err != nil {
				t.Fatal(err)
			}
			lay(t, root, "pets/dog.md", "---\ntags: [new]\n---\n"+was)
			sync()
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, a, server := serverBed(t)
			sync := func() { apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t) }
			apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
			change(t, a, filepath.Join(b.Home, "notes"), sync)
			before := server.Texts.Load()
			if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Pages == 0 || r.Chunks != 0 || r.Reused == 0 || r.Left != 0 {
				t.Errorf("%+v", r)
			}
			if n := server.Texts.Load() - before; n > 0 {
				t.Errorf("%d texts were computed again", n)
			}
			got := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "puppies learn commands", Mode: api.ModeVector, Limit: 1}))(t)
			if len(got.Items) != 1 || !strings.HasSuffix(got.Items[0].Path, "dog.md") {
				t.Errorf("found %+v", got.Items)
			}
		})
	}
	t.Run("in several pages", func(t *testing.T) {
		_, a, server := serverBed(t)
		apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
		for i := range 100 { // more than a portion
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprintf("d%d/same", i), Text: []byte("- One.\n- Two.\n")}))(t)
		}
		before := server.Texts.Load()
		if r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t); r.Pages != 100 || r.Chunks != 2 || r.Reused != 198 || r.Left != 0 {
			t.Errorf("%+v", r)
		}
		if n := server.Texts.Load() - before; n != 2 {
			t.Errorf("%d texts were computed", n)
		}
	})
}

// What is computed anew on purpose is not taken from what was there, and what
// retention lets go is not kept as vectors either.
func TestSpareVectorsAreForgotten(t *testing.T) {
	t.Parallel()
	spare := func(b *apptest.Bed) (n int) {
		b.Plant(func(tx store.Tx) error {
			return tx.Vectors().Spare(b.T.Context(), "ollama/m", func(int64, []byte) error { n++; return nil })
		})
		return n
	}
	b, a, server := serverBed(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	apptest.OK(change.Delete(t.Context(), a, change.DeleteRequest{Ref: "dog"}))(t)
	apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "money", Edits: []doc.Edit{doc.SetTruth{Text: "Whales.\n"}}}))(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	if n := spare(b); n != 2 {
		t.Fatalf("%d are spare, want those of the page that is gone and of the passage that was replaced", n)
	}
	before := server.Texts.Load()
	r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{Again: true}))(t)
	if n := spare(b); n != 0 || r.Chunks < 3 || server.Texts.Load()-before < 3 {
		t.Errorf("again: %d are spare, %+v", n, r)
	}
}

// Another way to cut pages makes all of them wait, and computes what is new in
// them alone.
func TestAnotherWayToCutComputesWhatIsNew(t *testing.T) {
	t.Parallel()
	b, a, server := serverBed(t)
	ctx := t.Context()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	b.Plant(func(tx store.Tx) error {
		var old []store.PageVectors
		if err := tx.Vectors().Each(ctx, "ollama/m", func(v store.PageVectors) error { old = append(old, v); return nil }); err != nil {
			return err
		}
		for i := range old {
			old[i].Version = "before"
			if i > 0 {
				continue
			}
			dims, list, err := vector.Unpack(old[i].Info, old[i].Values)
			if err != nil {
				return err
			}
			list[0].Hash[0] ^= 1
			if old[i].Info, old[i].Values, err = vector.Pack(dims, list); err != nil {
				return err
			}
		}
		return tx.Vectors().Put(ctx, old)
	})
	before := server.Texts.Load()
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 4 || r.Chunks != 1 || r.Reused < 3 || r.Left != 0 {
		t.Errorf("%+v", r)
	}
	if n := server.Texts.Load() - before; n != 1 {
		t.Errorf("%d texts were computed", n)
	}
	// What another way had made of a page is of no use to any other.
	b.Plant(func(tx store.Tx) error {
		return tx.Vectors().Spare(ctx, "ollama/m", func(int64, []byte) error { t.Error("it is kept"); return nil })
	})
}
