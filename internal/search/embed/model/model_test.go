package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// sequences returns random token ids of many lengths, some longer than a
// chunk together.
func sequences(n int) [][]int32 {
	rng := rand.New(rand.NewPCG(2, 3))
	out := make([][]int32, n)
	for i := range out {
		ids := make([]int32, 1+(i*7)%tiny.MaxTokens)
		for j := range ids {
			ids[j] = int32(rng.IntN(tiny.Vocabulary))
		}
		out[i] = ids
	}
	return out
}

func vocabulary() []string {
	words := make([]string, tiny.Vocabulary)
	for i := range words {
		words[i] = "w" + strings.Repeat("x", i)
	}
	return words
}

// packedTiny returns a packed file of tiny weights.
func packedTiny(t testing.TB, w *Weights) string { return packedAs(t, tiny, w) }

func packedAs(t testing.TB, info Info, w *Weights) string {
	t.Helper()
	use, err := Calibrate(context.Background(), info, w, fastest(t), sequences(20))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WritePack(&out, info, w, use, Words{Text: vocabulary()}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func fastest(t testing.TB) kernel.Set {
	t.Helper()
	k, err := kernel.Select("")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func packedModel(t testing.TB, file string, k kernel.Set, threads int) *Model {
	t.Helper()
	pack, err := OpenPack(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := pack.Model(k, threads)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pooling   Pooling
		sequences int // several chunks, or a few: only the end differs
	}{"cls": {CLS, 40}, "mean": {Mean, 8}} {
		t.Run(name, func(t *testing.T) { againstTheDefinition(t, c.pooling, sequences(c.sequences)) })
	}
}

func againstTheDefinition(t *testing.T, pooling Pooling, all [][]int32) {
	w := tinyWeights(t, 1)
	info := tiny
	info.Pooling = pooling
	file := packedAs(t, info, w)
	want := make([][]float64, len(all))
	for i, ids := range all {
		want[i] = oracle(info, w, ids)
	}
	eachSet(t, func(t *testing.T, k kernel.Set) {
		float, err := FromWeights(info, w, k, 2)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			m     *Model
			least float64
		}{"float": {float, 0.999999}, "int8": {packedModel(t, file, k, 2), 0.99}} {
			vectors, err := c.m.Embed(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range vectors {
				dot := 0.0
				for j, x := range want[i] {
					dot += x * float64(v[j])
				}
				if dot < c.least {
					t.Errorf("%s: sequence %d of %d tokens: cosine %v", name, i, len(all[i]), dot)
				}
			}
		}
	})
}

// Positions as RoBERTa and MPNet have them, with threads that share texts.
func TestOtherPositionsAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	w := tinyWeights(t, 4)
	rng := rand.New(rand.NewPCG(5, 6))
	w.Padding = &Padding{Token: 1, Position: make([]float32, tiny.Hidden)}
	w.Distances = make([]float32, tiny.Heads*(2*tiny.MaxTokens-1))
	for _, values := range [][]float32{w.Padding.Position, w.Distances} {
		for i := range values {
			values[i] = float32(rng.NormFloat64())
		}
	}
	all := sequences(40)
	for i := range all {
		all[i][rng.IntN(len(all[i]))] = w.Padding.Token
	}
	for _, pooling := range []Pooling{CLS, Mean} {
		info := tiny
		info.Pooling = pooling
		m, err := FromWeights(info, w, fastest(t), 3)
		if err != nil {
			t.Fatal(err)
		}
		for from := 0; from < len(all); from += 5 { // one chunk for three threads
			vectors, err := m.Embed(t.Context(), all[from:from+5])
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range vectors {
				dot := 0.0
				for j, x := range oracle(info, w, all[from+i]) {
					dot += x * float64(v[j])
				}
				if dot < 0.999999 {
					t.Errorf("pooling %q: sequence %d: cosine %v", pooling, from+i, dot)
				}
			}
		}
	}
	for _, broken := range []func(*Weights){
		func(w *Weights) { w.Padding = &Padding{Position: make([]float32, 1)} },
		func(w *Weights) { w.Distances = w.Distances[1:] },
	} {
		changed := *w
		broken(&changed)
		if _, err := FromWeights(tiny, &changed, fastest(t), 1); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("error %v, want %s", err, kb.Invalid)
		}
	}
}

// The vectors of all tokens are those of the last layer, whatever the pooling.
func TestTokensAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	w, all := tinyWeights(t, 6), sequences(40)
	for _, pooling := range []Pooling{CLS, Mean} {
		info := tiny
		info.Pooling = pooling
		float, err := FromWeights(info, w, fastest(t), 3)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			m     *Model
			least float64
		}{"float": {float, 0.999999}, "int8": {packedModel(t, packedAs(t, info, w), fastest(t), 3), 0.98}} {
			vectors, err := c.m.Tokens(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			for i, ids := range all {
				if len(vectors[i]) != len(ids)*info.Hidden {
					t.Fatalf("%s: %d values for %d tokens", name, len(vectors[i]), len(ids))
				}
				for at, row := range lastLayer(info, w, ids, exactGELU) {
					dot := 0.0
					for j, x := range unitOf(row) {
						dot += x * float64(vectors[i][at*info.Hidden+j])
					}
					if dot < c.least {
						t.Errorf("%s, pooling %q: token %d of sequence %d: cosine %v", name, pooling, at, i, dot)
					}
				}
			}
		}
	}
}

