package modeldir

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// family describes how the models of one model_type differ from BERT.
type family struct {
	// heading is the prefix of tensor names in checkpoints of larger models.
	heading string
	// names turns the names of BERT's tensors into those of the family.
	names *strings.Replacer
	// pads means that positions start after that of the padding token.
	pads bool
	// relative means that scores also depend on distances.
	relative bool
	// reshape converts a configuration to BERT's keys; nil if it has these.
	reshape func(*shapeFile)
}

// families are the supported model_types.
var families = map[string]family{
	"bert": {heading: "bert.", names: strings.NewReplacer()},
	"distilbert": {heading: "distilbert.", reshape: distilled, names: strings.NewReplacer(
		"encoder.layer.", "transformer.layer.",
		"attention.self.query", "attention.q_lin",
		"attention.self.key", "attention.k_lin",
		"attention.self.value", "attention.v_lin",
		"attention.output.dense", "attention.out_lin",
		"attention.output.LayerNorm", "sa_layer_norm",
		"intermediate.dense", "ffn.lin1",
		".output.dense", ".ffn.lin2",
		".output.LayerNorm", ".output_layer_norm",
	)},
	"roberta":     {heading: "roberta.", pads: true, names: strings.NewReplacer()},
	"xlm-roberta": {heading: "roberta.", pads: true, names: strings.NewReplacer()},
	"camembert":   {heading: "roberta.", pads: true, names: strings.NewReplacer()},
	"mpnet": {heading: "mpnet.", pads: true, relative: true, reshape: permuted, names: strings.NewReplacer(
		"attention.self.query", "attention.attn.q",
		"attention.self.key", "attention.attn.k",
		"attention.self.value", "attention.attn.v",
		"attention.output.dense", "attention.attn.o",
		"attention.output.LayerNorm", "attention.LayerNorm",
	)},
}

// familyNames lists the model_types for error messages.
func familyNames() string { return strings.Join(slices.Sorted(maps.Keys(families)), ", ") }

// Tensors with a shape that differs from BERT's in some families.
const (
	typesTensor     = "embeddings.token_type_embeddings.weight"
	positionsTensor = "embeddings.position_embeddings.weight"
	distancesTensor = "encoder.relative_attention_bias.weight"
)

// encoder collects the weights of the encoder.
func (c config) encoder(file *weights) (*model.Weights, error) {
	var before []float32 // positions before that of the first token
	w, err := model.WeightsFrom(c.info, func(name string, shape ...int) ([]float32, error) {
		switch name {
		case typesTensor:
			return c.types(file, shape)
		case positionsTensor:
			all, err := c.tensor(file, name, c.firstPosition+shape[0], shape[1])
			if err != nil {
				return nil, err
			}
			before, all = all[:c.firstPosition*shape[1]], all[c.firstPosition*shape[1]:]
			return all, nil
		}
		return c.tensor(file, name, shape...)
	})
	if err == nil && c.family.pads {
		w.Padding, err = c.padding(file, before)
	}
	if err == nil && c.family.relative {
		var buckets []float32
		if buckets, err = c.tensor(file, distancesTensor, distanceBuckets, c.info.Heads); err == nil {
			w.Distances = distances(buckets, c.info.Heads, c.info.MaxTokens)
		}
	}
	return w, err
}

// padding is the position of a padding token that is spelled out in a text: the last one
// before that of the first token.
func (c config) padding(file *weights, before []float32) (*model.Padding, error) {
	p := &model.Padding{Token: int32(c.firstPosition - 1), Position: slices.Clone(before[len(before)-c.info.Hidden:])}
	types, err := c.types(file, []int{1, c.info.Hidden})
	if err != nil {
		return nil, err
	}
	for i, v := range types {
		p.Position[i] += v
	}
	return p, nil
}

// tensor reads a tensor by its name in BERT.
func (c config) tensor(w *weights, name string, shape ...int) ([]float32, error) {
	name = c.family.names.Replace(name)
	if !w.has(name) && w.has(c.family.heading+name) {
		name = c.family.heading + name
	}
	return w.floats(name, shape...)
}

// types returns the embeddings of token types. Only the first is used, so there may be fewer
// or more than in BERT, or none.
func (c config) types(w *weights, shape []int) ([]float32, error) {
	all := make([]float32, shape[0]*shape[1])
	if c.tokenTypes == 0 {
		return all, nil
	}
	have, err := c.tensor(w, typesTensor, c.tokenTypes, shape[1])
	copy(all, have) // have may be longer or shorter
	return all, err
}
