//go:build !slim

package bge

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

func newEmbedder(t testing.TB, cpu string) *packed.Embedder {
	t.Helper()
	e, err := New(cpu, 0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestContract(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder { return newEmbedder(t, "") })
}

// reference is a text with the vector that ONNX Runtime computes for it from
// the float weights.
type reference struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	vector []float32
}

func readReferences(t testing.TB) []reference {
	t.Helper()
	f, err := os.Open("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	vectors, err := os.ReadFile("testdata/reference.f32")
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	for lines := bufio.NewScanner(f); lines.Scan(); {
		r := reference{vector: make([]float32, Dimensions)}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		for i := range r.vector {
			at := 4 * (len(all)*Dimensions + i)
			r.vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(vectors[at:]))
		}
		all = append(all, r)
	}
	if len(all) != 200 || len(vectors) != 200*Dimensions*4 {
		t.Fatalf("%d reference texts, %d bytes of vectors", len(all), len(vectors))
	}
	return all
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Every path must stay as near to the float model as the retrieval quality
// needs. All paths agree to the bit, which the tests of kernel and model hold,
// so the slow portable one gets a few short texts only.
func TestReferenceVectors(t *testing.T) {
	t.Parallel()
	references := readReferences(t)
	const portableTokens, portableTexts = 3, 8
	step := slowtest.Step(4)
	for _, k := range kernel.Available() {
		t.Run(k.Name(), func(t *testing.T) {
			e := newEmbedder(t, k.Name())
			var texts []string
			var want [][]float32
			for i, r := range references {
				if n, err := e.CountTokens(r.Text); err != nil || n+2 != r.Tokens {
					t.Errorf("%.40q: %d tokens and %v, want %d", r.Text, n+2, err, r.Tokens)
				}
				if k.Name() != "portable" && i%step == 0 || r.Tokens <= portableTokens && len(texts) < portableTexts {
					texts, want = append(texts, r.Text), append(want, r.vector)
				}
			}
			vectors, err := e.Embed(t.Context(), texts, embed.Passage)
			if err != nil {
				t.Fatal(err)
			}
			mean, least := 0.0, 1.0
			for i, v := range vectors {
				c := cosine(v, want[i])
				mean += c / float64(len(vectors))
				least = min(least, c)
				if c < 0.99 {
					t.Errorf("%.40q: cosine %.5f", texts[i], c)
				}
			}
			t.Logf("%d texts: mean cosine %.5f, least %.5f", len(vectors), mean, least)
			if mean < 0.995 {
				t.Errorf("mean cosine %.5f", mean)
			}
		})
	}
}

func TestPackIsWhole(t *testing.T) {
	t.Parallel()
	pack, err := model.OpenPack(weights)
	if err != nil {
		t.Fatal(err)
	}
	if err := pack.Verify(); err != nil {
		t.Error(err)
	}
	info := pack.Info()
	if info.Name != Name || info.Hidden != Dimensions || info.MaxTokens != maxTokens {
		t.Errorf("the pack holds %s, %d dimensions, %d tokens", info.Name, info.Hidden, info.MaxTokens)
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil || string(licence) != info.Licence.Text || info.Licence.ID != "MIT" {
		t.Errorf("LICENSE differs from the licence in the pack: %v", err)
	}
}
