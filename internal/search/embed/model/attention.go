package model

import (
	"math"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// attend writes, for each of the queries of one text, the weighted sum of the text's values
// to dst, all heads side by side. Queries start ldq apart, the first is that of token number
// first; kv is the text's part of ws.qkv, n tokens long.
func (m *Model) attend(ws *workspace, dst []float32, queries []float32, ldq, first, rows int, kv []float32, n int) {
	width, h := m.info.HeadWidth(), m.info.Hidden
	// The scores of up to padded-n missing keys are overwritten below. keyStride keeps
	// columns of keys in different cache sets.
	padded := padTokens(n)
	keyStride := padded + kernel.GemmCols
	for head := range m.info.Heads {
		at := head * width
		m.kernels.Transpose(ws.keys, keyStride, kv[h+at:], 3*h, n, width)
		for from := 0; from < rows; from += queryRows {
			count := min(queryRows, rows-from)
			scale := ws.scale[:count]
			for i := range scale {
				scale[i] = float32(1 / math.Sqrt(float64(width)))
			}
			for j := 0; j < padded; j += kernel.GemmCols {
				m.kernels.Gemm(ws.scores[j:], padded, queries[from*ldq+at:], ldq, ws.keys[j:], keyStride, width, scale)
			}
			for r := range count {
				row := ws.scores[r*padded : (r+1)*padded]
				if m.distances != nil {
					m.addDistances(row[:n], head, first+from+r)
				}
				for j := n; j < padded; j++ {
					row[j] = -math.MaxFloat32
				}
			}
			m.kernels.Softmax(scale, ws.scores[:count*padded])
			for i, sum := range scale {
				scale[i] = 1 / sum
			}
			for j := 0; j < width; j += kernel.GemmCols {
				m.kernels.Gemm(dst[from*h+at+j:], h, ws.scores, padded, kv[2*h+at+j:], 3*h, n, scale)
			}
		}
	}
}

// addDistances adds the model's distance biases to the scores of one query, that of token
// number at, for each key.
func (m *Model) addDistances(scores []float32, head, at int) {
	reach := m.info.MaxTokens - 1
	for j, d := range m.distances[head*(2*reach+1)+reach-at:][:len(scores)] {
		scores[j] += d
	}
}
