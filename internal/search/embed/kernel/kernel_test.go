package kernel

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// eachSet runs a test on every set this machine can run, and says which ones
// it cannot.
func eachSet(t *testing.T, test func(t *testing.T, s Set)) {
	t.Helper()
	for _, name := range []string{"portable", "avx2", "avx512"} {
		t.Run(name, func(t *testing.T) {
			s, err := Select(name)
			if err != nil {
				t.Skipf("not tested here: %v", err)
			}
			test(t, s)
		})
	}
}

func floats(rng *rand.Rand, n int, sd float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.NormFloat64() * sd)
	}
	return out
}

// int8Case is an unpacked matrix beside its packed form.
type int8Case struct {
	m     *Int8Matrix
	plain [][]int8 // [in][out]
}

// newInt8Case fills a matrix with weights from next, which must keep the
// chunk bound, and with random column parameters.
func newInt8Case(rng *rand.Rand, in, out int, next func(i, j int) int8) int8Case {
	m := &Int8Matrix{In: in, Out: out, W: make([]int8, PaddedInputs(in)*out), Cols: floats(rng, 3*out, 1)}
	plain := make([][]int8, in)
	for i := range plain {
		plain[i] = make([]int8, out)
		for j := range plain[i] {
			plain[i][j] = next(i, j)
			m.W[WeightIndex(m.Stride(), i, j)] = plain[i][j]
		}
	}
	return int8Case{m, plain}
}

// anyWeight returns a weight small enough for every chunk to keep the bound.
func anyWeight(rng *rand.Rand) int8 {
	const most = ChunkSumMax / (ChunkInputs / 2)
	return int8(rng.IntN(2*most+1) - most)
}

// want multiplies in float64, from the definition.
func (c int8Case) want(a []uint8, r int, row Row, j int) float64 {
	sum := 0
	for i := range c.plain {
		sum += int(a[r*c.m.Stride()+i]) * int(c.plain[i][j])
	}
	at := ColIndex(j)
	scale, colSum, bias := c.m.Cols[at], c.m.Cols[at+ColGroup], c.m.Cols[at+2*ColGroup]
	return float64(sum)*float64(row.Scale)*float64(scale) + float64(row.Low)*float64(colSum) + float64(bias)
}

func TestMulInt8(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		for _, in := range []int{12, 24, 32, 50, 384} {
			for _, rows := range []int{1, 2, 3, 4, 7, 8, 9, 19} {
				t.Run(fmt.Sprintf("%dx%d", rows, in), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(in), uint64(rows)))
					c := newInt8Case(rng, in, 64, func(int, int) int8 { return anyWeight(rng) })
					checkMulInt8(t, s, rng, c, rows, func() uint8 { return uint8(rng.IntN(ActivationMax + 1)) })
				})
			}
		}
	})
}

func TestDots(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(3, 4))
		extreme := func() int8 { return int8(DotMax - 2*DotMax*rng.IntN(2)) }
		any := func() int8 { return int8(rng.IntN(2*DotMax+1) - DotMax) }
		for _, dims := range []int{1, 31, 32, 33, 64, 100, 384, 768} {
			for _, rows := range []int{0, 1, 3, 4, 5, 8, 11} {
				for _, next := range []func() int8{any, extreme, func() int8 { return DotMax }, func() int8 { return -DotMax }} {
					query, matrix := make([]int8, dims), make([]int8, dims*rows)
					for i := range query {
						query[i] = next()
					}
					for i := range matrix {
						matrix[i] = next()
					}
					out := make([]int32, rows+1)
					out[rows] = 12345
					s.Dots(out[:rows], query, matrix)
					for r := range rows {
						want := int32(0)
						for i, q := range query {
							want += int32(q) * int32(matrix[r*dims+i])
						}
						if out[r] != want {
							t.Fatalf("row %d of %d, %d values: %d, want %d", r, rows, dims, out[r], want)
						}
					}
					if out[rows] != 12345 {
						t.Fatal("wrote past the rows")
					}
				}
			}
		}
	})
}

// Whoever passes rows of another length learns so before memory is read.
func TestDotsChecks(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		defer func() {
			if recover() == nil {
				t.Error("took half a row")
			}
		}()
		s.Dots(make([]int32, 1), make([]int8, 64), make([]int8, 32))
	})
}

func BenchmarkDots(b *testing.B) {
	for _, s := range Available() {
		b.Run(s.Name(), func(b *testing.B) {
			out, query, rows := make([]int32, 256), make([]int8, 384), make([]int8, 256*384)
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				s.Dots(out, query, rows)
			}
		})
	}
}

