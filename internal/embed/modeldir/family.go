package modeldir

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed/model"
)

// family is how the models of one model_type differ from BERT.
type family struct {
	// heading stands before the names of tensors in checkpoints of larger models.
	heading string
	// names turns the names of BERT's tensors into those of the family.
	names *strings.Replacer
	// reshape puts a configuration in BERT's words; nil when it is.
	reshape func(*shapeFile)
}

// families are the model_types that are computed here.
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
}

// familyNames lists the model_types for messages.
func familyNames() string { return strings.Join(slices.Sorted(maps.Keys(families)), ", ") }

const typesTensor = "embeddings.token_type_embeddings.weight"

// tensors finds the tensors of a model by the names and in the shapes that
// BERT's have.
func (c config) tensors(w *weights) model.Tensors {
	return func(name string, shape ...int) ([]float32, error) {
		if name == typesTensor {
			return c.types(w, shape)
		}
		return c.tensor(w, name, shape...)
	}
}

// tensor finds a tensor by its name in BERT.
func (c config) tensor(w *weights, name string, shape ...int) ([]float32, error) {
	name = c.family.names.Replace(name)
	if !w.has(name) && w.has(c.family.heading+name) {
		name = c.family.heading + name
	}
	return w.floats(name, shape...)
}

// types returns the embeddings of token types, of which only the first is
// used: the others may be fewer or more than BERT's, or not be there.
func (c config) types(w *weights, shape []int) ([]float32, error) {
	all := make([]float32, shape[0]*shape[1])
	if c.tokenTypes == 0 {
		return all, nil
	}
	have, err := c.tensor(w, typesTensor, c.tokenTypes, shape[1])
	copy(all, have)
	return all, err
}
