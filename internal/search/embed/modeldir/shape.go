package modeldir

import (
	"io/fs"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

const (
	// maxPositions bounds the memory of one thread.
	maxPositions = 1 << 14
	// maxTypes bounds the token types; only one is used.
	maxTypes = 16
)

// gelus are the activations that are computed with the exact GELU. The approximations by
// tanh are within 5e-4 of it, which changes vectors less than rounding to 16 bits does;
// tests check that.
var gelus = []string{"gelu", "gelu_python", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"}

// shapeFile is the relevant part of a config.json.
type shapeFile struct {
	Type       string  `json:"model_type"`
	Hidden     int     `json:"hidden_size"`
	Wide       int     `json:"intermediate_size"`
	Layers     int     `json:"num_hidden_layers"`
	Heads      int     `json:"num_attention_heads"`
	Vocabulary int     `json:"vocab_size"`
	Positions  int     `json:"max_position_embeddings"`
	Types      int     `json:"type_vocab_size"`
	Epsilon    float32 `json:"layer_norm_eps"`
	Activation string  `json:"hidden_act"`
	Position   string  `json:"position_embedding_type"`
	Padding    int     `json:"pad_token_id"`
	Buckets    int     `json:"relative_attention_num_buckets"`

	// DistilBERT's names for the same values.
	Dim         int    `json:"dim"`
	HiddenDim   int    `json:"hidden_dim"`
	NLayers     int    `json:"n_layers"`
	NHeads      int    `json:"n_heads"`
	DActivation string `json:"activation"`
}

func (c *config) readShape(dir fs.FS) error {
	f := shapeFile{Types: 2, Epsilon: usualEpsilon, Activation: "gelu", DActivation: "gelu", Position: "absolute", Padding: 1, Buckets: distanceBuckets}
	found, err := readJSON(dir, configFile, &f)
	if err != nil {
		return err
	}
	if !found {
		return kb.Errorf(kb.NotFound, "%s is missing in the model's directory", configFile).
			WithHint("name the directory that holds %s and %s", configFile, weightsFile)
	}
	known := false
	if c.family, known = families[f.Type]; !known {
		return unsupported("its model_type is %.40q, not one of %s", f.Type, familyNames())
	}
	if c.family.reshape != nil {
		c.family.reshape(&f)
	}
	switch {
	case !slices.Contains(gelus, f.Activation):
		return unsupported("its activation is %.40q, not GELU", f.Activation)
	case f.Position != "absolute":
		return unsupported("its positions are %.40q, not absolute", f.Position)
	case f.Types < 0 || f.Types > maxTypes:
		return unsupported("it has %d token types, not 0 to %d", f.Types, maxTypes)
	case !(f.Epsilon > 0 && f.Epsilon < 1): // also for NaN
		return unsupported("its layer_norm_eps is %v", f.Epsilon)
	case f.Positions > maxPositions:
		return unsupported("it has %d positions, more than %d", f.Positions, maxPositions)
	}
	if c.family.relative && f.Buckets != distanceBuckets {
		return unsupported("it has %d buckets of distances, not %d", f.Buckets, distanceBuckets)
	}
	if c.family.pads {
		// The first token has the position after that of padding.
		if f.Padding < 0 || f.Padding >= f.Positions {
			return unsupported("its pad_token_id is %d, of %d positions", f.Padding, f.Positions)
		}
		c.firstPosition = f.Padding + 1
		f.Positions -= c.firstPosition
	}
	c.info = model.Info{
		Hidden: f.Hidden, Intermediate: f.Wide, Layers: f.Layers, Heads: f.Heads,
		Vocabulary: f.Vocabulary, MaxTokens: f.Positions, NormEpsilon: f.Epsilon,
	}
	c.maxTokens, c.tokenTypes, c.dimensions = f.Positions, f.Types, f.Hidden
	return c.info.Check()
}

// usualEpsilon is the default that the families add to a variance.
const usualEpsilon = 1e-12

// distilled converts the shape of a DistilBERT to BERT's keys.
func distilled(f *shapeFile) {
	f.Hidden, f.Wide, f.Layers, f.Heads, f.Activation = f.Dim, f.HiddenDim, f.NLayers, f.NHeads, f.DActivation
	f.Types, f.Epsilon, f.Position = 0, usualEpsilon, "absolute"
}

// permuted sets the shape of an MPNet, which has no token types and a fixed
// padding.
func permuted(f *shapeFile) { f.Types, f.Padding = 0, 1 }
