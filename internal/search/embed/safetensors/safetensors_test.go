package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

// file returns a file with a header and data.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func open(b []byte) (*File, error) { return Open(bytes.NewReader(b), int64(len(b))) }

const three = `{"__metadata__":{"format":"pt"},` +
	`"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},` +
	`"b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},` +
	`"c":{"dtype":"BF16","shape":[],"data_offsets":[12,14]},` +
	`"d":{"dtype":"I64","shape":[1],"data_offsets":[14,22]},` +
	`"e":{"dtype":"F32","shape":[0,7],"data_offsets":[14,14]}}`

func threeFile() []byte {
	data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(-2))
	data = binary.LittleEndian.AppendUint16(data, 0x3c00)
	data = binary.LittleEndian.AppendUint16(data, 0xc500)
	data = binary.LittleEndian.AppendUint16(data, 0x4049)
	return file(three, append(data, make([]byte, 8)...)...)
}

func TestFloats(t *testing.T) {
	t.Parallel()
	f, err := open(threeFile())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Names(), ""); got != "abcde" {
		t.Errorf("names %s", got)
	}
	for name, c := range map[string]struct {
		shape []int
		want  []float32
	}{
		"a": {[]int{2, 1}, []float32{1.5, -2}},
		"b": {[]int{2}, []float32{1, -5}},
		"c": {nil, []float32{3.140625}},
		"e": {[]int{0, 7}, nil},
	} {
		got, err := f.Floats(name, c.shape...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	for name, shape := range map[string][]int{"a": {1, 2}, "b": {1}, "d": {1}, "missing": {1}} {
		if _, err := f.Floats(name, shape...); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s %v: %v, want %s", name, shape, err, kb.Invalid)
		}
	}
	if d, ok := f.Tensor("d"); !ok || d.IsFloat() || d.DType != "I64" {
		t.Errorf("d is %+v, %v", d, ok)
	}
}

func TestHalf(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x03ff: 1023 * 0x1p-24,
		0x0400: 0x1p-14, 0x3555: 0.333251953125, 0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)),
	} {
		if got := half(bits); got != want {
			t.Errorf("half(%#04x) = %v, want %v", bits, got, want)
		}
	}
	if v := half(0x8000); v != 0 || !math.Signbit(float64(v)) {
		t.Errorf("half(0x8000) = %v", v)
	}
	if v := half(0x7e00); v == v {
		t.Errorf("half(0x7e00) = %v", v)
	}
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	tensor := func(shape, offsets string) []byte {
		return file(`{"a":{"dtype":"F32","shape":`+shape+`,"data_offsets":`+offsets+`}}`, make([]byte, 8)...)
	}
	whole := threeFile()
	for name, b := range map[string][]byte{
		"empty":           nil,
		"short":           whole[:7],
		"no header":       whole[:8],
		"half a header":   whole[:100],
		"not JSON":        file("{]"),
		"an array":        file("[]"),
		"absurd header":   binary.LittleEndian.AppendUint64(nil, 1<<63),
		"large header":    append(binary.LittleEndian.AppendUint64(nil, maxHeader+1), make([]byte, maxHeader+1)...),
		"truncated":       whole[:len(whole)-1],
		"negative offset": tensor("[2]", "[-8,0]"),
		"backwards":       tensor("[2]", "[8,0]"),
		"outside":         tensor("[2]", "[8,16]"),
		"far outside":     tensor("[2]", "[0,9223372036854775807]"),
		"larger shape":    tensor("[3]", "[0,8]"),
		"smaller shape":   tensor("[1]", "[0,8]"),
		"negative shape":  tensor("[-1,-2]", "[0,8]"),
		"overflow":        tensor("[4294967296,4294967296,2]", "[0,8]"),
		"fractions":       tensor("[0.5]", "[0,8]"),
		"no shape":        tensor(`"x"`, "[0,8]"),
	} {
		if _, err := open(b); kb.CodeOf(err) != kb.Damaged {
			t.Errorf("%s: %v, want %s", name, err, kb.Damaged)
		}
	}
}

// failing is a file whose data cannot be read.
type failing struct {
	*bytes.Reader
	from int64
}

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at >= f.from {
		return 0, io.ErrUnexpectedEOF
	}
	return f.Reader.ReadAt(b, at)
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	b := threeFile()
	for _, from := range []int64{0, 8} {
		if _, err := Open(failing{bytes.NewReader(b), from}, int64(len(b))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	f, err := Open(failing{bytes.NewReader(b), int64(len(b) - 22)}, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Floats("a", 2, 1); !errors.Is(err, io.ErrUnexpectedEOF) || kb.CodeOf(err) != kb.Damaged {
		t.Errorf("error %v", err)
	}
}

// Whatever the bytes, opening fails or every float tensor can be read.
func FuzzOpen(f *testing.F) {
	f.Add(threeFile())
	f.Add(file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`))
	f.Add(file(`{"a":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}}`, 1, 2, 3, 4, 5, 6))
	f.Fuzz(func(t *testing.T, b []byte) {
		opened, err := open(b)
		if err != nil {
			if code := kb.CodeOf(err); code != kb.Damaged {
				t.Fatalf("code %s", code)
			}
			return
		}
		for _, name := range opened.Names() {
			tensor, _ := opened.Tensor(name)
			if !tensor.IsFloat() {
				continue
			}
			values, err := opened.Floats(name, tensor.Shape...)
			if err != nil || 2*len(values) > len(b) {
				t.Fatalf("%q: %d values of %d bytes, %v", name, len(values), len(b), err)
			}
		}
	})
}
