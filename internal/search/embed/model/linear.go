package model

import "github.com/cairn-kb/cairn/internal/search/embed/kernel"

// linear is a matrix with bias, in float or int8.
type linear interface {
	// apply multiplies rows of x, or GELU(x) if gelu is set, into dst with a
	// row stride of ldd. It may overwrite x, but only with the input of the
	// product. There are at most blockRows rows.
	apply(k kernel.Set, ws *workspace, dst []float32, ldd int, x []float32, rows int, gelu bool)

	// columns returns a view of the outputs [from, to).
	columns(from, to int) linear
}

// int8Linear quantises each row of its input with a scale of its own.
type int8Linear struct{ quantised }

func (l int8Linear) apply(k kernel.Set, ws *workspace, dst []float32, ldd int, x []float32, rows int, gelu bool) {
	in, stride := l.m.In, l.m.Stride()
	prepare := k.Prepare
	if gelu {
		prepare = k.PrepareGELU
	}
	for r := range rows {
		low, high := prepare(ws.row[:in], x[r*in:(r+1)*in], l.scale)
		var inverse float32
		if high > low {
			inverse = kernel.ActivationMax / (high - low)
		}
		k.Quantize(ws.quant[r*stride:r*stride+in], ws.row[:in], low, inverse)
		ws.params[r] = kernel.Row{Scale: (high - low) / kernel.ActivationMax, Low: low}
	}
	k.MulInt8(dst, ldd, ws.quant, ws.params[:rows], l.m)
}

func (l int8Linear) columns(from, to int) linear {
	return int8Linear{quantised{m: l.m.Columns(from, to), scale: l.scale}}
}

// floatLinear is the reference for int8.
type floatLinear struct {
	in, out int
	w       []float32 // [out/GemmCols][in][GemmCols]
	bias    []float32
}

// packFloat converts a matrix to the layout of Gemm.
func packFloat(d Dense) floatLinear {
	l := floatLinear{in: d.In, out: d.Out, w: make([]float32, len(d.W)), bias: d.Bias}
	for j := range d.Out {
		panel, col := j/kernel.GemmCols, j%kernel.GemmCols
		for i := range d.In {
			l.w[(panel*d.In+i)*kernel.GemmCols+col] = d.W[j*d.In+i]
		}
	}
	return l
}

func (l floatLinear) apply(k kernel.Set, ws *workspace, dst []float32, ldd int, x []float32, rows int, gelu bool) {
	if gelu {
		for r := range rows {
			row := x[r*l.in : (r+1)*l.in]
			k.PrepareGELU(row, row, ws.ones[:l.in])
		}
	}
	for j := 0; j < l.out; j += kernel.GemmCols {
		k.Gemm(dst[j:], ldd, x, l.in, l.w[j*l.in:], kernel.GemmCols, l.in, ws.ones[:rows])
	}
	for r := range rows {
		out := dst[r*ldd : r*ldd+l.out]
		for j := range out {
			out[j] += l.bias[j]
		}
	}
}

func (l floatLinear) columns(from, to int) linear {
	return floatLinear{in: l.in, out: to - from, w: l.w[from*l.in : to*l.in], bias: l.bias[from:to]}
}
