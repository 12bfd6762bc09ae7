// Command kernelgen writes the assembly kernels of internal/search/embed/kernel.
//
//	go generate ./internal/search/embed/kernel
package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Vector registers are assigned by hand: the register budget is the design of
// each kernel, and avo's allocator may hand registers 16 to 31 to
// instructions that only exist in their VEX form.
var (
	ymm = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	zmm = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
)

func main() {
	ConstraintExpr("amd64")
	ones := ones16()
	int8AVX2(ones)
	int8VNNI()
	dots(ones)
	prepare("prepareAVX2", false)
	prepare("prepareGELUAVX2", true)
	quantize()
	addNorm()
	softmax()
	gemm()
	transpose()
	Generate()
}

// ones16 emits a vector of ones in 16 bits: multiplied by it, pairs are added.
func ones16() Mem {
	ones := GLOBL("ones16", RODATA|NOPTR)
	for i := 0; i < 16; i++ {
		DATA(2*i, I16(1))
	}
	return ones
}

func itoa(n int) string { return strconv.Itoa(n) }
