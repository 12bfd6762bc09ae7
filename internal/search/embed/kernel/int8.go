package kernel

// The packed form of an int8 matrix. Columns are grouped in panels of ColGroup;
// in a panel, four neighbouring inputs of one column share a 32-bit lane:
//
//	[out/ColGroup][in/4][ColGroup][4]int8
//
// One layout serves VPDPBUSD (a lane is one step), VPMADDUBSW (which widens its
// 16-bit sums after ChunkInputs inputs) and scalar code.
const (
	// ColGroup is the number of columns of a panel. Their parameters are adjacent.
	ColGroup = 16
	// The number of columns must be a multiple of PanelCols: the VNNI path
	// takes two panels at once.
	PanelCols = 2 * ColGroup
	// ChunkInputs is the number of inputs that the AVX2 path adds up in 16 bits, in two sums
	// per lane, before it widens to 32 bits.
	ChunkInputs = 24
	// ActivationMax is the largest quantised activation.
	ActivationMax = 127
	// ChunkSumMax bounds the sum of the positive weights, and of the negative ones, that are
	// added in one 16-bit sum: 127*258 < 1<<15. The packer enforces it, so that VPMADDUBSW
	// and its additions never saturate and all paths compute the same integers.
	ChunkSumMax = (1<<15 - 1) / ActivationMax
)

// Int8Matrix is a matrix of In inputs and Out outputs in packed form.
type Int8Matrix struct {
	In, Out int
	W       []int8
	// Cols holds, per group of ColGroup columns, their scales, then the sums
	// of their dequantised weights, then their biases.
	Cols []float32
}

// Stride is the length of a row of activations: In rounded up to whole chunks.
func (m *Int8Matrix) Stride() int { return PaddedInputs(m.In) }

// PaddedInputs rounds a number of inputs up to whole chunks.
func PaddedInputs(in int) int { return (in + ChunkInputs - 1) / ChunkInputs * ChunkInputs }

// Columns returns the columns [from, to) as a matrix that shares m's memory. Both are
// multiples of PanelCols.
func (m *Int8Matrix) Columns(from, to int) *Int8Matrix {
	return &Int8Matrix{
		In: m.In, Out: to - from,
		W:    m.W[from*m.Stride() : to*m.Stride()],
		Cols: m.Cols[3*from : 3*to],
	}
}

// WeightIndex returns the index of the weight from input i to output j in a packed matrix of
// stride inputs.
func WeightIndex(stride, i, j int) int {
	panel, col := j/ColGroup, j%ColGroup
	return panel*stride*ColGroup + i/4*(ColGroup*4) + col*4 + i%4
}

// ColIndex returns the index of the parameters of column j in Cols: of its scale; its sum
// follows at ColGroup and its bias at 2*ColGroup.
func ColIndex(j int) int { return j/ColGroup*(3*ColGroup) + j%ColGroup }

// check panics if the operands of MulInt8 are too short for their shapes, since assembly
// would read past them.
func (m *Int8Matrix) check(dst []float32, ldd int, a []uint8, rows []Row) {
	if len(m.W) != m.Out*m.Stride() || len(m.Cols) != 3*m.Out || m.Out%PanelCols != 0 {
		panic("kernel: matrix does not have its own shape")
	}
	if len(a) < len(rows)*m.Stride() || ldd < m.Out || len(dst) < (len(rows)-1)*ldd+m.Out {
		panic("kernel: operands shorter than their shapes")
	}
}
