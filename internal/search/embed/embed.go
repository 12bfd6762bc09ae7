package embed

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Kind is the role of a text. Many models are trained on pairs of a question and a passage
// and expect questions to be marked.
type Kind int

// The kinds.
const (
	Passage Kind = iota // text to be found
	Query               // question
)

// ErrNotTaken means that a model refused a text for a reason other than its length, but
// accepts others.
var ErrNotTaken = errors.New("the text was not taken")

// ErrAway means that the model's server did not answer at all, for example
// because it is not running.
var ErrAway = errors.New("the model does not answer")

// Embedder converts texts to vectors. The dot product of two vectors is the semantic
// similarity of their texts. Implementations are safe for concurrent use.
type Embedder interface {
	// Model returns the name of the model. Vectors of models with different names cannot be
	// compared.
	Model() string

	// Dimensions is the length of every vector.
	Dimensions() int

	// MaxTokens is the greatest CountTokens of a passage that Embed accepts; the limit of a
	// query may be lower because of the model's prefix.
	MaxTokens() int

	// CountTokens returns the length of a text in the model's own tokens,
	// without those that the model adds around it.
	CountTokens(text string) (int, error)

	// Embed returns one vector of length one for each text, in order. The vector of a text
	// does not depend on the other texts. A text that is too long fails the whole call with
	// kb.Invalid and the details index, tokens and max_tokens, counted like CountTokens. A
	// text of at most max_tokens is not too long for the embedder, but may be for a server
	// behind it. A text that is refused for another reason fails with an error that wraps
	// ErrNotTaken and the detail index. When ctx is done, Embed soon returns ctx's error.
	Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error)
}

// TooLong is the error of Embed for a text that is too long.
func TooLong(model string, index, tokens, limit int) error {
	return kb.Errorf(kb.Invalid, "text %d has %d tokens; %s takes %d", index, tokens, model, limit).
		WithHint("split the text into parts of at most %d tokens", limit).
		With("index", index).With("tokens", tokens).With("max_tokens", limit)
}
