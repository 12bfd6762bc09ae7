package retrieve_test

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// crossEncoder unpacks the small random cross-encoder of modeldir into a directory.
func crossEncoder(t *testing.T) string {
	t.Helper()
	z, err := zip.OpenReader("../../search/embed/modeldir/testdata/pairs/cross-encoder.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The setting reorders the passages of an answer; a reranker that is missing or broken changes
// nothing but a note.
func TestRerank(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b, ctx := apptest.New(t), context.Background()
	setting := ""
	b.Opts.Place.Env = func(name string) string {
		if name == "CAIRN_RERANK" {
			return setting
		}
		return ""
	}
	root := b.Dir("notes", map[string]string{
		"boat.md":  "# Boat\n\n- The main sail was mended in Lisbon.\n- The fore sail was mended in Porto.\n- The storm sail was mended in Faro.\n- The old sail was mended in Lagos.\n- A spare sail was mended in Setubal.\n",
		"lodka.md": "# Лодка\n\nПаруса лодки чинили в Лиссабоне.\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)

	// Texts of one passage a page, in the order of the answer, and notes about reranking.
	question := "where was a sail mended?" // which all passages answer about as well
	ask := func(value string) (texts []string, notes []string) {
		t.Helper()
		setting = value
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{
			SearchRequest: retrieve.SearchRequest{Query: question}, Budget: 14,
		}))(t)
		for _, item := range r.Items {
			texts = append(texts, item.Slug+": "+item.Text)
		}
		for _, n := range r.Notes {
			if strings.Contains(n, "rerank") {
				notes = append(notes, n)
			}
		}
		return texts, notes
	}
	plain, notes := ask("")
	if len(plain) == 0 || len(notes) > 0 {
		t.Fatal(plain, notes)
	}
	if off, notes := ask("off"); !slices.Equal(off, plain) || len(notes) > 0 {
		t.Errorf("off: %q %q", off, notes)
	}
	late, notes := ask("late")
	if slices.Equal(late, plain) || len(notes) > 0 {
		t.Errorf("late changed nothing: %q %q", late, notes)
	}
	dir := crossEncoder(t)
	question = "who mends sails?"
	plain, _ = ask("off")
	cross, notes := ask("dir:" + dir)
	if slices.Equal(cross, plain) || len(notes) > 0 {
		t.Errorf("a cross-encoder with random weights changed nothing: %q %q", cross, notes)
	}
	for name, value := range map[string]string{"missing": "dir:" + filepath.Join(dir, "none"), "empty": "dir:" + t.TempDir()} {
		if got, notes := ask(value); !slices.Equal(got, plain) || len(notes) != 1 || !strings.Contains(notes[0], "there is no cross-encoder") {
			t.Errorf("%s: %q %q", name, got, notes)
		}
	}
	broken := t.TempDir()
	if err := os.CopyFS(broken, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(broken, "model.safetensors")
	whole, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(weights, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got, notes := ask("dir:" + broken); !slices.Equal(got, plain) || len(notes) != 1 {
		t.Errorf("half of the weights: %q %q", got, notes)
	}
	if err := os.WriteFile(weights, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, notes := ask("dir:" + broken); !slices.Equal(got, cross) || len(notes) > 0 {
		t.Errorf("the whole weights: %q %q", got, notes)
	}

	setting = "late"
	r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "где чинили паруса лодки"}}))(t)
	if !slices.Contains(r.Notes, "the passages were not reranked: bge-small-en-v1.5 does not know Cyrillic script") {
		t.Errorf("a question in another script: %q", r.Notes)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := read.Query(stopped, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
