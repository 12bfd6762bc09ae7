package embedtest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// tinyPieces are the words of the model of Pack with their scores.
var tinyPieces = []struct {
	text  string
	score float32
}{
	{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}, {"▁", -2}, {"a", -3}, {"b", -3.5}, {"ab", -4}, {"▁a", -4}, {"▁cairn", -3},
	{"c", -5}, {"i", -5}, {"r", -5}, {"n", -5}, {":", -4}, {"▁q", -4}, {"▁p", -4}, {"語", -6},
}

// Pack returns the packed file of a model of a few words, with the kind of tokenizer that
// multilingual models have and random weights.
func Pack(t testing.TB, name string) []byte {
	t.Helper()
	info := model.Info{
		Name: name, Hidden: 32, Intermediate: 64, Layers: 2, Heads: 2, Vocabulary: len(tinyPieces), MaxTokens: 24, NormEpsilon: 1e-12,
		Pooling: model.Mean, QueryPrefix: "q: ", PassagePrefix: "p: ", Unigram: &model.Unigram{Unknown: 3, First: 0, Last: 2},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	w, err := model.WeightsFrom(info, func(_ string, shape ...int) ([]float32, error) {
		n := 1
		for _, size := range shape {
			n *= size
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * 0.3)
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.Select("")
	if err != nil {
		t.Fatal(err)
	}
	use, err := model.Calibrate(context.Background(), info, w, k, [][]int32{{0, 5, 6, 7, 2}, {0, 9, 17, 2}})
	if err != nil {
		t.Fatal(err)
	}
	words := model.Words{Points: map[rune]string{'ａ': "a", '\n': " ", '½': "1⁄2", '\u200b': "", '\\': "/"}}
	for _, p := range tinyPieces {
		words.Text, words.Scores = append(words.Text, p.text), append(words.Scores, p.score)
	}
	var out bytes.Buffer
	if err := model.WritePack(&out, info, w, use, words); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
