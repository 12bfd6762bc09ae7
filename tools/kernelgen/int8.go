package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The int8 kernels multiply a block of rows of 7-bit activations (0..127) by
// panels of 16 output columns. The packed layout is [k/4][16 columns][4]: four
// neighbouring inputs of one column share a 32-bit lane, which is what both
// VPMADDUBSW+VPMADDWD and VPDPBUSD reduce.
const (
	groupBytes = 16 * 4 // one k/4 group of a panel
	// chunk is how many groups VPMADDUBSW sums in 16 bits before widening.
	// The packer bounds every chunk of weights so that this cannot overflow.
	chunk = 6
	// vnniGroups is how many groups a step of the VNNI kernel takes.
	vnniGroups = 3
)

// int8Args are the parameters shared by the int8 kernels.
type int8Args struct {
	dst, ldd, a, lda, rows, w, steps, rowp, colp reg.GPVirtual
}

func loadInt8Args() int8Args {
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	return int8Args{load("dst"), load("ldd"), load("a"), load("lda"), load("rows"),
		load("w"), load("steps"), load("rowp"), load("colp")}
}

const int8Signature = "func(dst *float32, ldd int64, a *uint8, lda int64, rows int64, w *int8, steps int64, rowp *float32, colp *float32)"

// int8AVX2 emits the kernel for one panel (16 columns, two YMM registers),
// three rows at a time.
func int8AVX2(ones Mem) {
	TEXT("int8AVX2", NOSPLIT, int8Signature)
	Pragma("noescape")
	Doc("int8AVX2 multiplies rows of activations by the 16 columns of a panel. Strides are in bytes;",
		"steps counts chunks of 24 inputs.")
	p := loadInt8Args()
	// The panels are contiguous, and waiting for the next one's first lines
	// costs short texts a quarter of the time: while rows of this panel are
	// multiplied, two lines a step of what follows are fetched. Three passes
	// fetch a whole panel. Past the end of all weights nothing is fetched, as
	// prefetches do not fault.
	ahead := GP64()
	IMUL3Q(U32(chunk*groupBytes), p.steps, ahead)
	ADDQ(p.w, ahead)
	rowLoop("int8", p.rows, []int{3, 2, 1}, func(r int) {
		int8AVX2Rows(p, ahead, r, ones)
		advanceRows(p, r)
	})
	VZEROUPPER()
	RET()
}

func advanceRows(p int8Args, rows int) {
	for i := 0; i < rows; i++ {
		ADDQ(p.lda, p.a)
		ADDQ(p.ldd, p.dst)
	}
	ADDQ(Imm(uint64(8*rows)), p.rowp)
}

// rowLoop emits a loop over *rows for each block height, highest first.
func rowLoop(name string, rows reg.Register, heights []int, body func(int)) {
	for _, h := range heights {
		top, next := name+"_rows"+itoa(h), name+"_rows"+itoa(h)+"_end"
		Label(top)
		CMPQ(rows, Imm(uint64(h)))
		JL(LabelRef(next))
		body(h)
		SUBQ(Imm(uint64(h)), rows)
		JMP(LabelRef(top))
		Label(next)
	}
}

// int8AVX2Rows emits a block of rows. A Zen 3 core runs 3.1 of the loop's
// vector instructions a cycle, not counting loads, in any order, so the number
// of instructions per product decides. Sums of 24 inputs in 16 bits take 78 for
// three rows, sums of 12 took 84, and sums of any length would take 72.
func int8AVX2Rows(p int8Args, ahead reg.GPVirtual, rows int, ones Mem) {
	acc := func(r, c int) reg.VecPhysical { return ymm[2*r+c] }
	t := func(r, c int) reg.VecPhysical { return ymm[6+2*r+c] } // sums of 16 bits
	w, a, u := ymm[12:14], ymm[14], ymm[15]

	wp, ap, n := GP64(), GP64(), GP64()
	MOVQ(p.w, wp)
	MOVQ(p.a, ap)
	MOVQ(p.steps, n)
	for r := range rows {
		VPXOR(acc(r, 0), acc(r, 0), acc(r, 0))
		VPXOR(acc(r, 1), acc(r, 1), acc(r, 1))
	}
	loop := "int8_k" + itoa(rows)
	Label(loop)
	for k := range chunk {
		for c := range 2 {
			VMOVDQU(Mem{Base: wp, Disp: k*groupBytes + 32*c}, w[c])
		}
		for r := range rows {
			VPBROADCASTD(rowMem(ap, p.lda, r, 4*k), a)
			if k == 0 {
				VPMADDUBSW(w[0], a, t(r, 0))
				VPMADDUBSW(w[1], a, t(r, 1))
				continue
			}
			VPMADDUBSW(w[0], a, u)
			VPMADDUBSW(w[1], a, a)
			VPADDW(u, t(r, 0), t(r, 0))
			VPADDW(a, t(r, 1), t(r, 1))
		}
		if k%3 == 2 {
			PREFETCHT0(Mem{Base: ahead, Disp: k / 3 * 64})
		}
	}
	for r := range rows {
		for c := range 2 {
			VPMADDWD(ones, t(r, c), t(r, c))
			VPADDD(t(r, c), acc(r, c), acc(r, c))
		}
	}
	ADDQ(U32(chunk/3*64), ahead)
	ADDQ(U32(chunk*groupBytes), wp)
	ADDQ(Imm(4*chunk), ap)
	DECQ(n)
	JNZ(LabelRef(loop))

	// y = acc*(rowScale*colScale) + (rowMin*colSum + bias)
	d := GP64()
	MOVQ(p.dst, d)
	for r := range rows {
		rs, rm, s := ymm[6], ymm[7], ymm[8]
		VBROADCASTSS(Mem{Base: p.rowp, Disp: 8 * r}, rs)
		VBROADCASTSS(Mem{Base: p.rowp, Disp: 8*r + 4}, rm)
		for c := range 2 {
			y, b := ymm[9+c], ymm[11+c]
			VMOVUPS(Mem{Base: p.colp, Disp: 128 + 32*c}, b)
			VFMADD231PS(Mem{Base: p.colp, Disp: 64 + 32*c}, rm, b)
			VMULPS(Mem{Base: p.colp, Disp: 32 * c}, rs, s)
			VCVTDQ2PS(acc(r, c), y)
			VFMADD213PS(b, s, y)
			VMOVUPS(y, Mem{Base: d, Disp: 32 * c})
		}
		if r+1 < rows {
			ADDQ(p.ldd, d)
		}
	}
}

