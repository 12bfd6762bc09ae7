package modeldir

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
)

// minilmVar names the directory of all-MiniLM-L6-v2, which is too large to
// commit. tools/embed-reference/README.md says where to get it.
const minilmVar = "CAIRN_MINILM"

func minilm(t *testing.T) *Embedder {
	t.Helper()
	path := os.Getenv(minilmVar)
	if path == "" {
		t.Skipf("%s does not name the directory of all-MiniLM-L6-v2", minilmVar)
	}
	return newEmbedder(t, os.DirFS(path))
}

func TestMiniLMContract(t *testing.T) {
	t.Parallel()
	e := minilm(t)
	embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
}

func TestMiniLMReference(t *testing.T) {
	t.Parallel()
	e := minilm(t)
	if e.Dimensions() != 384 || e.MaxTokens() != 254 {
		t.Errorf("%d dimensions, %d tokens", e.Dimensions(), e.MaxTokens())
	}
	lines, err := os.ReadFile("testdata/minilm.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/minilm.f32")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(lines) {
		var r struct {
			Text   string
			Tokens int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if n, err := e.CountTokens(r.Text); err != nil || n+2 != r.Tokens {
			t.Errorf("%.40q: %d tokens and %v, want %d", r.Text, n+2, err, r.Tokens)
		}
		texts = append(texts, r.Text)
	}
	if len(texts) < 30 || len(want) != len(texts)*384*4 {
		t.Fatalf("%d texts, %d bytes of vectors", len(texts), len(want))
	}
	vectors, err := e.Embed(t.Context(), texts, embed.Passage)
	if err != nil {
		t.Fatal(err)
	}
	least := 1.0
	for i, v := range vectors {
		cosine := 0.0
		for j, x := range v {
			at := 4 * (i*384 + j)
			cosine += float64(x) * float64(math.Float32frombits(binary.LittleEndian.Uint32(want[at:])))
		}
		if cosine < 0.9999 {
			t.Errorf("%.40q: cosine %v", texts[i], cosine)
		}
		least = min(least, cosine)
	}
	t.Logf("%d texts: least cosine %.7f", len(texts), least)
}
