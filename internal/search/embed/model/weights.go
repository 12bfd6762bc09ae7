package model

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Weights are a model's float weights, as trained.
type Weights struct {
	Tokens    []float32 // [Vocabulary][Hidden]
	Positions []float32 // [MaxTokens][Hidden], the embedding of token type 0 added
	Norm      Norm
	Layers    []LayerWeights

	// Second is added to tokens of the second text of a pair: [Hidden], the embedding of
	// token type 1 minus that of type 0. It is nil for a model without pairs.
	Second []float32
	// Padding is nil in models without it, such as BERT.
	Padding *Padding
	// Distances, if there are any, are [Heads][2*MaxTokens-1]: biases added to the score of
	// a key by its distance from the query, from MaxTokens-1 before it to MaxTokens-1 after
	// it, in every layer.
	Distances []float32
	// Projections are applied after the pooling, in order; usually there are none.
	Projections []Projection
}

// Padding is a token that takes no position, as in RoBERTa: the position of the next token
// is not affected by it.
type Padding struct {
	Token    int32
	Position []float32 // [Hidden]
}

// LayerWeights are the float weights of one encoder layer.
type LayerWeights struct {
	QKV, Out, Up, Down Dense
	AttentionNorm      Norm
	Norm               Norm
}

// Dense is a float matrix with bias: y = W·x + Bias.
type Dense struct {
	In, Out int
	W       []float32 // [Out][In]
	Bias    []float32
}

// Norm holds the parameters of a layer normalisation.
type Norm struct{ Gamma, Beta []float32 }

// Tensors returns a float tensor by its name in Hugging Face's BERT (matrices as [out][in]),
// or an error if none has that name and shape.
type Tensors func(name string, shape ...int) ([]float32, error)

// WeightsFrom collects the weights of a model from its tensors.
func WeightsFrom(info Info, get Tensors) (*Weights, error) {
	if err := info.Check(); err != nil {
		return nil, err
	}
	c := collector{get: get}
	h := info.Hidden
	w := &Weights{
		Tokens:    c.take("embeddings.word_embeddings.weight", info.Vocabulary, h),
		Positions: append([]float32(nil), c.take("embeddings.position_embeddings.weight", info.MaxTokens, h)...),
		Norm:      c.norm("embeddings.LayerNorm", h),
	}
	types := c.take("embeddings.token_type_embeddings.weight", 2, h)
	for n := range info.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", n)
		w.Layers = append(w.Layers, LayerWeights{
			QKV: stack(c.dense(p+"attention.self.query", h, h),
				c.dense(p+"attention.self.key", h, h), c.dense(p+"attention.self.value", h, h)),
			Out:           c.dense(p+"attention.output.dense", h, h),
			Up:            c.dense(p+"intermediate.dense", h, info.Intermediate),
			Down:          c.dense(p+"output.dense", info.Intermediate, h),
			AttentionNorm: c.norm(p+"attention.output.LayerNorm", h),
			Norm:          c.norm(p+"output.LayerNorm", h),
		})
		if c.err != nil {
			break // the number of layers is unverified until their tensors are read
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	for i := range w.Positions {
		w.Positions[i] += types[i%h]
	}
	return w, nil
}

// collector reads tensors until the first missing one.
type collector struct {
	get Tensors
	err error
}

func (c *collector) take(name string, shape ...int) []float32 {
	if c.err != nil {
		return nil
	}
	values := 1
	for _, n := range shape {
		values *= n
	}
	t, err := c.get(name, shape...)
	switch {
	case err != nil:
		c.err = err
	case len(t) != values:
		c.err = kb.Errorf(kb.Invalid, "tensor %s has %d values instead of %d", name, len(t), values)
	}
	if c.err != nil {
		return nil
	}
	return t
}

func (c *collector) dense(name string, in, out int) Dense {
	return Dense{In: in, Out: out, W: c.take(name+".weight", out, in), Bias: c.take(name+".bias", out)}
}

func (c *collector) norm(name string, n int) Norm {
	return Norm{Gamma: c.take(name+".weight", n), Beta: c.take(name+".bias", n)}
}

// stack puts matrices with the same inputs one below the other.
func stack(parts ...Dense) Dense {
	all := Dense{In: parts[0].In}
	for _, p := range parts {
		all.Out += p.Out
		all.W = append(all.W, p.W...)
		all.Bias = append(all.Bias, p.Bias...)
	}
	return all
}