// The weights at the packer's bound and the largest activations are where a
// 16-bit sum would overflow.
func TestMulInt8AtTheBound(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		for _, sign := range []int{1, -1} {
			// Inputs 4k and 4k+1 of a chunk meet in one sum, as do 4k+2 and 4k+3.
			w := [ChunkInputs]int8{}
			for _, first := range []int{0, 2} {
				left := ChunkSumMax
				for i := 0; i < ChunkInputs; i += 4 {
					for _, at := range []int{i, i + 1} {
						v := min(left, 127)
						w[first+at], left = int8(sign*v), left-v
					}
				}
			}
			rng := rand.New(rand.NewPCG(1, 2))
			c := newInt8Case(rng, 96, 32, func(i, _ int) int8 { return w[i%ChunkInputs] })
			checkMulInt8(t, s, rng, c, 5, func() uint8 { return ActivationMax })
		}
	})
}

func checkMulInt8(t *testing.T, s Set, rng *rand.Rand, c int8Case, rows int, activation func() uint8) {
	t.Helper()
	a := make([]uint8, rows*c.m.Stride())
	for i := range a {
		a[i] = activation()
	}
	params := make([]Row, rows)
	for r := range params {
		params[r] = Row{Scale: rng.Float32(), Low: -rng.Float32()}
	}
	ldd := c.m.Out + 3
	dst := make([]float32, rows*ldd)
	for i := range dst {
		dst[i] = 12345
	}
	s.MulInt8(dst, ldd, a, params, c.m)
	for r := range rows {
		for j := range ldd {
			got := float64(dst[r*ldd+j])
			if j >= c.m.Out {
				if got != 12345 {
					t.Fatalf("row %d: wrote past the columns", r)
				}
				continue
			}
			want := c.want(a, r, params[r], j)
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("[%d][%d] = %v, want %v", r, j, got, want)
			}
		}
	}
	// A view of the last panel gives the same numbers.
	view := make([]float32, rows*PanelCols)
	s.MulInt8(view, PanelCols, a, params, c.m.Columns(c.m.Out-PanelCols, c.m.Out))
	for r := range rows {
		for j := range PanelCols {
			if want := dst[r*ldd+c.m.Out-PanelCols+j]; view[r*PanelCols+j] != want {
				t.Fatalf("view [%d][%d] = %v, want %v", r, j, view[r*PanelCols+j], want)
			}
		}
	}
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int{32, 96, 384} {
			x, scale, dst := floats(rng, n, 3), floats(rng, n, 1), make([]float32, n)
			x[0], x[1], x[2], x[3], x[4], x[5], x[n-1] = 0, -30, 30, phiClamp, -phiClamp, 4, -4
			gelu := func(v float64) float64 { return v * 0.5 * (1 + math.Erf(v/math.Sqrt2)) }
			plain := func(v float64) float64 { return v }
			for name, f := range map[string]func(float64) float64{"plain": plain, "gelu": gelu} {
				run := s.Prepare
				if name == "gelu" {
					run = s.PrepareGELU
				}
				low, high := run(dst, x, scale)
				wantLow, wantHigh := dst[0], dst[0]
				for i, v := range dst {
					wantLow, wantHigh = min(wantLow, v), max(wantHigh, v)
					want := f(float64(x[i])) * float64(scale[i])
					if math.Abs(float64(v)-want) > 4e-5*math.Abs(float64(scale[i]))+1e-5*math.Abs(want) {
						t.Fatalf("%s(%v)*%v = %v, want %v", name, x[i], scale[i], v, want)
					}
				}
				if low != wantLow || high != wantHigh {
					t.Fatalf("%s: bounds %v %v, want %v %v", name, low, high, wantLow, wantHigh)
				}
			}
		}
	})
}

func TestQuantize(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(5, 6))
		x := make([]float32, 96)
		for i := range x {
			x[i] = -2 + 4*rng.Float32()
		}
		x[0], x[1], x[2] = -2, 2, -2+4*2.5/127
		dst := make([]uint8, len(x))
		s.Quantize(dst, x, -2, 127.0/4)
		for i, v := range x {
			scaled := (v + 2) * (127.0 / 4)
			if want := uint8(math.RoundToEven(float64(scaled))); dst[i] != want {
				t.Fatalf("quantized %v to %d, want %d", v, dst[i], want)
			}
		}
	})
}

