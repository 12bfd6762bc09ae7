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
	MaxTokens  int // of a text with its prefix and special tokens
	// File returns the packed file. It is called once, by the first call that needs it.
	File func() (string, error)

	CPU     string // a kernel set, as in kernel.Select; empty for the fastest
	Threads int    // at once, over all callers; 0 for as many as Go may use
}

// Embedder is an embed.Embedder of a packed model.
type Embedder struct {
	opts    Options
	kernels kernel.Set
	load    func() (*loaded, error)
}

// loaded is the model once it is needed.
type loaded struct {
	file      string
	model     *model.Model
	tokenizer *tokenizer.Tokenizer
	limit     int // longest passage, without prefix and special tokens
}

// New returns an embedder without loading the model; kb.Usage for a processor that
// cannot run opts.CPU.
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

// Open returns an embedder of the packed model in a file, by its own name. The file must
// not be changed in place as long as the process runs. A file that is none gives
// kb.Damaged.
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

// open makes the model ready: next to nothing for the weights, and for the tokenizer's
// table a millisecond for 30,000 words.
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

// limitOf is the longest text of a kind, without prefix and special tokens.
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

// Rest takes the weights out of the process, which needs them only while it embeds.
// They come back as they are used.
func (e *Embedder) Rest() {
	if l, err := e.load(); err == nil {
		model.Evict(l.file)
	}
}

// Model implements embed.Embedder.
func (e *Embedder) Model() string { return e.opts.Name }

// Dimensions implements embed.Embedder.
func (e *Embedder) Dimensions() int { return e.opts.Dimensions }

// MaxTokens implements embed.Embedder. Of a model that cannot be loaded it leaves the
// prefix of passages out of account; Embed then fails in any case.
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
			// Behind a prefix a text may split into more tokens than alone.
			limit := l.limitOf(kind, e.opts.MaxTokens)
			return nil, embed.TooLong(e.opts.Name, i, max(l.tokenizer.Count(text), limit+1), limit)
		}
		sequences[i] = ids
	}
	return l.model.Embed(ctx, sequences)
}
