package modeldir

import (
	"math"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

const denseModules = `[{"path":"","type":"sentence_transformers.models.Transformer"},` +
	`{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},` +
	`{"path":"2_Dense","type":"sentence_transformers.models.Dense"},` +
	`{"path":"3_Normalize","type":"sentence_transformers.models.Normalize"}]`

const denseJSON = `{"in_features":64,"out_features":3,"bias":true,"activation_function":"torch.nn.modules.linear.Identity"}`

// A matrix that keeps three dimensions gives those of the vector without it.
func TestDense(t *testing.T) {
	t.Parallel()
	file := wordCounts(t).file(t, "F32", "")
	plain := newEmbedder(t, directory(file))
	weights := tensors{"linear.weight": {[]int{3, 64}, make([]float32, 3*64)}}
	for i := range 3 {
		weights["linear.weight"].values[i*64+5+i] = 1
	}
	dir := directory(file)
	dir[modulesFile], dir["2_Dense/"+weightsFile] = text(denseModules), text(string(weights.file(t, "F32", "")))
	dir["2_Dense/"+configFile] = text(`{"in_features":64,"out_features":3,"bias":false,"activation_function":"torch.nn.modules.linear.Identity"}`)
	e := newEmbedder(t, dir)
	if e.Dimensions() != 3 {
		t.Errorf("%d dimensions", e.Dimensions())
	}
	texts := []string{"the cat is", "cat"}
	all, err := plain.Embed(t.Context(), texts, embed.Passage)
	if err != nil {
		t.Fatal(err)
	}
	few, err := e.Embed(t.Context(), texts, embed.Passage)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range few {
		length := 0.0
		for j := range 3 {
			length += float64(all[i][5+j]) * float64(all[i][5+j])
		}
		for j := range 3 {
			if want := float64(all[i][5+j]) / math.Sqrt(length); math.Abs(float64(v[j])-want) > 1e-6 {
				t.Errorf("text %d: %v, want %v", i, v[j], want)
			}
		}
	}
}

func TestDenseRefuses(t *testing.T) {
	t.Parallel()
	file := wordCounts(t).file(t, "F32", "")
	weights := tensors{"linear.weight": {[]int{3, 64}, make([]float32, 3*64)}, "linear.bias": {[]int{3}, make([]float32, 3)}}
	for name, c := range map[string]struct {
		config string
		code   kb.Code
	}{
		"good":               {denseJSON, ""},
		"none":               {"", kb.NotFound},
		"broken":             {"{", kb.Damaged},
		"another input":      {`{"in_features":32,"out_features":3}`, kb.Invalid},
		"no output":          {`{"in_features":64,"out_features":0}`, kb.Invalid},
		"a huge output":      {`{"in_features":64,"out_features":1000000000}`, kb.Invalid},
		"another output":     {`{"in_features":64,"out_features":4}`, kb.Invalid},
		"another activation": {`{"in_features":64,"out_features":3,"activation_function":"torch.nn.modules.activation.ReLU"}`, kb.Invalid},
		"residual":           {`{"in_features":64,"out_features":3,"use_residual":true}`, kb.Invalid},
		"of each token":      {`{"in_features":64,"out_features":3,"module_input_name":"token_embeddings"}`, kb.Invalid},
	} {
		dir := directory(file)
		dir[modulesFile], dir["2_Dense/"+weightsFile] = text(denseModules), text(string(weights.file(t, "F32", "")))
		if c.config != "" {
			dir["2_Dense/"+configFile] = text(c.config)
		}
		e, err := New(Options{Dir: dir, Name: "test"})
		if err == nil {
			_, err = e.Embed(t.Context(), []string{"cat"}, embed.Query)
		}
		if (err == nil) != (c.code == "") || err != nil && kb.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}
