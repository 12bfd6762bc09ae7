package modeldir

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// split is a model whose weights are in two files.
func split(t *testing.T, index string) *Embedder {
	all, _ := random(t)
	first, second := tensors{}, tensors{}
	for name, tensor := range all {
		if name < "encoder" {
			first[name] = tensor
		} else {
			second[name] = tensor
		}
	}
	dir := directory(nil)
	delete(dir, weightsFile)
	dir["a.safetensors"], dir["b.safetensors"] = text(string(first.file(t, "F32", ""))), text(string(second.file(t, "F32", "")))
	dir[indexFile] = text(index)
	return newEmbedder(t, dir)
}

func TestWeightsInParts(t *testing.T) {
	t.Parallel()
	all, _ := random(t)
	whole, err := newEmbedder(t, directory(all.file(t, "F32", ""))).Embed(t.Context(), []string{"the cat"}, embed.Query)
	if err != nil {
		t.Fatal(err)
	}
	e := split(t, `{"metadata":{"total_size":1},"weight_map":{"x":"a.safetensors","y":"b.safetensors","z":"a.safetensors"}}`)
	parts, err := e.Embed(t.Context(), []string{"the cat"}, embed.Query)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range whole[0] {
		if parts[0][i] != v {
			t.Fatalf("value %d: %v in parts, %v whole", i, parts[0][i], v)
		}
	}
}

func TestHostileIndexes(t *testing.T) {
	t.Parallel()
	for index, code := range map[string]kb.Code{
		`{`:                                    kb.Damaged,
		`{"weight_map":{}}`:                    kb.Damaged,
		`{"weight_map":[1]}`:                   kb.Damaged,
		`{"weight_map":{"x":"a.safetensors"}}`: kb.Invalid, // half of the tensors
		`{"weight_map":{"x":"none.safetensors"}}`:                  kb.NotFound,
		`{"weight_map":{"x":"../a.safetensors"}}`:                  kb.Damaged,
		`{"weight_map":{"x":"1_Pooling/config.json"}}`:             kb.Damaged,
		`{"weight_map":{"x":"."}}`:                                 kb.Damaged,
		`{"weight_map":{"x":"vocab.txt"}}`:                         kb.Damaged,
		`{"weight_map":{"x":"a.safetensors","y":"1_Pooling"}}`:     kb.Damaged,
		`{"weight_map":{"x":"a.safetensors","y":"config.json\n"}}`: kb.NotFound,
	} {
		if _, err := split(t, index).Embed(t.Context(), []string{"cat"}, embed.Query); kb.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", index, err, code)
		}
	}
}
