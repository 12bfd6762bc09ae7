package tokenizer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tinyUnigram has one-letter pieces for some letters and a few longer ones.
func tinyUnigram(t testing.TB, byBytes bool) *unigram {
	pieces := []scoredPiece{{"<unk>", 0}, {"▁", -2}, {"a", -3}, {"b", -3.5}, {"ab", -4}, {"▁a", -4}, {"bab", -5}, {"語", -6}, {"語a", -7}}
	if byBytes {
		for b := range 256 {
			pieces = append(pieces, scoredPiece{fmt.Sprintf("<0x%02X>", b), -1})
		}
	}
	u, err := newUnigram(pieces, 0, byBytes)
	if err != nil {
		t.Fatal(err)
	}
	u.spaces = wordStarts{prefix: true, cut: true}
	return u
}

// best is the greatest sum of scores over all ways to split a word.
func best(u *unigram, word string) float64 {
	if word == "" {
		return 0
	}
	top := math.Inf(-1)
	for id := range u.scores {
		if piece := u.words.word(uint32(id)); strings.HasPrefix(word, piece) {
			top = max(top, u.scores[id]+best(u, word[len(piece):]))
		}
	}
	return top
}

func TestUnigramFindsTheBest(t *testing.T) {
	t.Parallel()
	u := tinyUnigram(t, false)
	rng := rand.New(rand.NewPCG(5, 6))
	letters := []string{"a", "b", "語"}
	for range 500 {
		word := wordStart
		for range rng.IntN(9) {
			word += letters[rng.IntN(len(letters))]
		}
		text, sum := "", 0.0
		for _, id := range u.appendBest(nil, word) {
			text += u.words.word(uint32(id))
			sum += u.scores[id]
		}
		if want := best(u, word); text != word || math.Abs(sum-want) > 1e-9 {
			t.Fatalf("%q: %q with %v, want %v", word, text, sum, want)
		}
	}
}

func TestUnigramUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		byBytes bool
		text    string
		want    []int32
	}{
		{false, "", nil},
		{false, "axyz", []int32{5, 0}}, // side by side they are one
		{false, "xbx", []int32{1, 0, 3, 0}},
		{false, "a x", []int32{5, 1, 0}},
		{true, "é", []int32{1, 9 + 0xc3, 9 + 0xa9}},
		{true, "bé", []int32{1, 3, 9 + 0xc3, 9 + 0xa9}},
	} {
		if got := tinyUnigram(t, c.byBytes).appendIDs(nil, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q, bytes %v: %v, want %v", c.text, c.byBytes, got, c.want)
		}
	}
}

// An unknown character is worse than the worst piece, by a measure that good
// pieces beside it do not make up for.
func TestUnigramUnknownIsWorst(t *testing.T) {
	t.Parallel()
	u, err := newUnigram([]scoredPiece{{"<unk>", 0}, {"x", 9}, {"ax", -15}}, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := u.appendBest(nil, "ax"); !slices.Equal(got, []int32{2}) {
		t.Errorf("%v, want the piece with the worst score", got)
	}
}

func TestUnigramSpaces(t *testing.T) {
	t.Parallel()
	const text = " a  b\t a"
	u := tinyUnigram(t, false)
	for _, c := range []struct {
		spaces wordStarts
		want   []int32
	}{
		{wordStarts{prefix: true, cut: true}, []int32{5, 1, 1, 3, 0, 5}},
		{wordStarts{split: true, prefix: true, cut: true}, []int32{5, 1, 3, 5}},
		{wordStarts{split: true, cut: true}, []int32{2, 3, 2}},
		{wordStarts{}, []int32{5, 1, 1, 3, 0, 5}},
	} {
		u.spaces = c.spaces
		if got := u.appendIDs(nil, text); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.spaces, got, c.want)
		}
	}
}
