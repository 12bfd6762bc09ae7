package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Projection is a matrix that a pooled row goes through, the mean itself and
// not only its direction.
type Projection struct {
	Dense
	Tanh bool // of the result
}

// checkProjections refuses matrices that do not fit one another.
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

// project takes the sum of that many rows through the projections. Without
// any the sum serves as the mean: only its direction matters.
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
