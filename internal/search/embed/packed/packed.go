package packed

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

// Options choose a model and how it runs.
type Options struct {
	Name       string // for embed.Embedder.Model
	Dimensions int
	MaxTokens  int // of a text, including its prefix and special tokens
	// File returns the packed file. It is called once, by the first call that needs it.
	File func() (string, error)

	CPU     string // a kernel set, as in kernel.Select; empty for the fastest
	Threads int    // number of threads for all callers; 0 for as many as Go may use
}

// Embedder is an embed.Embedder with a packed model.
type Embedder struct {
	opts    Options
	kernels kernel.Set
	load    func() (*loaded, error)
}

// loaded is the model after the first use.
type loaded struct {
	file      string
	model     *model.Model
	tokenizer *tokenizer.Tokenizer
	limit     int // maximum length of a passage, without prefix and special tokens
}

// New returns an embedder without loading the model; kb.Usage if the processor does not
// support opts.CPU.
func New(opts Options) (*Embedder, error) {
	k, err := kernel.Select(opts.CPU)
	if err != nil {
		return nil, err
	}
	if opts.Threads <= 0 {
		opts.Threads = runtime.GOMAXPROCS(0)
	}
	e := &Embedder{opts: opts, kernels: k}
	e.load = sync.OnceValues(e.open)
	return e, nil
}

// Open returns an embedder for the packed model in a file, with the name in the file. The
// file must not be changed in place while the process runs. A file that is not a packed
// model is kb.Damaged.
func Open(path, cpu string, threads int) (*Embedder, error) {
	file, err := model.MapFile(path)
	if err != nil {
		return nil, err
	}
	pack, err := model.OpenPack(file)
	if err != nil {
		return nil, err
	}
	info := pack.Info()
	return New(Options{
		Name: info.Name, Dimensions: info.Hidden, MaxTokens: info.MaxTokens,
		File: func() (string, error) { return file, nil }, CPU: cpu, Threads: threads,
	})
}

// open prepares the model. This costs almost nothing for the weights, and a millisecond for
// the tokenizer's table of 30,000 words.
func (e *Embedder) open() (*loaded, error) {
	file, err := e.opts.File()
	if err != nil {
		return nil, err
	}
	pack, err := model.OpenPack(file)
	if err != nil {
		return nil, err
	}
	m, err := pack.Model(e.kernels, e.opts.Threads)
	if err != nil {
		return nil, err
	}
	t, err := pack.Tokenizer()
	if err != nil {
		return nil, err
	}
	l := &loaded{file: file, model: m, tokenizer: t}
	if l.limit = l.limitOf(embed.Passage, e.opts.MaxTokens); l.limit < 1 {
		return nil, kb.Errorf(kb.Damaged, "the packed model's prefix leaves no room for text")
	}
	return l, nil
}

func (l *loaded) prefix(kind embed.Kind) string {
	if kind == embed.Query {
		return l.model.Info().QueryPrefix
	}
	return l.model.Info().PassagePrefix
}

// limitOf returns the maximum length of a text of a kind, without prefix and special tokens.
func (l *loaded) limitOf(kind embed.Kind, most int) int {
	return most - tokenizer.Specials - l.tokenizer.Count(l.prefix(kind))
}

// Verify compares the file with the checksum in its header.
func (e *Embedder) Verify() error {
	file, err := e.opts.File()
	if err != nil {
		return err
	}
	pack, err := model.OpenPack(file)
	if err != nil {
		return err
	}
	return pack.Verify()
}

// Rest removes the weights from the memory of the process. They are loaded again when they
// are used.
func (e *Embedder) Rest() {
	if l, err := e.load(); err == nil {
		model.Evict(l.file)
	}
}

// Model implements embed.Embedder.
func (e *Embedder) Model() string { return e.opts.Name }

// Dimensions implements embed.Embedder.
func (e *Embedder) Dimensions() int { return e.opts.Dimensions }

// MaxTokens implements embed.Embedder. If the model cannot be loaded it ignores the prefix
// of passages; Embed fails in that case anyway.
func (e *Embedder) MaxTokens() int {
	l, err := e.load()
	if err != nil {
		return e.opts.MaxTokens - tokenizer.Specials
	}
	return l.limit
}

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
	sequences := make([][]int32, len(texts))
	for i, text := range texts {
		ids := l.tokenizer.Encode(l.prefix(kind) + text)
		if len(ids) > e.opts.MaxTokens {
			// With a prefix a text may split into more tokens than without.
			limit := l.limitOf(kind, e.opts.MaxTokens)
			return nil, embed.TooLong(e.opts.Name, i, max(l.tokenizer.Count(text), limit+1), limit)
		}
		sequences[i] = ids
	}
	return l.model.Embed(ctx, sequences)
}
