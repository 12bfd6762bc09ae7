package modeldir

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-kb/cairn/internal/search/embed"
)

// familyDirectory is a model of testdata, as Sentence Transformers saved it.
func familyDirectory(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := fstest.MapFS{}
	for _, f := range z.File {
		b, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		dir[f.Name] = &fstest.MapFile{Data: b}
	}
	return dir
}

// Tokens and vectors are those of Sentence Transformers itself, for texts
// that are hard to split. tools/embed-reference makes the files.
func TestFamiliesAgainstTheReference(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.zip")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d models: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".zip"), func(t *testing.T) {
			againstTheReference(t, familyDirectory(t, file))
		})
	}
}

func againstTheReference(t *testing.T, dir fstest.MapFS) {
	e := newEmbedder(t, dir)
	tok, err := e.tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var want [][]float64
	all := 0
	for line := range bytes.Lines(dir["expected.jsonl"].Data) {
		var r struct {
			Text   string
			IDs    []int32
			Vector []float64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if got := tok.Encode(r.Text); !slices.Equal(got, r.IDs) {
			t.Errorf("Encode(%q)\n got %v\nwant %v", r.Text, got, r.IDs)
		}
		if r.Vector != nil {
			texts, want = append(texts, r.Text), append(want, r.Vector)
		}
		all++
	}
	if all < 150 || len(texts) < 40 {
		t.Fatalf("%d texts, %d of them with vectors", all, len(texts))
	}
	vectors, err := e.Embed(t.Context(), texts, embed.Passage)
	if err != nil {
		t.Fatal(err)
	}
	least := 1.0
	for i, v := range vectors {
		if len(v) != e.Dimensions() || len(v) != len(want[i]) {
			t.Fatalf("%d values of %d dimensions, want %d", len(v), e.Dimensions(), len(want[i]))
		}
		cosine := 0.0
		for j, x := range v {
			cosine += float64(x) * want[i][j]
		}
		if cosine < 0.9999 {
			t.Errorf("%.60q: cosine %v", texts[i], cosine)
		}
		least = min(least, cosine)
	}
	t.Logf("%d texts, %d vectors: least cosine %.7f", all, len(texts), least)
}
