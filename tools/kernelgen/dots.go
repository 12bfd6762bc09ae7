package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots emits the dot products of one vector of signed bytes with many rows,
// four at a time. VPMADDUBSW wants one side unsigned: it gets the size of the
// query's values, and the rows get their signs. Pairs are at most 2*127*127,
// which 16 bits hold.
func dots(ones Mem) {
	TEXT("dotsAVX2", NOSPLIT, "func(out *int32, query *int8, rows *int8, ld int64, steps int64, n int64)")
	Pragma("noescape")
	Doc("dotsAVX2 writes the dot products of query with n rows of 32*steps values, ld bytes apart.",
		"Values are within -127 to 127.")
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	out, query, rows, ld, steps, n := load("out"), load("query"), load("rows"), load("ld"), load("steps"), load("n")
	VMOVDQU(ones, ymm[15])
	rowLoop("dots", n, []int{4, 1}, func(r int) {
		dotRows(r, out, query, rows, ld, steps)
		for range r {
			ADDQ(ld, rows)
		}
		ADDQ(Imm(uint64(4*r)), out)
	})
	VZEROUPPER()
	RET()
}

func dotRows(count int, out, query, rows, ld, steps reg.GPVirtual) {
	acc := func(r int) reg.VecPhysical { return ymm[r] }
	ones, q, size := ymm[15], ymm[14], ymm[13]
	qp, low, high, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(query, qp)
	MOVQ(rows, low)
	LEAQ(Mem{Base: rows, Index: ld, Scale: 2}, high) // rows 2 and 3
	MOVQ(steps, n)
	for r := range count {
		VPXOR(acc(r), acc(r), acc(r))
	}
	loop := "dots_k" + itoa(count)
	Label(loop)
	VMOVDQU(Mem{Base: qp}, q)
	VPABSB(q, size)
	for r := range count {
		t := ymm[4+r]
		base := []reg.GPVirtual{low, high}[r/2]
		VMOVDQU(rowMem(base, ld, r%2, 0), t)
		VPSIGNB(q, t, t)
		VPMADDUBSW(t, size, t)
		VPMADDWD(ones, t, t)
		VPADDD(t, acc(r), acc(r))
	}
	ADDQ(Imm(32), qp)
	ADDQ(Imm(32), low)
	ADDQ(Imm(32), high)
	DECQ(n)
	JNZ(LabelRef(loop))

	if count == 1 {
		VEXTRACTI128(Imm(1), acc(0), reg.X1)
		VPADDD(reg.X1, reg.X0, reg.X0)
		VPHADDD(reg.X0, reg.X0, reg.X0)
		VPHADDD(reg.X0, reg.X0, reg.X0)
		VMOVD(reg.X0, Mem{Base: out})
		return
	}
	VPHADDD(acc(1), acc(0), acc(0))
	VPHADDD(acc(3), acc(2), acc(2))
	VPHADDD(acc(2), acc(0), acc(0)) // the four sums, in both halves
	VEXTRACTI128(Imm(1), acc(0), reg.X1)
	VPADDD(reg.X1, reg.X0, reg.X0)
	VMOVDQU(reg.X0, Mem{Base: out})
}