// A head computes on the first token, with the type of the second text of a pair.
func TestProjectAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	w, rng, h := tinyWeights(t, 7), rand.New(rand.NewPCG(7, 8)), tiny.Hidden
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * 0.2)
		}
		return v
	}
	plain, err := FromWeights(tiny, w, fastest(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Second = random(h)
	w.Projections = []Projection{
		{Dense: Dense{In: h, Out: h, W: random(h * h), Bias: random(h)}, Tanh: true},
		{Dense: Dense{In: h, Out: 1, W: random(h), Bias: random(1)}},
	}
	m, err := FromWeights(tiny, w, fastest(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	all := sequences(40)
	for i := range all {
		for at := len(all[i]) / 2; at < len(all[i]); at++ {
			all[i][at] += int32(tiny.Vocabulary)
		}
	}
	got, err := m.Project(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, ids := range all {
		pooled := dense(w.Projections[0].Dense, lastLayer(tiny, w, ids, exactGELU)[:1])
		for j, v := range pooled[0] {
			pooled[0][j] = math.Tanh(v)
		}
		want := dense(w.Projections[1].Dense, pooled)[0][0]
		if len(got[i]) != 1 || math.Abs(float64(got[i][0])-want) > 1e-4 {
			t.Errorf("sequence %d: %v, want %v", i, got[i], want)
		}
	}
	if _, err := plain.Project(t.Context(), all); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a model without a second type took tokens of it: %v", err)
	}
	w.Second = w.Second[1:]
	if _, err := FromWeights(tiny, w, fastest(t), 1); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("a type of %d values: %v", len(w.Second), err)
	}
}

// Models that were trained with an approximation of GELU run with the exact
// one: the vectors are the same for all purposes.
func TestApproximateGELU(t *testing.T) {
	t.Parallel()
	w := tinyWeights(t, 1)
	m, err := FromWeights(tiny, w, fastest(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	byTanh := func(v float64) float64 {
		return v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	}
	for _, ids := range sequences(8) {
		vectors, err := m.Embed(t.Context(), [][]int32{ids})
		if err != nil {
			t.Fatal(err)
		}
		dot := 0.0
		for j, x := range oracleWith(tiny, w, ids, byTanh) {
			dot += x * float64(vectors[0][j])
		}
		if dot < 0.99999 {
			t.Errorf("%d tokens: cosine %v", len(ids), dot)
		}
	}
}

// A vector depends on its text alone, and on no kernel set, to the bit.
func TestSameVectorsInAnyCompany(t *testing.T) {
	t.Parallel()
	file := packedTiny(t, tinyWeights(t, 2))
	all := sequences(40)
	want, err := packedModel(t, file, kernel.Portable{}, 1).Embed(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	eachSet(t, func(t *testing.T, k kernel.Set) {
		m := packedModel(t, file, k, 3)
		together, err := m.Embed(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		var few [][]float32
		for i := range all {
			alone, err := m.Embed(t.Context(), all[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			// One chunk for three threads, whose rows begin amid texts.
			const number = 7
			if i%number == 0 {
				if few, err = m.Embed(t.Context(), all[i:min(i+number, len(all))]); err != nil {
					t.Fatal(err)
				}
			}
			for j, v := range want[i] {
				if together[i][j] != v || few[i%number][j] != v || alone[0][j] != v {
					t.Fatalf("sequence %d: %v alone, %v with few, %v together, portable %v", i, alone[0][j], few[i%number][j], together[i][j], v)
				}
			}
		}
	})
}

func TestEmbedRefuses(t *testing.T) {
	t.Parallel()
	m := packedModel(t, packedTiny(t, tinyWeights(t, 3)), fastest(t), 1)
	for name, ids := range map[string][]int32{
		"nothing":       {},
		"too long":      make([]int32, tiny.MaxTokens+1),
		"negative":      {-1},
		"unknown token": {int32(tiny.Vocabulary)},
	} {
		if _, err := m.Embed(t.Context(), [][]int32{{1}, ids}); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v, want %s", name, err, kb.Invalid)
		}
	}
	if v, err := m.Embed(t.Context(), nil); err != nil || len(v) != 0 {
		t.Errorf("no sequences: %v, %v", v, err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	m := packedModel(t, packedTiny(t, tinyWeights(t, 3)), fastest(t), 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 { // workspaces come back after every failure
		if _, err := m.Embed(ctx, sequences(50)); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want %v", err, context.Canceled)
		}
	}
	if _, err := m.Embed(t.Context(), sequences(50)); err != nil {
		t.Fatal(err)
	}
}

// A question is answered while many texts are embedded, also where there is one thread.
func TestOthersHaveTheirTurn(t *testing.T) {
	t.Parallel()
	m := packedModel(t, packedTiny(t, tinyWeights(t, 1)), fastest(t), 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	many := make(chan error, 1)
	go func() {
		_, err := m.Embed(ctx, sequences(50_000))
		many <- err
	}()
	for len(m.free) > 0 { // until they are on their way
		runtime.Gosched()
	}
	if _, err := m.Embed(ctx, sequences(1)); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-many:
		t.Errorf("the question waited for all texts, %v", err)
	default:
	}
	cancel()
	<-many
}
