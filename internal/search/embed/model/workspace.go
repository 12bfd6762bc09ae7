package model

import "github.com/cairn-kb/cairn/internal/search/embed/kernel"

const (
	// blockRows is the number of rows per matrix product: enough to reuse a panel of weights
	// from the first-level cache, few enough that the feed-forward activations stay in the
	// second. It is a multiple of the kernels' row counts, three and eight.
	blockRows = 48
	// queryRows is the number of queries of one head that are scored at once.
	queryRows = 48
)

// workspace is the memory of one thread, for any batch.
type workspace struct {
	activations
	wide      []float32 // [blockRows][intermediate]
	row, ones []float32 // one row of the widest input
	quant     []uint8   // [blockRows][stride of the widest input]
	params    []kernel.Row
	keys      []float32 // [head width][keyStride]: one head's keys, transposed
	scores    []float32 // [queryRows][padded tokens]
	scale     []float32 // [queryRows]
}

// activations are the rows of a chunk, one per token. Threads that share a chunk share them,
// and each writes its own rows.
type activations struct {
	x, context, delta []float32 // [tokens][hidden]
	// qkv is [tokens][3*hidden], twice: layers alternate, so that a thread can write the
	// next layer's rows while another still reads this layer's.
	qkv [2][]float32
}

// room allocates memory for a chunk of that many tokens. Memory for the longest text would
// start garbage collections in a process that embeds a single question.
func (a *activations) room(info Info, tokens int) {
	if tokens*info.Hidden <= len(a.x) {
		return
	}
	n := leastTokens * info.Hidden
	for n < tokens*info.Hidden {
		n *= 2
	}
	*a = activations{
		x: make([]float32, n), context: make([]float32, n), delta: make([]float32, n),
		qkv: [2][]float32{make([]float32, 3*n), make([]float32, 3*n)},
	}
}

func newWorkspace(info Info) *workspace {
	widest := max(info.Hidden, info.Intermediate)
	padded := padTokens(info.MaxTokens)
	ws := &workspace{
		wide:   make([]float32, blockRows*info.Intermediate),
		row:    make([]float32, widest),
		ones:   make([]float32, max(widest, blockRows)),
		quant:  make([]uint8, blockRows*kernel.PaddedInputs(widest)),
		params: make([]kernel.Row, blockRows),
		keys:   make([]float32, info.HeadWidth()*(padded+kernel.GemmCols)),
		scores: make([]float32, queryRows*padded),
		scale:  make([]float32, queryRows),
	}
	for i := range ws.ones {
		ws.ones[i] = 1
	}
	return ws
}

// padTokens rounds n up to whole columns of Gemm.
func padTokens(n int) int { return (n + kernel.GemmCols - 1) / kernel.GemmCols * kernel.GemmCols }
