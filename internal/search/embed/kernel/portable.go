package kernel

import "math"

// Portable is the set in plain Go. It defines the exact results of the other
// sets: it fuses where they fuse and adds in their order. Products that must
// not be fused with a sum are converted, which prevents fusion according to the
// language specification.
type Portable struct{}

// Name returns "portable".
func (Portable) Name() string { return "portable" }

// MulInt8 implements Set.
func (Portable) MulInt8(dst []float32, ldd int, a []uint8, rows []Row, m *Int8Matrix) {
	if len(rows) == 0 {
		return
	}
	m.check(dst, ldd, a, rows)
	stride := m.Stride()
	for p := 0; p < m.Out; p += ColGroup {
		w := m.W[p*stride : (p+ColGroup)*stride]
		cols := m.Cols[ColIndex(p):][:3*ColGroup]
		for r, row := range rows {
			var acc [ColGroup]int32
			in := a[r*stride : (r+1)*stride]
			for i := 0; i < len(in); i += 4 {
				a0, a1, a2, a3 := int32(in[i]), int32(in[i+1]), int32(in[i+2]), int32(in[i+3])
				lanes := (*[ColGroup * 4]int8)(w[i*ColGroup:])
				for c := range acc {
					acc[c] += a0*int32(lanes[4*c]) + a1*int32(lanes[4*c+1]) +
						a2*int32(lanes[4*c+2]) + a3*int32(lanes[4*c+3])
				}
			}
			out := dst[r*ldd+p : r*ldd+p+ColGroup]
			for c := range acc {
				scale, sum, bias := cols[c], cols[c+ColGroup], cols[c+2*ColGroup]
				out[c] = fma(float32(acc[c]), row.Scale*scale, fma(row.Low, sum, bias))
			}
		}
	}
}

// Dots implements Set.
func (Portable) Dots(out []int32, query, rows []int8) {
	checkDots(out, query, rows)
	for i := range out {
		out[i] = dot(query, rows[i*len(query):(i+1)*len(query)])
	}
}

