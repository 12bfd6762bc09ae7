package vector

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/cairn-kb/cairn/internal/kb"
)

// A blob holds the vectors of one page in the order of its chunks, numbers in
// little-endian order:
//
//	magic   4 bytes, "cvp" and the version of the format
//	dims    4 bytes
//	count   4 bytes
//	hashes  16 bytes a vector: the first half of the chunk's hash
//	lines   8 bytes a vector: first and last, 1-based
//	scales  4 bytes a vector: float32
//	values  dims bytes a vector: int8, never -128
//	crc     4 bytes: CRC-32C of all before
//
// Its length follows from dims and count. Fields of one kind stand together,
// so that reading copies them in one go.
const (
	magic     = "cvp\x01"
	headSize  = 12
	fixedSize = HashSize + 8 + 4 // of a vector, without values
	crcSize   = 4
)

// HashSize is the number of bytes of a chunk's hash that are kept: enough to
// tell the chunks of one memory apart, which is all that hashes are for here.
const HashSize = 16

// MaxDims is the most dimensions that a vector may have.
const MaxDims = 1 << 14

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Vector is the embedding of one chunk.
type Vector struct {
	Hash   [HashSize]byte
	Lines  [2]int // of the chunk in its document, 1-based
	Values []int8 // within [-127, 127]
	Scale  float32
}

// Pack returns the blob of a page's vectors, which may be none. It fails with
// kb.Invalid when a vector has other than dims values or one of -128, or a
// scale that is negative or not finite.
func Pack(dims int, vectors []Vector) ([]byte, error) {
	if dims < 1 || dims > MaxDims {
		return nil, kb.Errorf(kb.Invalid, "vectors have 1 to %d dimensions, not %d", MaxDims, dims)
	}
	out := make([]byte, 0, headSize+len(vectors)*(fixedSize+dims)+crcSize)
	out = append(out, magic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(dims))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(vectors)))
	for _, v := range vectors {
		out = append(out, v.Hash[:]...)
	}
	for _, v := range vectors {
		for _, line := range v.Lines {
			if line < 0 || line > math.MaxUint32 {
				return nil, kb.Errorf(kb.Invalid, "there is no line %d", line)
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(line))
		}
	}
	for _, v := range vectors {
		if !usable(v.Scale) {
			return nil, kb.Errorf(kb.Invalid, "the scale of a vector is at least 0 and finite")
		}
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v.Scale))
	}
	for _, v := range vectors {
		if len(v.Values) != dims {
			return nil, kb.Errorf(kb.Invalid, "a vector has %d values instead of %d", len(v.Values), dims)
		}
		for _, x := range v.Values {
			if x < -top {
				return nil, kb.Errorf(kb.Invalid, "the values of a vector are at least -%d", top)
			}
			out = append(out, byte(x))
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli)), nil
}

// Unpack returns the dimensions and vectors of a blob, kb.Damaged when it is
// none that Pack makes. The vectors share no memory with the blob.
func Unpack(blob []byte) (dims int, vectors []Vector, err error) {
	b, err := open(blob)
	if err != nil {
		return 0, nil, err
	}
	values := make([]int8, b.count*b.dims)
	if !copyValues(values, b.values) {
		return 0, nil, damaged("a value is out of range")
	}
	vectors = make([]Vector, b.count)
	for i := range vectors {
		vectors[i] = Vector{
			Hash:   b.hash(i),
			Lines:  b.line(i),
			Values: values[i*b.dims : (i+1)*b.dims : (i+1)*b.dims],
			Scale:  b.scale(i),
		}
	}
	return b.dims, vectors, nil
}

// parts are the fields of a blob, sharing its memory.
type parts struct {
	dims, count                   int
	hashes, lines, scales, values []byte
}

// open checks all of a blob but its values.
func open(blob []byte) (parts, error) {
	if len(blob) < headSize+crcSize || string(blob[:len(magic)]) != magic {
		return parts{}, damaged("they are not in a format that this version reads")
	}
	dims := uint64(binary.LittleEndian.Uint32(blob[4:]))
	count := uint64(binary.LittleEndian.Uint32(blob[8:]))
	if dims < 1 || dims > MaxDims || uint64(len(blob)) != headSize+count*(fixedSize+dims)+crcSize {
		return parts{}, damaged("their number does not fit their size")
	}
	end := len(blob) - crcSize
	if crc32.Checksum(blob[:end], castagnoli) != binary.LittleEndian.Uint32(blob[end:]) {
		return parts{}, damaged("their checksum is wrong")
	}
	b := parts{dims: int(dims), count: int(count)}
	rest := blob[headSize:end]
	take := func(size int) []byte {
		part := rest[:b.count*size]
		rest = rest[len(part):]
		return part
	}
	b.hashes, b.lines, b.scales, b.values = take(HashSize), take(8), take(4), take(b.dims)
	for i := range b.count {
		if !usable(b.scale(i)) {
			return parts{}, damaged("a scale is no number")
		}
	}
	return b, nil
}

func (b *parts) hash(i int) [HashSize]byte { return [HashSize]byte(b.hashes[i*HashSize:]) }

func (b *parts) line(i int) [2]int {
	return [2]int{int(binary.LittleEndian.Uint32(b.lines[8*i:])), int(binary.LittleEndian.Uint32(b.lines[8*i+4:]))}
}

func (b *parts) scale(i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b.scales[4*i:]))
}

// usable excludes infinities and numbers that are none.
func usable(scale float32) bool { return scale >= 0 && scale <= math.MaxFloat32 }

// copyValues copies values, and reports false when one is out of range.
func copyValues(dst []int8, src []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	bad := uint64(0)
	for len(src) >= 8 {
		x := binary.LittleEndian.Uint64(src)
		// A byte of 0x80 is a zero after the flip; this finds zero bytes.
		y := x ^ highs
		bad |= (y - ones) &^ y & highs
		d := dst[:8:8]
		d[0], d[1], d[2], d[3] = int8(x), int8(x>>8), int8(x>>16), int8(x>>24)
		d[4], d[5], d[6], d[7] = int8(x>>32), int8(x>>40), int8(x>>48), int8(x>>56)
		src, dst = src[8:], dst[8:]
	}
	for i, x := range src {
		dst[i] = int8(x)
		if x == 0x80 {
			bad = 1
		}
	}
	return bad == 0
}

func damaged(what string) error {
	return kb.Errorf(kb.Damaged, "stored vectors are damaged: %s", what).
		WithHint("embed these pages again; the pages are not affected")
}
