package kernel

import (
	"github.com/cairn-kb/cairn/internal/kb"
)

// Set is one implementation of all kernels. Slices must have the lengths of the shapes; a
// shorter one panics before any memory is accessed.
type Set interface {
	// Name is the name that selects this set: portable, avx2 or avx512.
	Name() string

	// MulInt8 writes dst[r][j] = sum(a[r][i]*m[i][j]), dequantised with the
	// row and column parameters, for all rows and all columns of m. Row r of
	// dst starts at r*ldd, row r of a at r*m.Stride(). Activations are at
	// most ActivationMax: more overflows the AVX2 path.
	MulInt8(dst []float32, ldd int, a []uint8, rows []Row, m *Int8Matrix)

	// Dots writes out[i] = sum(query[j]*rows[i*len(query)+j]). All values are within
	// [-DotMax, DotMax]; the sums are exact, which int32 holds up to 130,000 dimensions. It
	// takes many rows, since the overhead of a call would be a third of the time of a row.
	Dots(out []int32, query, rows []int8)

	// Prepare writes x*scale to dst and returns the minimum and maximum value written.
	// Lengths are equal multiples of QuantLanes.
	Prepare(dst, x, scale []float32) (low, high float32)

	// PrepareGELU is Prepare of GELU(x), the exact form with the error
	// function, to within 4e-5 plus 1e-5 of the value.
	PrepareGELU(dst, x, scale []float32) (low, high float32)

	// Quantize writes round((x-low)*scale), to even on ties, which the caller
	// keeps within 0 to 255. Lengths are equal multiples of QuantLanes.
	Quantize(dst []uint8, x []float32, low, scale float32)

	// AddNorm writes the layer normalisation of x+d to x. Lengths are equal
	// multiples of QuantLanes.
	AddNorm(x, d, gamma, beta []float32, eps float32)

	// Softmax writes exp(x-max(x)) to each of len(sums) rows of x, and their sums; the
	// caller divides. The quotients are exact to within 4e-6; before the division, a whole
	// row may be off by a factor near one. The length of a row is a multiple of Lanes.
	Softmax(sums, x []float32)

	// Gemm writes c[r][j] = scale[r]*sum(a[r][i]*b[i][j]) for GemmCols
	// columns, i below k and r below len(scale). The ld values are row
	// strides in elements.
	Gemm(c []float32, ldc int, a []float32, lda int, b []float32, ldb, k int, scale []float32)

	// Transpose writes src[i][j] to dst[j][i] for i below rows and j below
	// cols, a multiple of Lanes. The ld values are row strides in elements.
	Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int)
}

// Sizes for which the kernels are built.
const (
	Lanes      = 8  // float vectors
	QuantLanes = 32 // of Prepare, Quantize and AddNorm
	GemmCols   = 16 // columns of one Gemm call
)

// DotMax is the maximum magnitude of a value in Dots: the AVX2 path would turn -128 into
// 128, which it cannot multiply.
const DotMax = 127

// Row holds the parameters that dequantise one row of activations: a quantised
// q is Scale*q + Low.
type Row struct{ Scale, Low float32 }

// EnvVar is the environment variable with which a user forces a set. It is read by the
// program's wiring, never here.
const EnvVar = "CAIRN_CPU"

// Select returns the set with a name, or the fastest that this machine supports if name is
// empty.
func Select(name string) (Set, error) {
	sets := Available()
	if name == "" {
		return sets[len(sets)-1], nil
	}
	for _, s := range sets {
		if s.Name() == name {
			return s, nil
		}
	}
	for _, known := range []string{"portable", "avx2", "avx512"} {
		if known == name {
			return nil, kb.Errorf(kb.Usage, "this processor cannot run the %s kernels", name).
				WithHint("unset %s, or set it to %s", EnvVar, sets[len(sets)-1].Name())
		}
	}
	return nil, kb.Errorf(kb.Usage, "no kernels are called %q", name).
		WithHint("%s is one of portable, avx2, avx512", EnvVar)
}

// Available lists the sets that this machine supports, slowest first.
func Available() []Set { return append([]Set{Portable{}}, fast()...) }
