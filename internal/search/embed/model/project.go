package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Projection is a matrix that is applied to a pooled row: to the mean itself, not only to
// its direction.
type Projection struct {
	Dense
	Tanh bool // applied to the result
}

// checkProjections returns an error for matrices that do not fit together.
func checkProjections(info Info, steps []Projection) error {
	in := info.Hidden
	for i, p := range steps {
		if p.In != in || p.Out < 1 || len(p.W) != p.In*p.Out || len(p.Bias) != p.Out {
			return kb.Errorf(kb.Invalid, "projection %d takes %d values to %d, of the %d before it", i, p.In, p.Out, in)
		}
		in = p.Out
	}
	return nil
}

// project applies the projections to the mean of that many rows, given their sum. Without
// projections the sum is sufficient: only its direction matters.
func (m *Model) project(sum []float32, rows int) []float32 {
	if len(m.projections) == 0 {
		return sum
	}
	x := make([]float32, len(sum))
	for i, v := range sum {
		x[i] = v / float32(rows)
	}
	for _, p := range m.projections {
		out := make([]float32, p.Out)
		for j := range out {
			y := float64(p.Bias[j])
			for i, w := range p.W[j*p.In : (j+1)*p.In] {
				y += float64(w) * float64(x[i])
			}
			if p.Tanh {
				y = math.Tanh(y)
			}
			out[j] = float32(y)
		}
		x = out
	}
	return x
}
