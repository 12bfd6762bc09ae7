package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The float kernels use AVX2 and FMA and serve both fast paths: together they
// take a quarter of the time, half of it for the attention's products.

// Coefficients of the approximations. internal/search/embed/kernel/portable.go holds
// the same numbers and says where they come from; a test compares the paths.
var (
	phiCoef = []float32{
		0.3987618684768677, -0.06607690453529358, 0.009643333032727242, -0.0010550862643867731,
		8.430881280219182e-05, -4.7264061322493944e-06, 1.741709780844758e-07, -3.756633670803922e-09,
		3.5726335084751426e-11,
	}
	phiClamp = float32(4.4)
	exp2Coef = []float32{
		0.6931470036506653, 0.24022242426872253, 0.05550733581185341, 0.009671512991189957, 0.001326472731307149,
	}
	exp2Min = float32(-125)
	log2e   = float32(math.Log2E)
)

var constants = map[string]Mem{}

// vec returns a read-only vector that repeats v in all eight lanes.
func vec(name string, v float32) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, F32(v))
	}
	constants[name] = m
	return m
}

// reduce leaves op over the eight lanes of v in its lowest lane.
func reduce(op func(...Op), v, tmp reg.VecPhysical) {
	VEXTRACTF128(Imm(1), v, tmp.AsX())
	op(tmp.AsX(), v.AsX(), v.AsX())
	VMOVHLPS(v.AsX(), v.AsX(), tmp.AsX())
	op(tmp.AsX(), v.AsX(), v.AsX())
	VMOVSHDUP(v.AsX(), tmp.AsX())
	op(tmp.AsX(), v.AsX(), v.AsX())
}

// prepare emits dst = f(x)*inv with the minimum and maximum of the result;
// f is the identity or GELU. Two vectors side by side wait less for one
// another's results than one after the other.
func prepare(name string, gelu bool) {
	TEXT(name, NOSPLIT, "func(dst *float32, x *float32, inv *float32, n int64, minmax *float32)")
	Pragma("noescape")
	if gelu {
		Doc(name + " writes GELU(x)*inv to dst and its minimum and maximum to minmax. n is a multiple of 16.")
	} else {
		Doc(name + " writes x*inv to dst and its minimum and maximum to minmax. n is a multiple of 16.")
	}
	dst, x, inv := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("inv"), GP64())
	n, out := Load(Param("n"), GP64()), Load(Param("minmax"), GP64())
	v, t, u, p := ymm[0:2], ymm[2:4], ymm[4:6], ymm[6:8]
	lo, hi := ymm[8], ymm[9]
	VMOVUPS(vec("largest", math.MaxFloat32), lo)
	VMOVUPS(vec("smallest", -math.MaxFloat32), hi)
	last := len(phiCoef) - 1
	coef := func(k int) Op { // as many in registers as there are
		if 2 <= k && k < last {
			return ymm[8+k]
		}
		return vec("phi"+itoa(k), phiCoef[k])
	}
	if gelu {
		for k := 2; k < last; k++ {
			VMOVUPS(vec("phi"+itoa(k), phiCoef[k]), coef(k))
		}
	}
	i := GP64()
	XORQ(i, i)
	SHLQ(Imm(2), n)
	each := func(f func(lane int)) { f(0); f(1) }
	at := func(base reg.Register, lane int) Mem { return Mem{Base: base, Index: i, Scale: 1, Disp: 32 * lane} }
	Label(name + "_loop")
	each(func(l int) { VMOVUPS(at(x, l), v[l]) })
	if gelu {
		each(func(l int) { VMAXPS(vec("phiLow", -phiClamp), v[l], v[l]) })
		each(func(l int) { VMINPS(vec("phiHigh", phiClamp), v[l], t[l]) })
		each(func(l int) { VMULPS(t[l], t[l], u[l]) })
		each(func(l int) { VMOVUPS(coef(last), p[l]) })
		for k := last - 1; k >= 0; k-- {
			each(func(l int) { VFMADD213PS(coef(k), u[l], p[l]) })
		}
		each(func(l int) { VFMADD213PS(vec("half", 0.5), t[l], p[l]) })
		each(func(l int) { VMULPS(p[l], v[l], v[l]) })
	}
	each(func(l int) { VMULPS(at(inv, l), v[l], v[l]) })
	each(func(l int) { VMINPS(v[l], lo, lo) })
	each(func(l int) { VMAXPS(v[l], hi, hi) })
	each(func(l int) { VMOVUPS(v[l], at(dst, l)) })
	ADDQ(Imm(64), i)
	CMPQ(i, n)
	JL(LabelRef(name + "_loop"))
	reduce(VMINPS, lo, t[0])
	reduce(VMAXPS, hi, t[0])
	VMOVSS(lo.AsX(), Mem{Base: out})
	VMOVSS(hi.AsX(), Mem{Base: out, Disp: 4})
	VZEROUPPER()
	RET()
}

