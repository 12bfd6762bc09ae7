package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/embed/kernel"
)

// attend writes, for each of the queries of one text, the mixture of the
// text's values to dst, all heads side by side. Queries start ldq apart; kv is
// the text's part of ws.qkv, n tokens long.
func (m *Model) attend(ws *workspace, dst []float32, queries []float32, ldq, rows int, kv []float32, n int) {
	width, h := m.info.HeadWidth(), m.info.Hidden
	padded := padTokens(n)
	for head := range m.info.Heads {
		at := head * width
		transpose(ws.keys, padded, kv[h+at:], 3*h, n, width)
		for from := 0; from < rows; from += queryRows {
			count := min(queryRows, rows-from)
			scale := ws.scale[:count]
			for i := range scale {
				scale[i] = float32(1 / math.Sqrt(float64(width)))
			}
			for j := 0; j < padded; j += kernel.GemmCols {
				m.kernels.Gemm(ws.scores[j:], padded, queries[from*ldq+at:], ldq, ws.keys[j:], padded, width, scale)
			}
			for r := range count {
				row := ws.scores[r*padded : (r+1)*padded]
				for j := n; j < padded; j++ {
					row[j] = -math.MaxFloat32
				}
				scale[r] = 1 / m.kernels.Softmax(row)
			}
			for j := 0; j < width; j += kernel.GemmCols {
				m.kernels.Gemm(dst[from*h+at+j:], h, ws.scores, padded, kv[2*h+at+j:], 3*h, n, scale)
			}
		}
	}
}

// transpose writes n rows of width values, ld apart, as columns of dst, whose
// rows are padded long. Columns from n on keep what they hold: their scores
// are overwritten.
func transpose(dst []float32, padded int, src []float32, ld, n, width int) {
	for i := range width {
		column := dst[i*padded : i*padded+n]
		for j := range column {
			column[j] = src[j*ld+i]
		}
	}
}
