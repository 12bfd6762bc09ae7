package kernel

import "golang.org/x/sys/cpu"

// fast lists the assembly sets that this processor and its operating system
// support, slowest first.
func fast() []Set {
	var sets []Set
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, avx2{})
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI {
			sets = append(sets, avx512{})
		}
	}
	return sets
}

// avx2 needs AVX2 and FMA.
type avx2 struct{}

func (avx2) Name() string { return "avx2" }

func (avx2) MulInt8(dst []float32, ldd int, a []uint8, rows []Row, m *Int8Matrix) {
	if len(rows) == 0 {
		return
	}
	m.check(dst, ldd, a, rows)
	stride := m.Stride()
	for j := 0; j < m.Out; j += ColGroup {
		int8AVX2(&dst[j], 4*int64(ldd), &a[0], int64(stride), int64(len(rows)),
			&m.W[WeightIndex(stride, 0, j)], int64(stride/ChunkInputs), &rows[0].Scale, &m.Cols[ColIndex(j)])
	}
}

func (avx2) Dots(out []int32, query, rows []int8) {
	checkDots(out, query, rows)
	ld := len(query)
	whole := ld / dotStep * dotStep
	if whole == 0 || len(out) == 0 {
		Portable{}.Dots(out, query, rows)
		return
	}
	dotsAVX2(&out[0], &query[0], &rows[0], int64(ld), int64(whole/dotStep), int64(len(out)))
	if whole == ld {
		return
	}
	for i := range out {
		out[i] += dot(query[whole:], rows[i*ld+whole:(i+1)*ld])
	}
}

// dotStep is the number of values that one step of dotsAVX2 takes.
const dotStep = 32

func (avx2) Prepare(dst, x, scale []float32) (low, high float32) {
	checkLanes(QuantLanes, len(x), len(dst), len(scale))
	var bounds [2]float32
	prepareAVX2(&dst[0], &x[0], &scale[0], int64(len(x)), &bounds[0])
	return bounds[0], bounds[1]
}

func (avx2) PrepareGELU(dst, x, scale []float32) (low, high float32) {
	checkLanes(QuantLanes, len(x), len(dst), len(scale))
	var bounds [2]float32
	prepareGELUAVX2(&dst[0], &x[0], &scale[0], int64(len(x)), &bounds[0])
	return bounds[0], bounds[1]
}

func (avx2) Quantize(dst []uint8, x []float32, low, scale float32) {
	checkLanes(QuantLanes, len(x), len(dst))
	quantizeAVX2(&dst[0], &x[0], int64(len(x)), low, scale)
}

func (avx2) AddNorm(x, d, gamma, beta []float32, eps float32) {
	checkLanes(QuantLanes, len(x), len(d), len(gamma), len(beta))
	addNormAVX2(&x[0], &d[0], &gamma[0], &beta[0], int64(len(x)), eps)
}

func (avx2) Softmax(sums, x []float32) {
	if n := checkSoftmax(sums, x); n > 0 {
		softmaxAVX2(&x[0], int64(n), &sums[0], int64(len(sums)))
	}
}

func (avx2) Gemm(c []float32, ldc int, a []float32, lda int, b []float32, ldb, k int, scale []float32) {
	if len(scale) == 0 {
		return
	}
	checkGemm(c, ldc, a, lda, b, ldb, k, len(scale))
	gemmAVX2(&c[0], 4*int64(ldc), &a[0], 4*int64(lda), &b[0], 4*int64(ldb),
		int64(len(scale)), int64(k), &scale[0])
}

func (avx2) Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	checkTranspose(dst, ldd, src, lds, rows, cols)
	whole := rows / Lanes * Lanes
	if whole > 0 {
		transposeAVX2(&dst[0], 4*int64(ldd), &src[0], 4*int64(lds), int64(whole), int64(cols))
	}
	transposeFrom(whole, dst, ldd, src, lds, rows, cols)
}

// avx512 needs AVX-512 F and VNNI. Only the int8 product differs from avx2: the other
// kernels are limited by memory, like Dots, or too small to matter.
type avx512 struct{ avx2 }

// vnniStep is the number of inputs that one step of int8VNNI takes.
const vnniStep = 12

func (avx512) Name() string { return "avx512" }

func (avx512) MulInt8(dst []float32, ldd int, a []uint8, rows []Row, m *Int8Matrix) {
	if len(rows) == 0 {
		return
	}
	m.check(dst, ldd, a, rows)
	stride := m.Stride()
	for j := 0; j < m.Out; j += PanelCols {
		int8VNNI(&dst[j], 4*int64(ldd), &a[0], int64(stride), int64(len(rows)),
			&m.W[WeightIndex(stride, 0, j)], int64(stride/vnniStep), &rows[0].Scale, &m.Cols[ColIndex(j)])
	}
}
