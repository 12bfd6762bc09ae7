package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

func TestPackIsDeterministic(t *testing.T) {
	t.Parallel()
	a, b := packedTiny(t, tinyWeights(t, 4)), packedTiny(t, tinyWeights(t, 4))
	if a != b {
		t.Error("the same weights gave different files")
	}
	pack, err := OpenPack(a)
	if err != nil {
		t.Fatal(err)
	}
	if err := pack.Verify(); err != nil {
		t.Error(err)
	}
	words, err := pack.Vocabulary()
	if err != nil || words[:6] != "w\nwx\nw" {
		t.Errorf("vocabulary %.10q, %v", words, err)
	}
	if pack.Info() != tiny {
		t.Errorf("info %+v, want %+v", pack.Info(), tiny)
	}
}

func TestDamagedPack(t *testing.T) {
	t.Parallel()
	file := packedTiny(t, tinyWeights(t, 4))
	flipped := []byte(file)
	flipped[len(flipped)-100] ^= 1
	pack, err := OpenPack(string(flipped))
	if err != nil {
		t.Fatal(err)
	}
	if err := pack.Verify(); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("Verify = %v, want %s", err, kb.Damaged)
	}
	for _, n := range []int{0, 7, 15, 16, 200, len(file) / 2, len(file) - 1} {
		if _, err := OpenPack(file[:n]); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%d bytes: %v, want %s", n, err, kb.Damaged)
		}
	}
	if _, err := OpenPack("cairnemb\x01\x00\x00\x00" + file[12:]); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("version 1: %v, want %s", err, kb.Damaged)
	}
}

// Whatever the bytes, opening and making a model fails or succeeds cleanly.
func FuzzOpenPack(f *testing.F) {
	file := packedTiny(f, tinyWeights(f, 4))
	f.Add([]byte(file))
	f.Add([]byte(file[:300]))
	f.Add([]byte(packMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		pack, err := OpenPack(string(b))
		if err != nil {
			return
		}
		if m, err := pack.Model(kernel.Portable{}, 1); err == nil && m.Info() != pack.Info() {
			t.Error("the model is not the pack's")
		}
	})
}

// Whatever the weights, the kernels' bound holds and little changes.
func TestBound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		row := make([]int8, 2*kernel.ChunkInputs)
		for i := range row {
			row[i] = int8(rng.IntN(2*maxSteps+1) - maxSteps)
		}
		before := append([]int8(nil), row...)
		bound(row)
		for chunk := 0; chunk < len(row); chunk += kernel.ChunkInputs {
			for half := 0; half <= 2; half += 2 {
				plus, minus := 0, 0
				for i := chunk + half; i < chunk+kernel.ChunkInputs; i += 4 {
					for _, v := range []int{int(row[i]), int(row[i+1])} {
						plus, minus = plus+max(v, 0), minus+max(-v, 0)
					}
				}
				if plus > kernel.ChunkSumMax || minus > kernel.ChunkSumMax {
					t.Fatalf("sums %d and %d", plus, minus)
				}
			}
		}
		for i, v := range row {
			if int(v)*int(before[i]) < 0 || abs(float32(v)) > abs(float32(before[i])) {
				t.Fatalf("weight %d became %d", before[i], v)
			}
		}
	}
}

// A column gets the step that serves it best: coarse where many weights are
// large, since chunks must keep the kernels' bound, and fine where few are.
func TestQuantiseColumn(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	row := make([]int8, 10*kernel.ChunkInputs)
	steps := func(next func() float32) float32 {
		w, top := make([]float32, len(row)), float32(0)
		for i := range w {
			w[i] = next()
			top = max(top, abs(w[i]))
		}
		step := quantiseColumn(row, w)
		for i, v := range row {
			if float32(v)*w[i] < 0 {
				t.Fatalf("weight %v became %d", w[i], v)
			}
		}
		return top / step
	}
	crowded := steps(func() float32 { return 1 - 2*rng.Float32() })
	sparse := steps(func() float32 { return float32(math.Pow(rng.Float64(), 40)) })
	if crowded > 60 || sparse < 110 {
		t.Errorf("%v steps for many large weights, %v for few", crowded, sparse)
	}
	if step := quantiseColumn(row, make([]float32, len(row))); step != 1 || row[0] != 0 || row[len(row)-1] != 0 {
		t.Errorf("no weights: step %v, %v", step, row)
	}
}

func TestInfoCheck(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Info){
		"width":    func(i *Info) { i.Hidden = 48 },
		"heads":    func(i *Info) { i.Heads = 3 },
		"layers":   func(i *Info) { i.Layers = 0 },
		"negative": func(i *Info) { i.Vocabulary = -1 },
		"huge":     func(i *Info) { i.MaxTokens = 1 << 30 },
		"short":    func(i *Info) { i.MaxTokens = 2 },
		"pooling":  func(i *Info) { i.Pooling = "max" },
	} {
		info := tiny
		change(&info)
		if err := info.Check(); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v, want %s", name, err, kb.Invalid)
		}
	}
}
