package bge

import (
	"context"
	"runtime"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// Name is the name of the built-in model.
const Name = "bge-small-en-v1.5"

// Dimensions is the length of its vectors.
const Dimensions = 384

const maxTokens = 512

// Options choose how the model runs.
type Options struct {
	CPU     string // a kernel set, as in kernel.Select; empty for the fastest
	Threads int    // at once, over all callers; 0 for as many as Go may use
}

// Available reports whether this build has the model's weights.
func Available() bool { return packed != "" }

// Embedder is the built-in embed.Embedder.
type Embedder struct {
	kernels kernel.Set
	threads int
	load    func() (*loaded, error)
}

// loaded is the model once it is needed.
type loaded struct {
	model     *model.Model
	tokenizer *tokenizer.Tokenizer
}

// New returns the built-in embedder, without loading it. In a slim build it
// fails with kb.NotFound, and for a processor that cannot run opts.CPU with
// kb.Usage.
func New(opts Options) (*Embedder, error) {
	if !Available() {
		return nil, kb.Errorf(kb.NotFound, "this build has no embedding model").
			WithReason(kb.NoBuiltInModel)
	}
	k, err := kernel.Select(opts.CPU)
	if err != nil {
		return nil, err
	}
	threads := opts.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	e := &Embedder{kernels: k, threads: threads}
	e.load = sync.OnceValues(e.open)
	return e, nil
}

// open makes the model ready: about a millisecond for the tokenizer's table,
// next to nothing for the weights.
func (e *Embedder) open() (*loaded, error) {
	pack, err := model.OpenPack(packed)
	if err != nil {
		return nil, err
	}
	m, err := pack.Model(e.kernels, e.threads)
	if err != nil {
		return nil, err
	}
	words, err := pack.Vocabulary()
	if err != nil {
		return nil, err
	}
	t, err := tokenizer.New(words)
	if err != nil {
		return nil, err
	}
	return &loaded{m, t}, nil
}

// Rest takes the weights out of the process, which needs them only while it
// embeds. They come back as they are used.
func Rest() { model.Evict(packed) }

// Model implements embed.Embedder.
func (e *Embedder) Model() string { return Name }

// Dimensions implements embed.Embedder.
func (e *Embedder) Dimensions() int { return Dimensions }

// MaxTokens implements embed.Embedder.
func (e *Embedder) MaxTokens() int { return maxTokens - tokenizer.Specials }

// Kernels names the kernels in use, for diagnostics.
func (e *Embedder) Kernels() string { return e.kernels.Name() }

// CountTokens implements embed.Embedder.
func (e *Embedder) CountTokens(text string) (int, error) {
	l, err := e.load()
	if err != nil {
		return 0, err
	}
	return l.tokenizer.Count(text), nil
}

// Embed implements embed.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string, kind embed.Kind) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := e.load()
	if err != nil {
		return nil, err
	}
	prefix := ""
	if kind == embed.Query {
		prefix = l.model.Info().QueryPrefix
	}
	sequences := make([][]int32, len(texts))
	for i, text := range texts {
		ids := l.tokenizer.Encode(prefix + text)
		if len(ids) > maxTokens {
			return nil, tooLong(i, l.tokenizer.Count(text), maxTokens-tokenizer.Specials-l.tokenizer.Count(prefix))
		}
		sequences[i] = ids
	}
	return l.model.Embed(ctx, sequences)
}

func tooLong(index, tokens, limit int) error {
	return kb.Errorf(kb.Invalid, "text %d has %d tokens; %s takes %d", index, tokens, Name, limit).
		WithHint("split the text into parts of at most %d tokens", limit).
		With("index", index).With("tokens", tokens).With("max_tokens", limit)
}
