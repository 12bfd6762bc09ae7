package model

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/kb"
)

// chunkTokens is how many tokens a thread takes at once, if a single text is
// not longer: enough that short texts fill the kernels' row blocks, few enough
// that threads finish together and cancelling is quick.
const chunkTokens = 256

// Model is a sentence encoder. It may be used by several goroutines at once.
type Model struct {
	info      Info
	kernels   kernel.Set
	tokens    tokenTable
	positions []float32
	padding   *Padding
	distances []float32 // Weights.Distances
	// projections make a pooled row a vector, where there are any.
	projections []Projection
	norm        Norm
	layers      []layer

	// free holds one entry a thread; nil stands for a workspace not made yet.
	// Taking one is the right to run, so all callers together use no more
	// memory and no more threads than this.
	free chan *workspace
}

// Info returns what there is to know about the model.
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

// FromWeights makes a model that computes in float32, the reference for what
// int8 loses.
func FromWeights(info Info, w *Weights, k kernel.Set, threads int) (*Model, error) {
	m, err := newModel(info, k, threads)
	if err != nil {
		return nil, err
	}
	m.tokens, m.positions, m.norm = floatTable(w.Tokens), w.Positions, w.Norm
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

// Embed returns a unit vector for each sequence of token ids, in their order.
// A sequence has its special tokens already and is at most MaxTokens long. It
// returns ctx's error soon after ctx is done.
func (m *Model) Embed(ctx context.Context, sequences [][]int32) ([][]float32, error) {
	for i, ids := range sequences {
		if len(ids) == 0 || len(ids) > m.info.MaxTokens {
			return nil, kb.Errorf(kb.Invalid, "sequence %d has %d tokens, not 1 to %d", i, len(ids), m.info.MaxTokens)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= m.info.Vocabulary {
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
	if err := m.run(ctx, sorted, vectors); err != nil {
		return nil, err
	}
	out := make([][]float32, len(sequences))
	for i, at := range order {
		out[at] = vectors[i]
	}
	return out, nil
}

// run embeds sequences on as many threads as there are workspaces: a chunk
// each, or several to a chunk when there are few.
func (m *Model) run(ctx context.Context, sequences [][]int32, vectors [][]float32) error {
	bounds := chunks(sequences)
	threads := min(len(bounds)-1, cap(m.free))
	if threads == 0 {
		return nil
	}
	var next atomic.Int64
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() {
			errs[t] = m.worker(ctx, cap(m.free)/threads, &next, bounds, sequences, vectors)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// worker embeds chunks until none is left, with up to size workspaces: one
// that it waits for, and more if they are free now.
func (m *Model) worker(ctx context.Context, size int, next *atomic.Int64, bounds []int, sequences [][]int32, vectors [][]float32) error {
	var team []*workspace
	take := func(ws *workspace) {
		if ws == nil {
			ws = newWorkspace(m.info, max(chunkTokens, m.info.MaxTokens))
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
	for {
		i := int(next.Add(1)) - 1
		if i+1 >= len(bounds) {
			return nil
		}
		from, to := bounds[i], bounds[i+1]
		if err := m.forward(ctx, team, sequences[from:to], vectors[from:to]); err != nil {
			return err
		}
	}
}

// chunks cuts sequences into runs of at most chunkTokens tokens, but at least
// one sequence, and returns where they start, and the end.
func chunks(sequences [][]int32) []int {
	bounds := []int{0}
	tokens := 0
	for i, ids := range sequences {
		if i > bounds[len(bounds)-1] && tokens+len(ids) > chunkTokens {
			bounds = append(bounds, i)
			tokens = 0
		}
		tokens += len(ids)
	}
	if len(sequences) > 0 {
		bounds = append(bounds, len(sequences))
	}
	return bounds
}
