package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// weightsVar names the float weights of bge-small-en-v1.5 for tests that need
// them; they are too large to commit. README.md says where to get them.
const weightsVar = "CAIRN_BGE_ONNX"

const bge = "../../internal/search/embed/bge/"

func realWeights(t *testing.T) (model.Info, map[string]tensor) {
	t.Helper()
	path := os.Getenv(weightsVar)
	if path == "" {
		t.Skipf("%s does not name the float weights", weightsVar)
	}
	info, err := readFacts("bge-small-en-v1.5.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := readSource(path, info.Source.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	tensors, err := readWeights(path, file)
	if err != nil {
		t.Fatal(err)
	}
	return info, tensors
}

// The float path computes what ONNX Runtime computes.
func TestFloatPath(t *testing.T) {
	t.Parallel()
	info, tensors := realWeights(t)
	weights, err := weightsOf(info, tensors)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.Select(os.Getenv(kernel.EnvVar))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FromWeights(info, weights, k, 2)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.New(strings.Join(committedVocabulary(t), "\n") + "\n")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(bge, "testdata/reference.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var sequences [][]int32
	var texts []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, line.Text)
		sequences = append(sequences, tok.Encode(line.Text))
	}
	vectors, err := m.Embed(t.Context(), sequences)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(bge, "testdata/reference.f32"))
	if err != nil {
		t.Fatal(err)
	}
	want := decodeFloats(raw)
	if len(texts) != 200 || len(want) != len(texts)*info.Hidden {
		t.Fatalf("%d texts, %d values", len(texts), len(want))
	}
	for i, v := range vectors {
		if c := cosine(v, want[i*info.Hidden:(i+1)*info.Hidden]); c < 0.9999 {
			t.Errorf("%.40q: cosine %v", texts[i], c)
		}
	}
}

// The committed file is what this program makes.
func TestCommittedPack(t *testing.T) {
	t.Parallel()
	info, tensors := realWeights(t)
	got, err := pack(t.Context(), info, tensors, model.Words{Text: committedVocabulary(t)})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(bge + "bge-small-en-v1.5.pack")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the committed pack differs from what the weights give")
	}
}

func committedVocabulary(t *testing.T) []string {
	t.Helper()
	file, err := os.ReadFile(bge + "bge-small-en-v1.5.pack")
	if err != nil {
		t.Fatal(err)
	}
	p, err := model.OpenPack(string(file))
	if err != nil {
		t.Fatal(err)
	}
	words, err := p.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(words, "\n"), "\n")
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