// quantize emits dst = round((x-min)*scale) as bytes.
func quantize() {
	TEXT("quantizeAVX2", NOSPLIT, "func(dst *uint8, x *float32, n int64, low float32, scale float32)")
	Pragma("noescape")
	Doc("quantizeAVX2 writes round((x-low)*scale) as bytes. n is a multiple of 32.")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, scale, order := ymm[4], ymm[5], ymm[6]
	Load(Param("low"), low.AsX())
	Load(Param("scale"), scale.AsX())
	VBROADCASTSS(low.AsX(), low)
	VBROADCASTSS(scale.AsX(), scale)
	perm := GLOBL("packOrder", RODATA|NOPTR)
	for i, v := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(v))
	}
	VMOVDQU(perm, order)
	Label("quantize_loop")
	for i := range 4 {
		VMOVUPS(Mem{Base: x, Disp: 32 * i}, ymm[i])
		VSUBPS(low, ymm[i], ymm[i])
		VMULPS(scale, ymm[i], ymm[i])
		VCVTPS2DQ(ymm[i], ymm[i])
	}
	VPACKSSDW(ymm[1], ymm[0], ymm[0])
	VPACKSSDW(ymm[3], ymm[2], ymm[2])
	VPACKUSWB(ymm[2], ymm[0], ymm[0])
	VPERMD(ymm[0], order, ymm[0])
	VMOVDQU(ymm[0], Mem{Base: dst})
	ADDQ(U32(128), x)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(32), n)
	JNZ(LabelRef("quantize_loop"))
	VZEROUPPER()
	RET()
}

// addNorm emits x = LayerNorm(x + d), with four sums in flight, since one
// would wait for itself.
func addNorm() {
	TEXT("addNormAVX2", NOSPLIT, "func(x *float32, d *float32, gamma *float32, beta *float32, n int64, eps float32)")
	Pragma("noescape")
	Doc("addNormAVX2 writes LayerNorm(x+d)*gamma+beta to x. n is a multiple of 32.")
	x, d := Load(Param("x"), GP64()), Load(Param("d"), GP64())
	gamma, beta := Load(Param("gamma"), GP64()), Load(Param("beta"), GP64())
	n := Load(Param("n"), GP64())
	count, mean, inv, tmp, eps := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4]
	sum, v := ymm[8:12], ymm[12:16]
	VCVTSI2SSQ(n, count.AsX(), count.AsX())
	Load(Param("eps"), eps.AsX())
	SHLQ(Imm(2), n)
	i := GP64()
	// loop runs body for four vectors at a time.
	loop := func(name string, body func(lane int, at func(reg.Register) Mem)) {
		XORQ(i, i)
		Label("addnorm_" + name)
		for lane := range 4 {
			body(lane, func(base reg.Register) Mem { return Mem{Base: base, Index: i, Scale: 1, Disp: 32 * lane} })
		}
		ADDQ(U32(128), i)
		CMPQ(i, n)
		JL(LabelRef("addnorm_" + name))
	}
	clear := func() {
		for _, s := range sum {
			VXORPS(s, s, s)
		}
	}
	// total leaves the mean of the sums in the lowest lane of the first.
	total := func() {
		VADDPS(sum[1], sum[0], sum[0])
		VADDPS(sum[3], sum[2], sum[2])
		VADDPS(sum[2], sum[0], sum[0])
		reduce(VADDPS, sum[0], tmp)
		VDIVSS(count.AsX(), sum[0].AsX(), sum[0].AsX())
	}

	clear()
	loop("sum", func(lane int, at func(reg.Register) Mem) {
		VMOVUPS(at(x), v[lane])
		VADDPS(at(d), v[lane], v[lane])
		VMOVUPS(v[lane], at(x))
		VADDPS(v[lane], sum[lane], sum[lane])
	})
	total()
	VBROADCASTSS(sum[0].AsX(), mean)

	clear()
	loop("var", func(lane int, at func(reg.Register) Mem) {
		VMOVUPS(at(x), v[lane])
		VSUBPS(mean, v[lane], v[lane])
		VFMADD231PS(v[lane], v[lane], sum[lane])
	})
	total()
	VADDSS(eps.AsX(), sum[0].AsX(), inv.AsX())
	VSQRTSS(inv.AsX(), inv.AsX(), inv.AsX())
	VMOVSS(vec("one", 1), tmp.AsX())
	VDIVSS(inv.AsX(), tmp.AsX(), inv.AsX())
	VBROADCASTSS(inv.AsX(), inv)

	loop("scale", func(lane int, at func(reg.Register) Mem) {
		VMOVUPS(at(x), v[lane])
		VSUBPS(mean, v[lane], v[lane])
		VMULPS(inv, v[lane], v[lane])
		VMOVUPS(at(gamma), sum[lane])
		VFMADD213PS(at(beta), sum[lane], v[lane])
		VMOVUPS(v[lane], at(x))
	})
	VZEROUPPER()
	RET()
}

