package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

const (
	// The tried numbers of steps for a column's largest weight. More steps are finer, but
	// then more chunks exceed the kernels' bound, and repairing those costs more than finer
	// steps gain: the best number depends on the column.
	leastSteps, maxSteps, stepsApart = 48, 127, 8
	// smoothing is the share of an input's range that moves from the activations into the
	// weights (SmoothQuant's alpha, arXiv:2211.10438). A few inputs of BERT are ten times
	// larger than the rest, and without this they would determine the step for all.
	smoothing = 0.6
)

// quantised is a packed int8 matrix with the scales of its inputs, which are applied before
// they are quantised.
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
	row, smoothed := make([]int8, q.m.Stride()), make([]float32, d.In)
	for j := range d.Out {
		w := d.W[j*d.In : (j+1)*d.In]
		for i, v := range w {
			smoothed[i] = v * smooth[i]
		}
		step := quantiseColumn(row, smoothed)
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

// quantiseColumn writes the weights w in steps to row and returns the step with the least
// sum of squared errors.
func quantiseColumn(row []int8, w []float32) (step float32) {
	var top float32
	for _, v := range w {
		top = max(top, abs(v))
	}
	if top == 0 {
		clear(row)
		return 1 // any step works
	}
	least, try := math.Inf(1), make([]int8, len(row))
	for steps := leastSteps; steps <= maxSteps; steps += stepsApart {
		size, sum := top/float32(steps), 0.0
		for i, v := range w {
			try[i] = int8(math.RoundToEven(float64(v / size)))
		}
		bound(try)
		for i, v := range w {
			d := float64(v) - float64(float64(try[i])*float64(size))
			sum += float64(d * d) // not fused: the same bytes on every machine
		}
		if sum < least {
			least, step = sum, size
			copy(row, try)
		}
	}
	return step
}

// smoothScales returns the factors for each input's weights, by which the input itself is
// divided: powers of two to an eighth, so that the last bits of the calibration, which
// differ between machines, do not affect the file.
func smoothScales(d Dense, inputMax []float32) []float32 {
	logs := make([]float64, d.In)
	mean := 0.0
	for i := range logs {
		var top float32
		for j := range d.Out {
			top = max(top, abs(d.W[j*d.In+i]))
		}
		const floor = 1e-5 // an input that is always zero
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

// bound shrinks the largest weights of every chunk until the positive and the negative
// weights that the kernels add in 16 bits satisfy kernel.ChunkSumMax.
func bound(row []int8) {
	for chunk := 0; chunk < len(row); chunk += kernel.ChunkInputs {
		for _, half := range []int{0, 2} {
			for _, sign := range []int{1, -1} {
				boundSum(row[chunk:chunk+kernel.ChunkInputs], half, sign)
			}
		}
	}
}

// boundSum bounds the weights of one sign in one 16-bit sum: inputs half and half+1 of each
// group of four.
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
