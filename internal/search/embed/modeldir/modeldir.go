package modeldir

import (
	"context"
	"io/fs"
	"runtime"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// Options select a model and its settings.
type Options struct {
	Dir  fs.FS  // directory of the model; its files support reads at an offset, like those of os.DirFS
	Name string // for embed.Embedder.Model

	// The prefixes, if not nil, replace those of the directory: many models, such as the
	// older E5, name theirs only in their description.
	QueryPrefix   *string
	PassagePrefix *string

	CPU     string // a kernel set, as in kernel.Select; empty for the fastest
	Threads int    // number of threads for all callers; 0 for as many as Go may use
}

// Embedder is an embed.Embedder with the model of a directory.
type Embedder struct {
	name      string
	config    config
	tokenizer func() (*tokenizer.Tokenizer, error)
	model     func() (*model.Model, error)
}

// New reads the configuration of a model, but not its words and weights. A directory without
// a configuration is kb.NotFound, a model of another kind kb.Invalid, and an unreadable one
// kb.Damaged.
func New(opts Options) (*Embedder, error) {
	k, err := kernel.Select(opts.CPU)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(opts.Dir)
	if err != nil {
		return nil, err
	}
	c.info.Name = opts.Name
	if opts.QueryPrefix != nil {
		c.queryPrefix = *opts.QueryPrefix
	}
	if opts.PassagePrefix != nil {
		c.passagePrefix = *opts.PassagePrefix
	}
	threads := opts.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Embedder{
		name:   opts.Name,
		config: c,
		tokenizer: sync.OnceValues(func() (*tokenizer.Tokenizer, error) {
			return loadTokenizer(opts.Dir, c)
		}),
		model: sync.OnceValues(func() (*model.Model, error) {
			return loadModel(opts.Dir, c, k, threads)
		}),
	}, nil
}

// Model implements embed.Embedder.
func (e *Embedder) Model() string { return e.name }

// Dimensions implements embed.Embedder.
func (e *Embedder) Dimensions() int { return e.config.dimensions }

// MaxTokens implements embed.Embedder. Without a tokenizer it ignores the prefix of
// passages; Embed fails in that case anyway.
func (e *Embedder) MaxTokens() int {
	t, err := e.tokenizer()
	if err != nil {
		return e.config.maxTokens - tokenizer.Specials
	}
	return e.limit(t, embed.Passage)
}

// limit returns the maximum length of a text of a kind, without prefix and special tokens.
func (e *Embedder) limit(t *tokenizer.Tokenizer, kind embed.Kind) int {
	return e.config.maxTokens - tokenizer.Specials - t.Count(e.prefix(kind))
}

func (e *Embedder) prefix(kind embed.Kind) string {
	if kind == embed.Query {
		return e.config.queryPrefix
	}
	return e.config.passagePrefix
}

// CountTokens implements embed.Embedder. It does not load the weights.
func (e *Embedder) CountTokens(text string) (int, error) {
	t, err := e.tokenizer()
	if err != nil {
		return 0, err
	}
	return t.Count(text), nil
}

// Embed implements embed.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string, kind embed.Kind) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := e.tokenizer()
	if err != nil {
		return nil, err
	}
	sequences := make([][]int32, len(texts))
	for i, text := range texts {
		ids := t.Encode(e.prefix(kind) + text)
		if len(ids) > e.config.maxTokens {
			// A text that just fits without the prefix may not fit with it, since the best
			// way to split it can change.
			limit := e.limit(t, kind)
			return nil, embed.TooLong(e.name, i, max(t.Count(text), limit+1), limit)
		}
		sequences[i] = ids
	}
	m, err := e.model()
	if err != nil {
		return nil, err
	}
	vectors, err := m.Embed(ctx, sequences)
	if err != nil {
		return nil, err
	}
	for _, v := range vectors {
		for _, x := range v {
			if x != x {
				return nil, kb.Errorf(kb.Damaged, "%s computes vectors that are not numbers", e.name).
					WithHint("get the model's files again")
			}
		}
	}
	return vectors, nil
}
