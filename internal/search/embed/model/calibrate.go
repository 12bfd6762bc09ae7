package model

import (
	"context"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// Usage holds, per layer, the largest magnitude of each matrix's inputs in ordinary use.
// Quantisation needs it to choose good steps.
type Usage []LayerUsage

// LayerUsage is the usage of the four matrices of a layer.
type LayerUsage struct{ QKV, Out, Up, Down []float32 }

// Calibrate embeds sequences in float and records the inputs of the matrices.
func Calibrate(ctx context.Context, info Info, w *Weights, k kernel.Set, sequences [][]int32) (Usage, error) {
	m, err := FromWeights(info, w, k, 1) // one thread: recorders are not guarded
	if err != nil {
		return nil, err
	}
	use := make(Usage, info.Layers)
	for n := range use {
		use[n] = LayerUsage{
			QKV: make([]float32, info.Hidden), Out: make([]float32, info.Hidden),
			Up: make([]float32, info.Hidden), Down: make([]float32, info.Intermediate),
		}
		l := &m.layers[n]
		l.qkv = recorder{l.qkv, use[n].QKV}
		l.keyValue = recorder{l.keyValue, use[n].QKV}
		l.out = recorder{l.out, use[n].Out}
		l.up = recorder{l.up, use[n].Up}
		l.down = recorder{l.down, use[n].Down}
	}
	if _, err := m.Embed(ctx, sequences); err != nil {
		return nil, err
	}
	return use, nil
}

// recorder notes the largest magnitude of each input of a matrix.
type recorder struct {
	linear
	top []float32
}

func (r recorder) apply(k kernel.Set, ws *workspace, dst []float32, ldd int, x []float32, rows int, gelu bool) {
	r.linear.apply(k, ws, dst, ldd, x, rows, gelu)
	// x holds the input of the product now, with GELU applied.
	for i, v := range x[:rows*len(r.top)] {
		at := i % len(r.top)
		r.top[at] = max(r.top[at], abs(v))
	}
}
