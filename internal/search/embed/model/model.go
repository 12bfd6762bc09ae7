package model

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// Model is a sentence encoder. It may be used by several goroutines at once.
type Model struct {
	info      Info
	kernels   kernel.Set
	tokens    tokenTable
	positions []float32
	second    []float32 // Weights.Second
	padding   *Padding
	distances []float32 // Weights.Distances
	// projections transform a pooled row into a vector, if there are any.
	projections []Projection
	norm        Norm
	layers      []layer

	// free holds one entry per thread; nil means a workspace that is not allocated yet.
	// Taking an entry is the permission to run, so that all callers together use no more
	// memory and threads than this.
	free chan *workspace
}

// Info returns the description of the model.
func (m *Model) Info() Info { return m.info }

// newModel makes a model without weights.
func newModel(info Info, k kernel.Set, threads int) (*Model, error) {
	if err := info.Check(); err != nil {
		return nil, err
	}
	m := &Model{info: info, kernels: k, free: make(chan *workspace, max(threads, 1))}
	for range cap(m.free) {
		m.free <- nil
	}
	return m, nil
}

// FromWeights makes a model that computes in float32, as the reference for int8.
func FromWeights(info Info, w *Weights, k kernel.Set, threads int) (*Model, error) {
	m, err := newModel(info, k, threads)
	if err != nil {
		return nil, err
	}
	m.tokens, m.positions, m.norm = floatTable(w.Tokens), w.Positions, w.Norm
	if m.second = w.Second; m.second != nil && len(m.second) != info.Hidden {
		return nil, kb.Errorf(kb.Invalid, "the type of a second text has %d values instead of %d", len(m.second), info.Hidden)
	}
	if m.padding = w.Padding; m.padding != nil && len(m.padding.Position) != info.Hidden {
		return nil, kb.Errorf(kb.Invalid, "the position of padding has %d values instead of %d", len(m.padding.Position), info.Hidden)
	}
	if m.distances = w.Distances; m.distances != nil && len(m.distances) != info.Heads*(2*info.MaxTokens-1) {
		return nil, kb.Errorf(kb.Invalid, "the model has %d distances, not %d for each head", len(m.distances), 2*info.MaxTokens-1)
	}
	if err := checkProjections(info, w.Projections); err != nil {
		return nil, err
	}
	m.projections = w.Projections
	for _, l := range w.Layers {
		m.addLayer(packFloat(l.QKV), packFloat(l.Out), packFloat(l.Up), packFloat(l.Down), l.AttentionNorm, l.Norm)
	}
	return m, nil
}

func (m *Model) addLayer(qkv, out, up, down linear, attentionNorm, norm Norm) {
	h := m.info.Hidden
	m.layers = append(m.layers, layer{
		qkv: qkv, query: qkv.columns(0, h), keyValue: qkv.columns(h, 3*h),
		out: out, up: up, down: down, attentionNorm: attentionNorm, norm: norm,
	})
}

// output is the form of the result of a sequence.
type output int

const (
	textVector   output = iota // a unit vector, by the model's pooling
	tokenVectors               // a unit vector of each token, one after the other
	plainResult                // projections of the first token, without normalisation
)

// Embed returns a unit vector for each sequence of token ids, in order. A sequence includes
// its special tokens and has at most MaxTokens tokens. It returns ctx's error soon after ctx
// is done.
func (m *Model) Embed(ctx context.Context, sequences [][]int32) ([][]float32, error) {
	return m.compute(ctx, sequences, textVector)
}

// Tokens is Embed for the unit vectors of all tokens of a sequence, including special ones,
// concatenated. For most models it takes some tenths more time than Embed.
func (m *Model) Tokens(ctx context.Context, sequences [][]int32) ([][]float32, error) {
	return m.compute(ctx, sequences, tokenVectors)
}

// Project is Embed with the projected first token of a sequence as the result, without
// normalisation: the head of a classifier. A token of the second text of a pair has its id
// plus Vocabulary, if the model has Weights.Second.
func (m *Model) Project(ctx context.Context, sequences [][]int32) ([][]float32, error) {
	return m.compute(ctx, sequences, plainResult)
}

func (m *Model) compute(ctx context.Context, sequences [][]int32, what output) ([][]float32, error) {
	ids := m.info.Vocabulary
	if m.second != nil {
		ids *= 2
	}
	for i, sequence := range sequences {
		if len(sequence) == 0 || len(sequence) > m.info.MaxTokens {
			return nil, kb.Errorf(kb.Invalid, "sequence %d has %d tokens, not 1 to %d", i, len(sequence), m.info.MaxTokens)
		}
		for _, id := range sequence {
			if id < 0 || int(id) >= ids {
				return nil, kb.Errorf(kb.Invalid, "sequence %d holds token %d of a vocabulary of %d",
					i, id, m.info.Vocabulary)
			}
		}
	}
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(sequences[b]), len(sequences[a])) })
	sorted := make([][]int32, len(sequences))
	for i, at := range order {
		sorted[i] = sequences[at]
	}
	vectors := make([][]float32, len(sequences))
	if err := m.run(ctx, sorted, vectors, what); err != nil {
		return nil, err
	}
	out := make([][]float32, len(sequences))
	for i, at := range order {
		out[at] = vectors[i]
	}
	return out, nil
}

// run embeds sequences with one thread per workspace: first chunks for single threads, then
// those for all threads together. Other callers can run between two chunks, so that a
// question never waits for many texts.
func (m *Model) run(ctx context.Context, sequences [][]int32, vectors [][]float32, what output) error {
	bounds, alone := plan(sequences, cap(m.free))
	var next atomic.Int64
	errs := make([]error, min(alone, cap(m.free)))
	var wg sync.WaitGroup
	for t := range errs {
		wg.Go(func() {
			for errs[t] == nil {
				n := int(next.Add(1)) - 1
				if n >= alone {
					return
				}
				errs[t] = m.chunk(ctx, 1, sequences[bounds[n]:bounds[n+1]], vectors[bounds[n]:bounds[n+1]], what)
			}
		})
	}
	wg.Wait()
	err := cmp.Or(errs...)
	for n := alone; n < len(bounds)-1 && err == nil; n++ {
		err = m.chunk(ctx, cap(m.free), sequences[bounds[n]:bounds[n+1]], vectors[bounds[n]:bounds[n+1]], what)
	}
	return err
}

// chunk embeds sequences with up to size workspaces: it waits for one, and takes more if
// they are free now.
func (m *Model) chunk(ctx context.Context, size int, sequences [][]int32, vectors [][]float32, what output) error {
	var team []*workspace
	take := func(ws *workspace) {
		if ws == nil {
			ws = newWorkspace(m.info)
		}
		team = append(team, ws)
	}
	defer func() {
		for _, ws := range team {
			m.free <- ws
		}
	}()
	select {
	case ws := <-m.free:
		take(ws)
	case <-ctx.Done():
		return ctx.Err()
	}
	for range size - 1 {
		select {
		case ws := <-m.free:
			take(ws)
		default:
		}
	}
	return m.forward(ctx, team, sequences, vectors, what)
}