func TestAddNorm(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, n := range []int{32, 96, 384} {
			x, d, gamma, beta := floats(rng, n, 2), floats(rng, n, 1), floats(rng, n, 1), floats(rng, n, 1)
			const eps = 1e-3
			mean, square := 0.0, 0.0
			for i := range x {
				mean += float64(x[i]+d[i]) / float64(n)
			}
			for i := range x {
				square += math.Pow(float64(x[i]+d[i])-mean, 2) / float64(n)
			}
			got := append([]float32(nil), x...)
			s.AddNorm(got, d, gamma, beta, eps)
			for i, v := range got {
				want := (float64(x[i]+d[i])-mean)/math.Sqrt(square+eps)*float64(gamma[i]) + float64(beta[i])
				if math.Abs(float64(v)-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("n=%d [%d] = %v, want %v", n, i, v, want)
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, n := range []int{8, 16, 136} {
			for _, rows := range []int{1, 2, 5} {
				x := floats(rng, n*rows, 5)
				x[1], x[n-1] = -math.MaxFloat32, -200
				x[n*rows-n/2] = 300 // the others of its row all but vanish
				got, sums := append([]float32(nil), x...), make([]float32, rows+1)
				sums[rows] = 12345
				s.Softmax(sums[:rows], got)
				for r := range rows {
					checkSoftmaxRow(t, x[r*n:(r+1)*n], got[r*n:(r+1)*n], sums[r])
				}
				if sums[rows] != 12345 {
					t.Fatal("wrote past the rows")
				}
			}
		}
		s.Softmax(nil, nil)
	})
}

func checkSoftmaxRow(t *testing.T, x, got []float32, sum float32) {
	t.Helper()
	top, wantSum := float64(x[0]), 0.0
	for _, v := range x {
		top = max(top, float64(v))
	}
	for _, v := range x {
		wantSum += math.Exp(float64(v) - top)
	}
	if math.Abs(float64(sum)-wantSum) > 2e-5*wantSum {
		t.Fatalf("sum = %v, want %v", sum, wantSum)
	}
	for i, v := range x {
		want := math.Exp(float64(v)-top) / wantSum
		if share := float64(got[i]) / float64(sum); math.Abs(share-want) > 4e-6*want+1e-37 {
			t.Fatalf("%v below the greatest: %v, want %v", float64(v)-top, share, want)
		}
	}
}

func TestGemm(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, k := range []int{1, 32, 50} {
			for rows := 1; rows <= 15; rows++ {
				ldc, lda, ldb := GemmCols+2, k+3, GemmCols+5
				a, b := floats(rng, rows*lda, 1), floats(rng, k*ldb, 1)
				c, scale := make([]float32, rows*ldc), floats(rng, rows, 1)
				s.Gemm(c, ldc, a, lda, b, ldb, k, scale)
				for r := range rows {
					for j := range ldc {
						want := 0.0
						if j < GemmCols {
							for i := range k {
								want += float64(a[r*lda+i]) * float64(b[i*ldb+j])
							}
							want *= float64(scale[r])
						}
						if math.Abs(float64(c[r*ldc+j])-want) > 1e-4 {
							t.Fatalf("k=%d rows=%d [%d][%d] = %v, want %v", k, rows, r, j, c[r*ldc+j], want)
						}
					}
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, rows := range []int{1, 7, 8, 9, 24, 31} {
			const cols, lds = 32, 35
			ldd := rows + 2
			src, dst := floats(rng, rows*lds, 1), make([]float32, cols*ldd)
			s.Transpose(dst, ldd, src, lds, rows, cols)
			for j := range cols {
				for i := range ldd {
					var want float32
					if i < rows {
						want = src[i*lds+j]
					}
					if dst[j*ldd+i] != want {
						t.Fatalf("rows=%d [%d][%d] = %v, want %v", rows, j, i, dst[j*ldd+i], want)
					}
				}
			}
		}
	})
}

func TestShortOperandsPanic(t *testing.T) {
	t.Parallel()
	m := &Int8Matrix{In: 12, Out: 32, W: make([]int8, 12*32), Cols: make([]float32, 96)}
	eachSet(t, func(t *testing.T, s Set) {
		for name, call := range map[string]func(){
			"int8 activations": func() { s.MulInt8(make([]float32, 64), 32, make([]uint8, 12), make([]Row, 2), m) },
			"int8 result":      func() { s.MulInt8(make([]float32, 63), 32, make([]uint8, 24), make([]Row, 2), m) },
			"prepare":          func() { s.Prepare(make([]float32, 32), make([]float32, 64), make([]float32, 64)) },
			"gelu":             func() { s.PrepareGELU(make([]float32, 48), make([]float32, 48), make([]float32, 48)) },
			"quantize":         func() { s.Quantize(make([]uint8, 8), make([]float32, 8), 0, 1) },
			"norm":             func() { s.AddNorm(nil, nil, nil, nil, 0) },
			"softmax":          func() { s.Softmax(make([]float32, 1), make([]float32, 7)) },
			"softmax rows":     func() { s.Softmax(make([]float32, 3), make([]float32, 16)) },
			"softmax sums":     func() { s.Softmax(nil, make([]float32, 16)) },
			"gemm": func() {
				s.Gemm(make([]float32, 16), 16, make([]float32, 4), 4, make([]float32, 63), 16, 4, make([]float32, 1))
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				call()
			}()
		}
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	best, err := Select("")
	if err != nil {
		t.Fatal(err)
	}
	if all := Available(); best != all[len(all)-1] || all[0].Name() != "portable" {
		t.Errorf("Select(\"\") = %s of %v", best.Name(), all)
	}
	var e *kb.Error
	if _, err := Select("sse2"); !errors.As(err, &e) || e.Code != kb.Usage || e.Hint == "" {
		t.Errorf("Select(sse2) = %v, want a usage error with a hint", err)
	}
}

func TestNoAllocations(t *testing.T) {
	// Serial: it counts allocations.
	eachSet(t, func(t *testing.T, s Set) {
		x, y, q := make([]float32, 32), make([]float32, 32), make([]uint8, 32)
		if n := testing.AllocsPerRun(10, func() {
			s.PrepareGELU(y, x, x)
			s.Quantize(q, y, 0, 1)
			s.AddNorm(x, y, y, y, 1)
			s.Softmax(y[:2], x)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// The sets agree to the bit, not only within rounding: vectors made on one
// machine are the vectors of every other.
func TestSetsAgreeToTheBit(t *testing.T) {
	t.Parallel()
	eachSet(t, func(t *testing.T, s Set) {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 99))
			n := 32 * (1 + rng.IntN(12))
			x, y, scale := floats(rng, n, 3), floats(rng, n, 2), floats(rng, n, 1)
			c := newInt8Case(rng, n, 32, func(int, int) int8 { return anyWeight(rng) })
			rows := make([]Row, 1+rng.IntN(13))
			a := make([]uint8, len(rows)*c.m.Stride())
			for i := range a {
				a[i] = uint8(rng.IntN(ActivationMax + 1))
			}
			for i := range rows {
				rows[i] = Row{Scale: rng.Float32(), Low: -rng.Float32()}
			}
			a32 := floats(rng, len(rows)*n/GemmCols, 1)
			run := func(s Set) map[string][]float32 {
				out := map[string][]float32{
					"int8": make([]float32, len(rows)*32), "prepare": make([]float32, n), "gelu": make([]float32, n),
					"norm": append([]float32(nil), x...), "softmax": append([]float32(nil), y...),
					"gemm": make([]float32, len(rows)*GemmCols),
				}
				s.MulInt8(out["int8"], 32, a, rows, c.m)
				s.Prepare(out["prepare"], x, scale)
				s.PrepareGELU(out["gelu"], x, scale)
				s.AddNorm(out["norm"], y, scale, x, 1e-12)
				out["softmax sums"] = make([]float32, 4)
				s.Softmax(out["softmax sums"], out["softmax"])
				k := n / GemmCols
				s.Gemm(out["gemm"], GemmCols, a32, k, y, GemmCols, k, scale[:len(rows)])
				return out
			}
			got, want := run(s), run(Portable{})
			for name, w := range want {
				for i, v := range w {
					if math.Float32bits(got[name][i]) != math.Float32bits(v) {
						t.Fatalf("seed %d, %s[%d] = %v, portable %v", seed, name, i, got[name][i], v)
					}
				}
			}
		}
	})
}

func TestFMA(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(15, 16))
	exact := func(a, b, c float32) float32 {
		p := new(big.Float).SetPrec(500).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		f, _ := p.Add(p, big.NewFloat(float64(c))).Float32()
		return f
	}
	check := func(a, b, c float32) {
		t.Helper()
		if got, want := fma(a, b, c), exact(a, b, c); got != want {
			t.Errorf("fma(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
	for range 10000 {
		check(float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64()*math.Exp2(float64(rng.IntN(80)-40))))
	}
	// Sums that float64 rounds to halfway between two float32, from both sides.
	for _, sign := range []float32{1, -1} {
		tiny := float32(math.Exp2(-30))
		half := float32(1 + math.Exp2(-12)) // half*half = 1 + 2^-11 + 2^-24
		check(half, half, 0)
		check(half, half, sign*tiny*tiny)
		check(-half, half, sign*tiny*tiny)
		check(half*half, 1, sign*tiny*tiny)
	}
}
