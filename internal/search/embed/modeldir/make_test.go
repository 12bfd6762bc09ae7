package modeldir

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// words is a vocabulary that knows some words of the contract suite.
var words = strings.Fields("[PAD] [UNK] [CLS] [SEP] [MASK] the cat is on where napping ? . sleeps warm windowsill stone query : Cat")

var shape = model.Info{
	Hidden: 64, Intermediate: 96, Layers: 2, Heads: 2, Vocabulary: len(words), MaxTokens: 128, NormEpsilon: 1e-12,
}

// tensor is a tensor to be written.
type tensor struct {
	shape  []int
	values []float32
}

// tensors are weights by name.
type tensors map[string]tensor

// collect makes the weights of a model, every tensor by fill.
func collect(t testing.TB, info model.Info, fill func(name string, at []float32)) (tensors, *model.Weights) {
	t.Helper()
	all := tensors{}
	w, err := model.WeightsFrom(info, func(name string, shape ...int) ([]float32, error) {
		n := 1
		for _, size := range shape {
			n *= size
		}
		values := make([]float32, n)
		fill(name, values)
		all[name] = tensor{shape, values}
		return values, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, w
}

// random are weights without meaning, of values that every type can hold.
func random(t testing.TB) (tensors, *model.Weights) {
	rng := rand.New(rand.NewPCG(1, 2))
	return collect(t, shape, func(name string, at []float32) {
		for i := range at {
			at[i] = float32(rng.IntN(33)-16) / 64
			if strings.HasSuffix(name, "LayerNorm.weight") {
				at[i]++
			}
		}
	})
}

// wordCounts are weights whose vectors add up one direction a word: the layers
// pass on what they get. The first token has none, so that texts without a
// common word are far from each other.
func wordCounts(t testing.TB) tensors {
	all, _ := collect(t, shape, func(name string, at []float32) {
		for i := range at {
			switch {
			case strings.HasSuffix(name, "LayerNorm.weight"):
				at[i] = 1
			case name == "embeddings.word_embeddings.weight" && i/shape.Hidden == i%shape.Hidden && i/shape.Hidden != slices.Index(words, "[CLS]"):
				at[i] = 1
			}
		}
	})
	return all
}

// file writes tensors as a safetensors file.
func (all tensors) file(t testing.TB, dtype, prefix string) []byte {
	t.Helper()
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for name, tensor := range all {
		from := len(data)
		for _, v := range tensor.values {
			bits := math.Float32bits(v)
			switch dtype {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, bits)
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(bits>>16))
			case "F16":
				data = binary.LittleEndian.AppendUint16(data, half(bits))
			}
		}
		shape := tensor.shape
		header[prefix+name] = map[string]any{"dtype": dtype, "shape": shape, "data_offsets": []int{from, len(data)}}
	}
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...)
}

// half rounds the bits of a float32 towards zero, for values that are neither
// large nor subnormal.
func half(bits uint32) uint16 {
	if bits<<1 == 0 {
		return uint16(bits >> 16)
	}
	return uint16(bits>>16&0x8000) | uint16((bits>>23&0xff-112)<<10) | uint16(bits>>13&0x3ff)
}

const configJSON = `{"model_type":"bert","hidden_size":64,"intermediate_size":96,"num_hidden_layers":2,` +
	`"num_attention_heads":2,"vocab_size":%d,"max_position_embeddings":128,"hidden_act":"gelu","type_vocab_size":2,` +
	`"layer_norm_eps":1e-12}`

// directory is a model with mean pooling.
func directory(weights []byte) fstest.MapFS {
	return fstest.MapFS{
		configFile:  text(fmt.Sprintf(configJSON, len(words))),
		vocabFile:   text(strings.Join(words, "\n") + "\n"),
		weightsFile: {Data: weights},
		poolingFile: text(`{"word_embedding_dimension":64,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true}`),
		modulesFile: text(`[{"path":"","type":"sentence_transformers.models.Transformer"},{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`),
	}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
