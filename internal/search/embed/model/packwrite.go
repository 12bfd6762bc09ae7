package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// Words holds the data of a packed model's tokenizer.
type Words struct {
	Text []string // in the order of their ids
	// Scores of the words and replacements of characters, for a Unigram model.
	Scores []float32
	Points map[rune]string
}

// WritePack quantises weights and writes them as a packed file with the words of the model.
// The same input always produces the same bytes.
func WritePack(out io.Writer, info Info, w *Weights, use Usage, words Words) error {
	if err := info.Check(); err != nil {
		return err
	}
	if n := len(words.Text); n != info.Vocabulary || info.Unigram != nil && len(words.Scores) != n {
		return kb.Errorf(kb.Invalid, "the vocabulary has %d words and %d scores for a model of %d words", n, len(words.Scores), info.Vocabulary)
	}
	if w.Padding != nil || w.Distances != nil || w.Projections != nil {
		return kb.Errorf(kb.Invalid, "a packed model has no room for what BERT does not have")
	}
	if len(use) != info.Layers {
		return kb.Errorf(kb.Invalid, "calibrated %d layers of %d", len(use), info.Layers)
	}
	var p packWriter
	q, steps := quantiseRows(w.Tokens, info.Hidden)
	p.int8s("tokens.q", q)
	p.floats("tokens.steps", steps)
	p.floats("positions", w.Positions)
	p.norm("norm", w.Norm)
	for n, l := range w.Layers {
		name := layerName(n)
		p.matrix(name+"qkv", quantise(l.QKV, use[n].QKV))
		p.matrix(name+"out", quantise(l.Out, use[n].Out))
		p.matrix(name+"up", quantise(l.Up, use[n].Up))
		p.matrix(name+"down", quantise(l.Down, use[n].Down))
		p.norm(name+"attention_norm", l.AttentionNorm)
		p.norm(name+"norm", l.Norm)
	}
	p.add(vocabularyTensor, []byte(strings.Join(words.Text, "\n")+"\n"))
	if info.Unigram != nil {
		p.floats(scoresTensor, words.Scores)
		p.add(pointsTensor, []byte(tokenizer.PackPoints(words.Points)))
	}
	return p.writeTo(out, info)
}

func layerName(n int) string { return "layer." + strconv.Itoa(n) + "." }

// packWriter collects tensors.
type packWriter struct {
	data    bytes.Buffer
	entries []packedEntry
}

func (p *packWriter) add(name string, b []byte) {
	p.data.Write(make([]byte, alignUp(p.data.Len())-p.data.Len()))
	p.entries = append(p.entries, packedEntry{Name: name, Offset: p.data.Len(), Size: len(b)})
	p.data.Write(b)
}

func (p *packWriter) int8s(name string, v []int8) {
	p.add(name, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)))
}

func (p *packWriter) floats(name string, v []float32) {
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	p.add(name, b)
}

func (p *packWriter) norm(name string, n Norm) {
	p.floats(name+".gamma", n.Gamma)
	p.floats(name+".beta", n.Beta)
}

func (p *packWriter) matrix(name string, q quantised) {
	p.int8s(name+".w", q.m.W)
	p.floats(name+".cols", q.m.Cols)
	p.floats(name+".scale", q.scale)
}

func (p *packWriter) writeTo(out io.Writer, info Info) error {
	head, err := json.MarshalIndent(header{Info: info, DataSHA256: checksum(p.data.Bytes()), Tensors: p.entries}, "", " ")
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot write the model's header: %w", err)
	}
	file := []byte(packMagic)
	file = binary.LittleEndian.AppendUint32(file, packVersion)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(head)))
	file = append(file, head...)
	file = append(file, make([]byte, alignUp(len(file))-len(file))...)
	for _, part := range [][]byte{file, p.data.Bytes()} {
		if _, err := out.Write(part); err != nil {
			return kb.Errorf(kb.Internal, "cannot write the packed model: %w", err)
		}
	}
	return nil
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