// rowMem addresses a byte of row r (0 to 2) below base.
func rowMem(base, stride reg.Register, r, disp int) Mem {
	if r == 0 {
		return Mem{Base: base, Disp: disp}
	}
	return Mem{Base: base, Index: stride, Scale: uint8(r), Disp: disp}
}

// int8VNNI emits the kernel for two panels (a ZMM register each), eight rows at
// a time and then one by one.
func int8VNNI() {
	TEXT("int8VNNI", NOSPLIT, int8Signature)
	Pragma("noescape")
	Doc("int8VNNI multiplies rows of activations by the columns of two panels with VPDPBUSD.",
		"Strides are in bytes; steps counts chunks of 12 inputs.")
	p := loadInt8Args()
	second := GP64() // from one panel to the next
	IMUL3Q(Imm(vnniGroups*groupBytes), p.steps, second)
	rowLoop("vnni", p.rows, []int{8, 1}, func(r int) {
		int8VNNIRows(p, second, r)
		advanceRows(p, r)
	})
	VZEROUPPER()
	RET()
}

func int8VNNIRows(p int8Args, second reg.Register, rows int) {
	acc := func(r, c int) reg.VecPhysical { return zmm[2*r+c] }
	w := func(c int) reg.VecPhysical { return zmm[16+c] }

	wp, ap, row, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(p.w, wp)
	MOVQ(p.a, ap)
	MOVQ(p.steps, n)
	for r := range rows {
		VPXORD(acc(r, 0), acc(r, 0), acc(r, 0))
		VPXORD(acc(r, 1), acc(r, 1), acc(r, 1))
	}
	loop := "vnni_k" + itoa(rows)
	Label(loop)
	for k := range vnniGroups {
		VMOVDQU32(Mem{Base: wp, Disp: k * groupBytes}, w(0))
		VMOVDQU32(Mem{Base: wp, Index: second, Scale: 1, Disp: k * groupBytes}, w(1))
		MOVQ(ap, row)
		for r := range rows {
			a := zmm[18+r]
			// Rows r and r+1 are reached from one pointer, r+2 moves it.
			VPBROADCASTD(rowMem(row, p.lda, r%2, 4*k), a)
			if r%2 == 1 && r+1 < rows {
				LEAQ(Mem{Base: row, Index: p.lda, Scale: 2}, row)
			}
			VPDPBUSD(w(0), a, acc(r, 0))
			VPDPBUSD(w(1), a, acc(r, 1))
		}
	}
	ADDQ(U32(vnniGroups*groupBytes), wp)
	ADDQ(Imm(4*vnniGroups), ap)
	DECQ(n)
	JNZ(LabelRef(loop))

	d := GP64()
	MOVQ(p.dst, d)
	for r := range rows {
		rs, rm, s := zmm[16], zmm[17], zmm[18]
		VBROADCASTSS(Mem{Base: p.rowp, Disp: 8 * r}, rs)
		VBROADCASTSS(Mem{Base: p.rowp, Disp: 8*r + 4}, rm)
		for c := range 2 {
			// Column parameters come in groups of 16: scale, sum, bias.
			col, y, b := 192*c, zmm[19+c], zmm[21+c]
			VMOVUPS(Mem{Base: p.colp, Disp: col + 128}, b)
			VFMADD231PS(Mem{Base: p.colp, Disp: col + 64}, rm, b)
			VMULPS(Mem{Base: p.colp, Disp: col}, rs, s)
			VCVTDQ2PS(acc(r, c), y)
			VFMADD213PS(b, s, y)
			VMOVUPS(y, Mem{Base: d, Disp: 64 * c})
		}
		if r+1 < rows {
			ADDQ(p.ldd, d)
		}
	}
}
