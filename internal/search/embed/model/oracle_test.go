package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// tiny is a model small enough to compute by definition.
var tiny = Info{
	Name: "tiny", Hidden: 64, Intermediate: 96, Layers: 3, Heads: 2, Vocabulary: 50,
	MaxTokens: 20, NormEpsilon: 1e-12,
}

// tinyWeights returns random weights of about the size that trained ones have.
func tinyWeights(t testing.TB, seed uint64) *Weights {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	w, err := WeightsFrom(tiny, func(_ string, shape ...int) ([]float32, error) {
		n := 1
		for _, size := range shape {
			n *= size
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * 0.15)
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append([]Norm{w.Norm}, norms(w)...) {
		for i := range n.Gamma {
			n.Gamma[i]++
		}
	}
	return w
}

func norms(w *Weights) (all []Norm) {
	for _, l := range w.Layers {
		all = append(all, l.AttentionNorm, l.Norm)
	}
	return all
}

// oracle computes the vector of a sequence from the definition of BERT and its relatives, in
// float64 and with nothing left out.
func oracle(info Info, w *Weights, ids []int32) []float64 {
	return oracleWith(info, w, ids, exactGELU)
}

// oracleWith is oracle with another activation.
func oracleWith(info Info, w *Weights, ids []int32, gelu func(float64) float64) []float64 {
	x := lastLayer(info, w, ids, gelu)
	if info.Pooling == Mean {
		for _, row := range x[1:] {
			for i, v := range row {
				x[0][i] += v // the length is brought to one below
			}
		}
	}
	return unitOf(x[0])
}

func exactGELU(v float64) float64 { return v / 2 * (1 + math.Erf(v/math.Sqrt2)) }

// lastLayer computes the rows of all tokens of a sequence.
func lastLayer(info Info, w *Weights, ids []int32, gelu func(float64) float64) [][]float64 {
	h := info.Hidden
	x := make([][]float64, len(ids))
	next := 0
	for p, id := range ids {
		position := w.Positions[next*h:]
		if w.Padding != nil && id == w.Padding.Token {
			position = w.Padding.Position
		} else {
			next++
		}
		x[p] = make([]float64, h)
		second := int(id) / info.Vocabulary // whether the token is of the second text of a pair
		for i := range h {
			if x[p][i] = float64(w.Tokens[(int(id)-second*info.Vocabulary)*h+i]) + float64(position[i]); second == 1 {
				x[p][i] += float64(w.Second[i])
			}
		}
		normalize(x[p], w.Norm, info)
	}
	for _, l := range w.Layers {
		qkv, mixed := dense(l.QKV, x), make([][]float64, len(x))
		width := info.HeadWidth()
		for p := range x {
			mixed[p] = make([]float64, h)
			for head := range info.Heads {
				at := head * width
				weights, sum := make([]float64, len(x)), 0.0
				for q := range x {
					score := 0.0
					for i := range width {
						score += qkv[p][at+i] * qkv[q][h+at+i]
					}
					score /= math.Sqrt(float64(width))
					if w.Distances != nil {
						score += float64(w.Distances[head*(2*info.MaxTokens-1)+info.MaxTokens-1+q-p])
					}
					weights[q] = math.Exp(score)
					sum += weights[q]
				}
				for q := range x {
					for i := range width {
						mixed[p][at+i] += weights[q] / sum * qkv[q][2*h+at+i]
					}
				}
			}
		}
		residual(x, dense(l.Out, mixed), l.AttentionNorm, info)
		wide := dense(l.Up, x)
		for _, row := range wide {
			for i, v := range row {
				row[i] = gelu(v)
			}
		}
		residual(x, dense(l.Down, wide), l.Norm, info)
	}
	return x
}

// unitOf brings a vector to length one.
func unitOf(x []float64) []float64 {
	length := 0.0
	for _, v := range x {
		length += v * v
	}
	for i := range x {
		x[i] /= math.Sqrt(length)
	}
	return x
}

func dense(d Dense, x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for r, row := range x {
		out[r] = make([]float64, d.Out)
		for j := range out[r] {
			out[r][j] = float64(d.Bias[j])
			for i, v := range row {
				out[r][j] += v * float64(d.W[j*d.In+i])
			}
		}
	}
	return out
}

func residual(x, d [][]float64, n Norm, info Info) {
	for r := range x {
		for i := range x[r] {
			x[r][i] += d[r][i]
		}
		normalize(x[r], n, info)
	}
}

func normalize(x []float64, n Norm, info Info) {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range x {
		x[i] = (v-mean)/math.Sqrt(square+float64(info.NormEpsilon))*float64(n.Gamma[i]) + float64(n.Beta[i])
	}
}

// eachSet runs a test with every set of kernels this machine can run.
func eachSet(t *testing.T, test func(t *testing.T, k kernel.Set)) {
	t.Helper()
	for _, k := range kernel.Available() {
		t.Run(k.Name(), func(t *testing.T) { test(t, k) })
	}
}