// dot is the dot product of two vectors of equal length.
func dot(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 16 && len(b) >= 16 {
		x, y := (*[16]int8)(a), (*[16]int8)(b)
		s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4]) + int32(x[8])*int32(y[8]) + int32(x[12])*int32(y[12])
		s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5]) + int32(x[9])*int32(y[9]) + int32(x[13])*int32(y[13])
		s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6]) + int32(x[10])*int32(y[10]) + int32(x[14])*int32(y[14])
		s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7]) + int32(x[11])*int32(y[11]) + int32(x[15])*int32(y[15])
		a, b = a[16:], b[16:]
	}
	for i, v := range a {
		s0 += int32(v) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// checkDots panics if there are not as many rows as sums.
func checkDots(out []int32, query, rows []int8) {
	if len(rows) != len(out)*len(query) {
		panic("kernel: rows differ from their number")
	}
}

// Prepare implements Set.
func (Portable) Prepare(dst, x, scale []float32) (low, high float32) {
	checkLanes(QuantLanes, len(x), len(dst), len(scale))
	low, high = math.MaxFloat32, -math.MaxFloat32
	for i, v := range x {
		v *= scale[i]
		dst[i] = v
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// phi approximates the standard normal distribution as 0.5 + t*p(t*t) on [-phiClamp,
// phiClamp]. x*phi(x) is within 4e-5 of GELU, and beyond the clamp within another 1e-5 of
// the value: a hundredth of a quantisation step. The coefficients are our own minimax fit,
// by iteratively reweighted least squares on Chebyshev nodes.
var phi = [...]float32{
	0.3987618684768677, -0.06607690453529358, 0.009643333032727242, -0.0010550862643867731,
	8.430881280219182e-05, -4.7264061322493944e-06, 1.741709780844758e-07, -3.756633670803922e-09,
	3.5726335084751426e-11,
}

const phiClamp = 4.4

// PrepareGELU implements Set.
func (Portable) PrepareGELU(dst, x, scale []float32) (low, high float32) {
	checkLanes(QuantLanes, len(x), len(dst), len(scale))
	low, high = math.MaxFloat32, -math.MaxFloat32
	for i, v := range x {
		v = max(v, -phiClamp)
		t := min(v, phiClamp)
		u := t * t
		p := phi[len(phi)-1]
		for k := len(phi) - 2; k >= 0; k-- {
			p = fma(p, u, phi[k])
		}
		v *= fma(p, t, 0.5)
		v *= scale[i]
		dst[i] = v
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// Quantize implements Set.
func (Portable) Quantize(dst []uint8, x []float32, low, scale float32) {
	checkLanes(QuantLanes, len(x), len(dst))
	for i, v := range x {
		dst[i] = uint8(math.RoundToEven(float64((v - low) * scale)))
	}
}

// AddNorm implements Set.
func (Portable) AddNorm(x, d, gamma, beta []float32, eps float32) {
	checkLanes(QuantLanes, len(x), len(d), len(gamma), len(beta))
	// Four vectors of sums, like the vector code.
	var sums [4 * Lanes]float32
	mean := func() float32 {
		var all [Lanes]float32
		for i := range all {
			all[i] = (sums[i] + sums[Lanes+i]) + (sums[2*Lanes+i] + sums[3*Lanes+i])
		}
		return reduceAdd(all) / float32(len(x))
	}
	for i := range x {
		x[i] += d[i]
		sums[i%len(sums)] += x[i]
	}
	center := mean()
	clear(sums[:])
	for i, v := range x {
		s := &sums[i%len(sums)]
		*s = fma(v-center, v-center, *s)
	}
	inv := 1 / float32(math.Sqrt(float64(mean()+eps)))
	for i, v := range x {
		x[i] = fma((v-center)*inv, gamma[i], beta[i])
	}
}

// exp2Coef approximates 2^f as 1 + f*(c0 + c1*f + ...) for |f| <= 1/2, with a
// relative error of 1e-7: our own minimax fit, as for phi. exp(x) is 2^k * 2^f
// with k+f = x*log2(e), which float32 rounds by at most 4e-6 while the result
// is a normal number.
var exp2Coef = [...]float32{
	0.6931470036506653, 0.24022242426872253, 0.05550733581185341, 0.009671512991189957, 0.001326472731307149,
}

const (
	exp2Min = -125 // below, the result is not a normal number
	log2E   = float32(math.Log2E)
)

// Softmax implements Set.
func (Portable) Softmax(sums, x []float32) {
	n := checkSoftmax(sums, x)
	for r := range sums {
		sums[r] = softmaxRow(x[r*n : (r+1)*n])
	}
}

func softmaxRow(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	top *= log2E
	var sums [Lanes]float32
	for i, v := range x {
		v = max(fma(v, log2E, -top), exp2Min)
		k := float32(math.RoundToEven(float64(v)))
		f := v - k
		// Even and odd powers separately, as the vector code adds them.
		u := f * f
		even := fma(fma(exp2Coef[3], u, exp2Coef[1]), u, 1)
		odd := fma(fma(exp2Coef[4], u, exp2Coef[2]), u, exp2Coef[0])
		e := fma(odd, f, even)
		e = math.Float32frombits(math.Float32bits(e) + uint32(int32(k))<<23)
		x[i] = e
		sums[i%Lanes] += e
	}
	return reduceAdd(sums)
}

// Gemm implements Set.
func (Portable) Gemm(c []float32, ldc int, a []float32, lda int, b []float32, ldb, k int, scale []float32) {
	if len(scale) == 0 {
		return
	}
	checkGemm(c, ldc, a, lda, b, ldb, k, len(scale))
	for r, s := range scale {
		var acc [GemmCols]float32
		for i, v := range a[r*lda : r*lda+k] {
			for j, w := range (*[GemmCols]float32)(b[i*ldb:]) {
				acc[j] = fma(v, w, acc[j])
			}
		}
		for j, v := range acc {
			c[r*ldc+j] = s * v
		}
	}
}

// Transpose implements Set.
func (Portable) Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	checkTranspose(dst, ldd, src, lds, rows, cols)
	transposeFrom(0, dst, ldd, src, lds, rows, cols)
}

// transposeFrom transposes the rows from first on.
func transposeFrom(first int, dst []float32, ldd int, src []float32, lds, rows, cols int) {
	for i := first; i < rows; i++ {
		for j, v := range src[i*lds : i*lds+cols] {
			dst[j*ldd+i] = v
		}
	}
}

// checkLanes panics unless n is a positive multiple of lanes and all other
// lengths equal it.
func checkLanes(lanes, n int, others ...int) {
	if n == 0 || n%lanes != 0 {
		panic("kernel: length is not a multiple of the vector")
	}
	for _, o := range others {
		if o != n {
			panic("kernel: lengths differ")
		}
	}
}

// checkSoftmax returns the length of a row, and panics unless it is a multiple
// of the vector.
func checkSoftmax(sums, x []float32) int {
	if len(sums) == 0 && len(x) == 0 {
		return 0
	}
	if len(sums) == 0 || len(x)%len(sums) != 0 {
		panic("kernel: rows differ from their number")
	}
	checkLanes(Lanes, len(x)/len(sums))
	return len(x) / len(sums)
}

// checkGemm panics when an operand of Gemm is too short for its shape.
func checkGemm(c []float32, ldc int, a []float32, lda int, b []float32, ldb, k, rows int) {
	if k <= 0 || lda < k || ldb < GemmCols || ldc < GemmCols ||
		len(c) < (rows-1)*ldc+GemmCols || len(a) < (rows-1)*lda+k || len(b) < (k-1)*ldb+GemmCols {
		panic("kernel: operands shorter than their shapes")
	}
}

// checkTranspose panics when an operand of Transpose is too short for its shape.
func checkTranspose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if rows <= 0 || cols <= 0 || cols%Lanes != 0 || ldd < rows || lds < cols ||
		len(dst) < (cols-1)*ldd+rows || len(src) < (rows-1)*lds+cols {
		panic("kernel: operands shorter than their shapes")
	}
}
