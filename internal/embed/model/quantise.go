package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/embed/kernel"
)

const (
	// weightMax is the largest quantised weight. 127 would be finer, but then
	// too many chunks break the kernels' bound and repairing them costs more
	// than the finer step gains; measured in docs of tools/pack-model.
	weightMax = 96
	// smoothing is the share of an input's range that moves from the
	// activations into the weights (SmoothQuant's alpha, arXiv:2211.10438).
	// A few inputs of BERT are ten times larger than the rest, and without
	// this they would set the step for all.
	smoothing = 0.6
)

// quantised is a packed int8 matrix with what its inputs are multiplied by
// before they are quantised.
type quantised struct {
	m     *kernel.Int8Matrix
	scale []float32
}

// quantise packs a float matrix, given the largest magnitude of each input in
// ordinary use.
func quantise(d Dense, inputMax []float32) quantised {
	q := quantised{
		m: &kernel.Int8Matrix{
			In: d.In, Out: d.Out,
			W:    make([]int8, kernel.PaddedInputs(d.In)*d.Out),
			Cols: make([]float32, 3*d.Out),
		},
		scale: make([]float32, d.In),
	}
	smooth := smoothScales(d, inputMax)
	for i, s := range smooth {
		q.scale[i] = 1 / s
	}
	row := make([]int8, q.m.Stride())
	for j := range d.Out {
		w := d.W[j*d.In : (j+1)*d.In]
		var top float32
		for i, v := range w {
			top = max(top, abs(v*smooth[i]))
		}
		step := top / weightMax
		if step == 0 {
			step = 1 // an all-zero column; any step serves
		}
		for i, v := range w {
			row[i] = int8(math.RoundToEven(float64(v * smooth[i] / step)))
		}
		bound(row)
		sum := 0
		for i, v := range row {
			q.m.W[kernel.WeightIndex(q.m.Stride(), i, j)] = v
			sum += int(v)
		}
		at := kernel.ColIndex(j)
		q.m.Cols[at] = step
		q.m.Cols[at+kernel.ColGroup] = step * float32(sum)
		q.m.Cols[at+2*kernel.ColGroup] = d.Bias[j]
	}
	return q
}

// smoothScales returns what each input's weights are multiplied by, and the
// input itself divided by: a power of two to an eighth, so that the last bits
// of the calibration, which differ between machines, do not reach the file.
func smoothScales(d Dense, inputMax []float32) []float32 {
	logs := make([]float64, d.In)
	mean := 0.0
	for i := range logs {
		var top float32
		for j := range d.Out {
			top = max(top, abs(d.W[j*d.In+i]))
		}
		const floor = 1e-5 // an input that never moves
		logs[i] = smoothing*math.Log2(float64(max(inputMax[i], floor))) -
			(1-smoothing)*math.Log2(float64(max(top, floor)))
		mean += logs[i] / float64(d.In)
	}
	out := make([]float32, d.In)
	for i, l := range logs {
		out[i] = float32(math.Exp2(math.Round((l-mean)*8) / 8))
	}
	return out
}

// bound shrinks the largest weights of every chunk until the positive ones and
// the negative ones that the kernels add up in 16 bits keep kernel.ChunkSumMax.
func bound(row []int8) {
	for chunk := 0; chunk < len(row); chunk += kernel.ChunkInputs {
		for _, half := range []int{0, 2} {
			for _, sign := range []int{1, -1} {
				boundSum(row[chunk:chunk+kernel.ChunkInputs], half, sign)
			}
		}
	}
}

// boundSum bounds the weights of one sign in one 16-bit sum: inputs half and
// half+1 of each group of four.
func boundSum(chunk []int8, half, sign int) {
	for {
		sum, largest := 0, -1
		for i := half; i < len(chunk); i += 4 {
			for _, at := range []int{i, i + 1} {
				if v := sign * int(chunk[at]); v > 0 {
					sum += v
					if largest < 0 || v > sign*int(chunk[largest]) {
						largest = at
					}
				}
			}
		}
		if sum <= kernel.ChunkSumMax {
			return
		}
		chunk[largest] -= int8(sign)
	}
}

// quantiseRows quantises each row of a table with a step of its own.
func quantiseRows(table []float32, width int) (q []int8, steps []float32) {
	q, steps = make([]int8, len(table)), make([]float32, len(table)/width)
	for r := range steps {
		row := table[r*width : (r+1)*width]
		var top float32
		for _, v := range row {
			top = max(top, abs(v))
		}
		step := top / 127
		steps[r] = step
		if step == 0 {
			continue
		}
		for i, v := range row {
			q[r*width+i] = int8(math.RoundToEven(float64(v / step)))
		}
	}
	return q, steps
}

func abs(v float32) float32 { return max(v, -v) }
