package embed

import (
	"context"
	"errors"
)

// Kind says what a text is to an embedder. Many models are trained on pairs
// of a question and a passage and expect the question to be marked.
type Kind int

// The kinds.
const (
	Passage Kind = iota // text to be found
	Query               // text that asks
)

// ErrNotTaken says that a model did not take one text, without saying that it is
// too long, and that it takes others.
var ErrNotTaken = errors.New("the text was not taken")

// ErrAway says that whatever runs a model gave no answer at all, as where its server is
// not running.
var ErrAway = errors.New("the model does not answer")

// Embedder turns texts into vectors whose dot product is their similarity in
// meaning. Implementations may be used by several goroutines at once.
type Embedder interface {
	// Model names the model. Vectors of different names cannot be compared.
	Model() string

	// Dimensions is the length of every vector.
	Dimensions() int

	// MaxTokens is the greatest CountTokens that Embed takes for a passage; a
	// query may have to be shorter by the model's prefix.
	MaxTokens() int

	// CountTokens returns the length of a text in the model's own tokens,
	// without what the model adds around it.
	CountTokens(text string) (int, error)

	// Embed returns one vector of length one for each text, in order. The
	// vector of a text does not depend on the texts beside it. A text that is
	// too long fails the whole call with kb.Invalid and the details index,
	// tokens and max_tokens, which are as CountTokens counts: a text of at most
	// max_tokens is not too long for the embedder, though it may be for a server
	// behind it. One that is not taken for another reason, with an
	// error that wraps ErrNotTaken and the detail index. When ctx is done it returns ctx's error soon.
	Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error)
}
