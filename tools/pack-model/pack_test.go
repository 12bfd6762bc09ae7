package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// tiny is the model of tools/embed-reference/tiny.py.
var tiny = model.Info{
	Name: "tiny", Hidden: 32, Intermediate: 64, Layers: 2, Heads: 2, Vocabulary: 40,
	MaxTokens: 16, NormEpsilon: 1e-12,
}

func tinyVocabulary() []string {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "a", "##s", ".", ","}
	for len(words) < tiny.Vocabulary {
		words = append(words, "word"+strings.Repeat("x", len(words)))
	}
	return words
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tinyTensors(t testing.TB) map[string]tensor {
	t.Helper()
	tensors, err := readONNX(read(t, "tiny.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return tensors
}

func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	want, err := readSafetensors(read(t, "tiny.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	got := tinyTensors(t)
	if len(want) < 30 {
		t.Fatalf("%d tensors", len(want))
	}
	for name, w := range want {
		if g := got[name]; !slices.Equal(g.shape, w.shape) || !slices.Equal(g.values, w.values) {
			t.Errorf("%s: shape %v from ONNX, %v from safetensors, or other values", name, g.shape, w.shape)
		}
	}
}

func TestTinyAgainstONNXRuntime(t *testing.T) {
	t.Parallel()
	weights, err := weightsOf(tiny, tinyTensors(t))
	if err != nil {
		t.Fatal(err)
	}
	file, err := pack(t.Context(), tiny, tinyTensors(t), model.Words{Text: tinyVocabulary()})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := model.OpenPack(string(file))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		IDs    []int32
		Vector []float32
	}
	if err := json.Unmarshal(read(t, "tiny.json"), &cases); err != nil || len(cases) != tiny.MaxTokens {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, k := range kernel.Available() {
		float, err := model.FromWeights(tiny, weights, k, 1)
		if err != nil {
			t.Fatal(err)
		}
		int8, err := packed.Model(k, 1)
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]*model.Model{"float": float, "int8": int8} {
			least := map[string]float64{"float": 0.9999, "int8": 0.99}[name]
			for _, c := range cases {
				v, err := m.Embed(t.Context(), [][]int32{c.IDs})
				if err != nil {
					t.Fatal(err)
				}
				if got := cosine(v[0], c.Vector); got < least {
					t.Errorf("%s, %s: %v: cosine %v", k.Name(), name, c.IDs, got)
				}
			}
		}
	}
}

func TestPackTwice(t *testing.T) {
	t.Parallel()
	var files [2][]byte
	for i := range files {
		var err error
		if files[i], err = pack(t.Context(), tiny, tinyTensors(t), model.Words{Text: tinyVocabulary()}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("packing twice gave different bytes")
	}
}

// A file that is not named is missed before the weights are read.
func TestMissingFlag(t *testing.T) {
	t.Parallel()
	for _, o := range []options{{}, {weights: "w", tokenizer: "t", facts: "f"}, {weights: "w", tokenizer: "t", out: "o"}} {
		if err := run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "are needed") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestMissingTensor(t *testing.T) {
	t.Parallel()
	tensors := tinyTensors(t)
	delete(tensors, "encoder.layer.1.output.dense.weight")
	if _, err := pack(t.Context(), tiny, tensors, model.Words{Text: tinyVocabulary()}); err == nil ||
		!strings.Contains(err.Error(), "encoder.layer.1.output.dense.weight") {
		t.Errorf("error %v does not name the tensor", err)
	}
}

func TestOtherWeightsAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := readSource(filepath.Join("testdata", "tiny.onnx"), strings.Repeat("0", 64)); err == nil {
		t.Error("weights with another checksum were accepted")
	}
}

func FuzzReadONNX(f *testing.F) {
	file := read(f, "tiny.onnx")
	f.Add(file)
	f.Add(file[:1000])
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = readONNX(b) })
}
