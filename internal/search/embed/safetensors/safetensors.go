package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxHeader bounds the header, in bytes. Those of the largest encoders have
// some hundred kilobytes.
const maxHeader = 8 << 20

// prefixSize is the length of the header's length.
const prefixSize = 8

// Tensor describes a tensor; the zero value means that it does not exist.
type Tensor struct {
	DType    string
	Shape    []int
	from, to int64 // in the file
}

// File is an opened file.
type File struct {
	r       io.ReaderAt
	tensors map[string]Tensor
}

// entry is the header's description of a tensor.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// widths are the sizes of the elements that Floats reads, in bytes.
var widths = map[string]int64{"F32": 4, "F16": 2, "BF16": 2}

// Open reads the header of a file of size bytes. Tensors are read later, on demand.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var prefix [prefixSize]byte
	if size < prefixSize {
		return nil, kb.Errorf(kb.Damaged, "the safetensors file ends within its first bytes")
	}
	if _, err := r.ReadAt(prefix[:], 0); err != nil {
		return nil, unreadable(err)
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > maxHeader {
		return nil, kb.Errorf(kb.Damaged, "the file claims a safetensors header of %d bytes", length).
			WithHint("check that it is a safetensors file")
	}
	data := prefixSize + int64(length)
	if data > size {
		return nil, kb.Errorf(kb.Damaged, "the safetensors file ends within its header")
	}
	head := make([]byte, length)
	if _, err := r.ReadAt(head, prefixSize); err != nil && length > 0 {
		return nil, unreadable(err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(head, &entries); err != nil {
		return nil, kb.Errorf(kb.Damaged, "the safetensors header cannot be read: %w", err)
	}
	f := &File{r: r, tensors: make(map[string]Tensor, len(entries))}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, kb.Errorf(kb.Damaged, "the safetensors header cannot be read at %.60q: %w", name, err)
		}
		from, to := e.Offsets[0], e.Offsets[1]
		if from < 0 || to < from || to > size-data {
			return nil, kb.Errorf(kb.Damaged, "the safetensors file ends before tensor %.60q does", name)
		}
		if width, isFloat := widths[e.DType]; isFloat && !fills(e.Shape, width, to-from) {
			return nil, kb.Errorf(kb.Damaged, "tensor %.60q has a shape that does not go with its size", name)
		}
		f.tensors[name] = Tensor{DType: e.DType, Shape: e.Shape, from: data + from, to: data + to}
	}
	return f, nil
}

// fills reports whether a tensor with a shape and a width of elements takes size bytes.
func fills(shape []int, width, size int64) bool {
	total := width
	for _, n := range shape {
		if n < 0 || n > 0 && total > math.MaxInt64/int64(n) {
			return false
		}
		total *= int64(n)
	}
	return total == size
}

func unreadable(err error) error {
	return kb.Errorf(kb.Damaged, "the safetensors file cannot be read: %w", err)
}

// Names lists the tensors, sorted.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.tensors))
	for name := range f.tensors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Tensor returns the description of a tensor; ok is false if there is none with this name.
func (f *File) Tensor(name string) (t Tensor, ok bool) {
	t, ok = f.tensors[name]
	return t, ok
}

// IsFloat reports whether Floats can read tensors of this type.
func (t Tensor) IsFloat() bool { return widths[t.DType] > 0 }

// Floats returns the values of a tensor in float32, the last dimension varying fastest. A
// tensor that does not exist, has another shape, or is not F32, F16 or BF16, is kb.Invalid.
func (f *File) Floats(name string, shape ...int) ([]float32, error) {
	t, ok := f.tensors[name]
	switch {
	case !ok:
		return nil, kb.Errorf(kb.Invalid, "the weights have no tensor %s", name)
	case !t.IsFloat():
		return nil, kb.Errorf(kb.Invalid, "tensor %s has type %.20q, not F32, F16 or BF16", name, t.DType)
	case !slices.Equal(t.Shape, shape):
		return nil, kb.Errorf(kb.Invalid, "tensor %s has another shape than %v", name, shape).
			WithHint("check that the configuration belongs to these weights")
	}
	width := widths[t.DType]
	values := make([]float32, 0, (t.to-t.from)/width)
	piece := make([]byte, min(t.to-t.from, 1<<16)) // a multiple of the width
	for at := t.from; at < t.to; at += int64(len(piece)) {
		piece = piece[:min(t.to-at, int64(len(piece)))]
		if _, err := f.r.ReadAt(piece, at); err != nil {
			return nil, unreadable(err)
		}
		values = appendFloats(values, piece, t.DType)
	}
	return values, nil
}

func appendFloats(values []float32, b []byte, dtype string) []float32 {
	switch dtype {
	case "F32":
		for ; len(b) > 0; b = b[4:] {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	case "F16":
		for ; len(b) > 0; b = b[2:] {
			values = append(values, half(binary.LittleEndian.Uint16(b)))
		}
	case "BF16": // the upper half of a float32
		for ; len(b) > 0; b = b[2:] {
			values = append(values, math.Float32frombits(uint32(binary.LittleEndian.Uint16(b))<<16))
		}
	}
	return values
}

// half returns the value of an IEEE 754 half-precision float.
func half(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero and subnormal: fraction * 2^-24, exact in float32
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 0x1f: // infinity and NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
