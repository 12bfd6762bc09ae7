package model

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/tokenizer"
)

// A packed file is, all numbers little-endian:
//
//	"cairnemb"              8 bytes
//	version                 uint32
//	length of the header    uint32
//	header                  JSON, see header
//	data                    from the next multiple of 64, tensors at multiples of 64
//
// A reader refuses any other version, because the layouts of the kernels and
// the bounds on sums of weights are part of the format. Version 2 bounds the
// sums of 24 inputs rather than 12.
const (
	packMagic   = "cairnemb"
	packVersion = 2
	packAlign   = 64
	prefixSize  = len(packMagic) + 8
)

// header is the JSON part of a packed file.
type header struct {
	Info
	DataSHA256 string        `json:"data_sha256"`
	Tensors    []packedEntry `json:"tensors"`
}

// packedEntry is the position of a tensor, relative to the start of the data.
type packedEntry struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"` // in bytes
}

// Pack is an opened packed file. It holds views of the file's bytes.
type Pack struct {
	head header
	data string
	at   map[string]packedEntry
}

// Names of tensors for the tokenizer: words in the order of their ids, each with a line feed
// after it; for a Unigram model also the score of each word as float32, and the replacements
// of characters in the form of tokenizer.PackPoints.
const (
	vocabularyTensor = "vocabulary"
	scoresTensor     = "scores"
	pointsTensor     = "points"
)

// OpenPack reads the header of a packed file. The pack refers to file without copying it. A
// damaged file is kb.Damaged.
func OpenPack(file string) (*Pack, error) {
	if len(file) < prefixSize || !strings.HasPrefix(file, packMagic) {
		return nil, kb.Errorf(kb.Damaged, "this is not a packed embedding model")
	}
	if v := le32(file[len(packMagic):]); v != packVersion {
		return nil, kb.Errorf(kb.Damaged, "the packed model has format %d; this program reads format %d", v, packVersion).
			WithHint("pack the model again with tools/pack-model")
	}
	size := le32(file[len(packMagic)+4:])
	if uint64(size) > uint64(len(file)-prefixSize) {
		return nil, kb.Errorf(kb.Damaged, "the packed model ends within its header")
	}
	p := &Pack{at: make(map[string]packedEntry)}
	end := prefixSize + int(size)
	if err := json.Unmarshal([]byte(file[prefixSize:end]), &p.head); err != nil {
		return nil, kb.Errorf(kb.Damaged, "the packed model's header cannot be read: %w", err)
	}
	if err := p.head.Check(); err != nil {
		return nil, err
	}
	p.data = file[min(alignUp(end), len(file)):]
	for _, e := range p.head.Tensors {
		if e.Offset < 0 || e.Size < 0 || e.Offset > len(p.data) || e.Size > len(p.data)-e.Offset {
			return nil, kb.Errorf(kb.Damaged, "the packed model ends within tensor %s", e.Name)
		}
		p.at[e.Name] = e
	}
	return p, nil
}

// Info returns the description of the packed model.
func (p *Pack) Info() Info { return p.head.Info }

// Vocabulary returns the words of the model's tokenizer, in the order of their ids, each
// with a line feed after it.
func (p *Pack) Vocabulary() (string, error) { return p.bytes(vocabularyTensor, -1) }

// Tokenizer makes the tokenizer of the packed model.
func (p *Pack) Tokenizer() (*tokenizer.Tokenizer, error) {
	words, err := p.Vocabulary()
	if err != nil {
		return nil, err
	}
	u := p.head.Unigram
	if u == nil {
		return tokenizer.New(words)
	}
	r := packReader{pack: p}
	scores, points := r.floats(scoresTensor, p.head.Vocabulary), r.bytes(pointsTensor, -1)
	if r.err != nil {
		return nil, r.err
	}
	return tokenizer.NewUnigram(tokenizer.Pieces{
		Words: words, Scores: scores, Points: points, Unknown: u.Unknown, First: u.First, Last: u.Last,
	})
}

// Verify compares the data with the checksum in the header.
func (p *Pack) Verify() error {
	if got := checksum([]byte(p.data)); got != p.head.DataSHA256 {
		return kb.Errorf(kb.Damaged, "the packed model's data does not match its checksum")
	}
	return nil
}

// Model makes a model that uses the pack's weights in place.
func (p *Pack) Model(k kernel.Set, threads int) (*Model, error) {
	m, err := newModel(p.head.Info, k, threads)
	if err != nil {
		return nil, err
	}
	info := p.head.Info
	r := packReader{pack: p}
	m.tokens = int8Table{
		q:     r.int8s("tokens.q", info.Vocabulary*info.Hidden),
		steps: r.floats("tokens.steps", info.Vocabulary),
	}
	m.positions = r.floats("positions", info.MaxTokens*info.Hidden)
	m.norm = r.norm("norm", info.Hidden)
	for n := range info.Layers {
		name := layerName(n)
		qkv, out := r.matrix(name+"qkv", info.Hidden, 3*info.Hidden), r.matrix(name+"out", info.Hidden, info.Hidden)
		up := r.matrix(name+"up", info.Hidden, info.Intermediate)
		down := r.matrix(name+"down", info.Intermediate, info.Hidden)
		attentionNorm, norm := r.norm(name+"attention_norm", info.Hidden), r.norm(name+"norm", info.Hidden)
		if r.err != nil {
			return nil, r.err
		}
		m.addLayer(qkv, out, up, down, attentionNorm, norm)
	}
	return m, nil
}

// bytes returns a tensor's bytes; size is -1 if any size is valid.
func (p *Pack) bytes(name string, size int) (string, error) {
	e, ok := p.at[name]
	if !ok {
		return "", kb.Errorf(kb.Damaged, "the packed model has no tensor %s", name)
	}
	if size >= 0 && e.Size != size {
		return "", kb.Errorf(kb.Damaged, "tensor %s of the packed model has %d bytes instead of %d", name, e.Size, size)
	}
	return p.data[e.Offset : e.Offset+e.Size], nil
}

// packReader reads tensors until the first error.
type packReader struct {
	pack *Pack
	err  error
}

func (r *packReader) bytes(name string, size int) string {
	if r.err != nil {
		return ""
	}
	b, err := r.pack.bytes(name, size)
	r.err = err
	return b
}

func (r *packReader) int8s(name string, n int) []int8 {
	b := r.bytes(name, n)
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(b))), len(b))
}

// floats returns a view of a tensor, or a copy if the machine or the alignment of an
// embedded file does not allow a view.
func (r *packReader) floats(name string, n int) []float32 {
	b := r.bytes(name, 4*n)
	if len(b) == 0 {
		return nil
	}
	start := unsafe.Pointer(unsafe.StringData(b))
	if !cpu.IsBigEndian && uintptr(start)%unsafe.Alignof(float32(0)) == 0 {
		return unsafe.Slice((*float32)(start), n)
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(le32(b[4*i:]))
	}
	return out
}

func (r *packReader) norm(name string, n int) Norm {
	return Norm{Gamma: r.floats(name+".gamma", n), Beta: r.floats(name+".beta", n)}
}

func (r *packReader) matrix(name string, in, out int) linear {
	q := quantised{
		m: &kernel.Int8Matrix{
			In: in, Out: out,
			W:    r.int8s(name+".w", kernel.PaddedInputs(in)*out),
			Cols: r.floats(name+".cols", 3*out),
		},
		scale: r.floats(name+".scale", in),
	}
	return int8Linear{q}
}

func le32(s string) uint32 { return binary.LittleEndian.Uint32([]byte(s[:4])) }

func alignUp(n int) int { return (n + packAlign - 1) / packAlign * packAlign }