// softmax emits x = exp(x - max(x)) for each row and its sum. The greatest
// values of all rows come first: a row's exponentials need not wait for them,
// nor the next row's for the sum.
func softmax() {
	TEXT("softmaxAVX2", NOSPLIT, "func(x *float32, n int64, sums *float32, rows int64)")
	Pragma("noescape")
	Doc("softmaxAVX2 writes exp(x-max(x)) to each row of n values and the sums to sums. n is a multiple of 8.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	sums, rows := Load(Param("sums"), GP64()), Load(Param("rows"), GP64())
	SHLQ(Imm(2), n)
	row, end, r := GP64(), GP64(), GP64()
	k, f, u, even, odd, max, sum := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4], ymm[5], ymm[6]
	l2e, least, one := ymm[7], ymm[8], ymm[9]
	VMOVUPS(vec("log2e", log2e), l2e)
	VMOVUPS(vec("exp2Min", exp2Min), least)
	VMOVUPS(vec("one", 1), one)
	coef := ymm[10:]
	for j, c := range exp2Coef {
		VMOVUPS(vec("exp2"+itoa(j), c), coef[j])
	}

	each := func(name string, before, vector, after func()) {
		MOVQ(x, row)
		XORQ(r, r)
		Label("softmax_" + name + "_row")
		LEAQ(Mem{Base: row, Index: n, Scale: 1}, end)
		before()
		Label("softmax_" + name)
		vector()
		ADDQ(Imm(32), row)
		CMPQ(row, end)
		JL(LabelRef("softmax_" + name))
		after()
		INCQ(r)
		CMPQ(r, rows)
		JL(LabelRef("softmax_" + name + "_row"))
	}
	each("max", func() {
		VMOVUPS(Mem{Base: row}, max)
	}, func() {
		VMAXPS(Mem{Base: row}, max, max)
	}, func() {
		reduce(VMAXPS, max, u)
		VMULSS(l2e.AsX(), max.AsX(), max.AsX())
		VMOVSS(max.AsX(), Mem{Base: sums, Index: r, Scale: 4})
	})
	each("exp", func() {
		VBROADCASTSS(Mem{Base: sums, Index: r, Scale: 4}, max)
		VXORPS(sum, sum, sum)
	}, func() {
		VMOVUPS(Mem{Base: row}, f)
		VFMSUB213PS(max, l2e, f)
		VMAXPS(least, f, f)
		VROUNDPS(Imm(0), f, k) // to nearest
		VSUBPS(k, f, f)
		VCVTPS2DQ(k, k)
		// The even and the odd powers apart wait half as long for one another.
		VMULPS(f, f, u)
		VMOVAPS(coef[3], even)
		VMOVAPS(coef[4], odd)
		VFMADD213PS(coef[1], u, even)
		VFMADD213PS(coef[2], u, odd)
		VFMADD213PS(one, u, even)
		VFMADD213PS(coef[0], u, odd)
		VPSLLD(Imm(23), k, k)
		VFMADD231PS(odd, f, even)
		VPADDD(k, even, even) // it is in [0.7, 1.5], so this multiplies by 2^k
		VMOVUPS(even, Mem{Base: row})
		VADDPS(even, sum, sum)
	}, func() {
		reduce(VADDPS, sum, u)
		VMOVSS(sum.AsX(), Mem{Base: sums, Index: r, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// gemm emits c = rowScale*(a*b) for 16 columns of b.
func gemm() {
	TEXT("gemmAVX2", NOSPLIT, "func(c *float32, ldc int64, a *float32, lda int64, b *float32, ldb int64, rows int64, k int64, rowScale *float32)")
	Pragma("noescape")
	Doc("gemmAVX2 writes rowScale[r]*sum(a[r][k]*b[k][j]) to c[r][j] for 16 columns j. Strides are in bytes.")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	c, ldc, a, lda := load("c"), load("ldc"), load("a"), load("lda")
	b, ldb, rows, k, rowScale := load("b"), load("ldb"), load("rows"), load("k"), load("rowScale")
	rowLoop("gemm", rows, []int{6, 2, 1}, func(h int) {
		gemmRows(c, ldc, a, lda, b, ldb, k, rowScale, h)
		for range h {
			ADDQ(lda, a)
			ADDQ(ldc, c)
		}
		ADDQ(Imm(uint64(4*h)), rowScale)
	})
	VZEROUPPER()
	RET()
}

func gemmRows(c, ldc, a, lda, b, ldb, k, rowScale reg.GPVirtual, rows int) {
	acc := func(r, j int) reg.VecPhysical { return ymm[2*r+j] }
	b0, b1, v := ymm[12], ymm[13], ymm[14]
	ap, ap3, bp, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(a, ap)
	if rows > 3 { // the fourth row on
		LEAQ(Mem{Base: a, Index: lda, Scale: 2}, ap3)
		ADDQ(lda, ap3)
	}
	MOVQ(b, bp)
	MOVQ(k, n)
	for r := range rows {
		VXORPS(acc(r, 0), acc(r, 0), acc(r, 0))
		VXORPS(acc(r, 1), acc(r, 1), acc(r, 1))
	}
	loop := "gemm_k" + itoa(rows)
	Label(loop)
	VMOVUPS(Mem{Base: bp}, b0)
	VMOVUPS(Mem{Base: bp, Disp: 32}, b1)
	for r := range rows {
		base := ap
		if r >= 3 {
			base = ap3
		}
		VBROADCASTSS(rowMem(base, lda, r%3, 0), v)
		VFMADD231PS(b0, v, acc(r, 0))
		VFMADD231PS(b1, v, acc(r, 1))
	}
	ADDQ(Imm(4), ap)
	if rows > 3 {
		ADDQ(Imm(4), ap3)
	}
	ADDQ(ldb, bp)
	DECQ(n)
	JNZ(LabelRef(loop))
	d := GP64()
	MOVQ(c, d)
	for r := range rows {
		s := ymm[12]
		VBROADCASTSS(Mem{Base: rowScale, Disp: 4 * r}, s)
		for j := range 2 {
			VMULPS(s, acc(r, j), acc(r, j))
			VMOVUPS(acc(r, j), Mem{Base: d, Disp: 32 * j})
		}
		if r+1 < rows {
			ADDQ(ldc, d)
		}
	}
}

// transpose emits dst[j][i] = src[i][j] in blocks of eight by eight.
func transpose() {
	TEXT("transposeAVX2", NOSPLIT, "func(dst *float32, ldd int64, src *float32, lds int64, rows int64, cols int64)")
	Pragma("noescape")
	Doc("transposeAVX2 writes src[i][j] to dst[j][i]. Strides are in bytes; rows and cols are multiples of 8.")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, ldd, src, lds, rows, cols := load("dst"), load("ldd"), load("src"), load("lds"), load("rows"), load("cols")
	ldd3, lds3, from, to, n := GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: ldd, Index: ldd, Scale: 2}, ldd3)
	LEAQ(Mem{Base: lds, Index: lds, Scale: 2}, lds3)
	// line addresses line i of eight from two pointers, four lines apart.
	line := func(base, stride, stride3 reg.Register, i int) Mem {
		if i == 3 {
			return Mem{Base: base, Index: stride3, Scale: 1}
		}
		return rowMem(base, stride, i, 0)
	}
	Label("transpose_rows")
	MOVQ(src, from)
	MOVQ(dst, to)
	MOVQ(cols, n)
	Label("transpose_cols")
	half := GP64()
	LEAQ(Mem{Base: from, Index: lds, Scale: 4}, half)
	r, t := ymm[:8], ymm[8:]
	for i := range 4 {
		VMOVUPS(line(from, lds, lds3, i), r[i])
		VMOVUPS(line(half, lds, lds3, i), r[4+i])
	}
	for i := 0; i < 8; i += 2 {
		VUNPCKLPS(r[i+1], r[i], t[i])
		VUNPCKHPS(r[i+1], r[i], t[i+1])
	}
	for i := 0; i < 8; i += 4 {
		VSHUFPS(Imm(0x44), t[i+2], t[i], r[i])
		VSHUFPS(Imm(0xEE), t[i+2], t[i], r[i+1])
		VSHUFPS(Imm(0x44), t[i+3], t[i+1], r[i+2])
		VSHUFPS(Imm(0xEE), t[i+3], t[i+1], r[i+3])
	}
	for i := range 4 {
		VPERM2F128(Imm(0x20), r[i+4], r[i], t[i])
		VPERM2F128(Imm(0x31), r[i+4], r[i], t[i+4])
	}
	LEAQ(Mem{Base: to, Index: ldd, Scale: 4}, half)
	for i := range 4 {
		VMOVUPS(t[i], line(to, ldd, ldd3, i))
		VMOVUPS(t[i+4], line(half, ldd, ldd3, i))
	}
	ADDQ(Imm(32), from)
	LEAQ(Mem{Base: to, Index: ldd, Scale: 8}, to)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("transpose_cols"))
	LEAQ(Mem{Base: src, Index: lds, Scale: 8}, src)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(8), rows)
	JNZ(LabelRef("transpose_rows"))
	VZEROUPPER()
	RET()
}
