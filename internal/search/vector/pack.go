package vector

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/cairn-kb/cairn/internal/kb"
)

// The vectors of a page are stored as two pieces: their values, so that those
// of many pages can be adjacent and searched in place, and everything else,
// numbers in little-endian order:
//
//	magic   4 bytes, "cvp" and the version of the format
//	dims    4 bytes
//	count   4 bytes
//	hashes  16 bytes a vector: the first half of the chunk's hash
//	lines   8 bytes a vector: first and last, 1-based
//	scales  4 bytes a vector: float32
//	crc     4 bytes: CRC-32C of all before and the values
//
// Values are dims bytes a vector: int8, never -128. Both are in the order of
// the page's chunks, and their lengths follow from dims and count.
const (
	magic    = "cvp\x01"
	headSize = 12
	infoSize = HashSize + 8 + 4 // of a vector
	crcSize  = 4
)

// HashSize is the number of stored bytes of a chunk's hash: enough to distinguish the chunks
// of one memory, which is its only use.
const HashSize = 16

// MaxDims is the maximum number of dimensions of a vector.
const MaxDims = 1 << 14

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Vector is the embedding of one chunk.
type Vector struct {
	Hash   [HashSize]byte
	Lines  [2]int // of the chunk in its document, 1-based
	Values []int8 // within [-127, 127]
	Scale  float32
}

// Pack returns the two pieces of a page's vectors, which may be none. It fails with
// kb.Invalid if a vector does not have dims values, contains -128, or has a scale that is
// negative or not finite.
func Pack(dims int, vectors []Vector) (info, values []byte, err error) {
	if dims < 1 || dims > MaxDims {
		return nil, nil, kb.Errorf(kb.Invalid, "vectors have 1 to %d dimensions, not %d", MaxDims, dims)
	}
	info = make([]byte, 0, headSize+len(vectors)*infoSize+crcSize)
	info = append(info, magic...)
	info = binary.LittleEndian.AppendUint32(info, uint32(dims))
	info = binary.LittleEndian.AppendUint32(info, uint32(len(vectors)))
	for _, v := range vectors {
		info = append(info, v.Hash[:]...)
	}
	for _, v := range vectors {
		for _, line := range v.Lines {
			if line < 0 || line > math.MaxUint32 {
				return nil, nil, kb.Errorf(kb.Invalid, "there is no line %d", line)
			}
			info = binary.LittleEndian.AppendUint32(info, uint32(line))
		}
	}
	for _, v := range vectors {
		if !usable(v.Scale) {
			return nil, nil, kb.Errorf(kb.Invalid, "the scale of a vector is at least 0 and finite")
		}
		info = binary.LittleEndian.AppendUint32(info, math.Float32bits(v.Scale))
	}
	values = make([]byte, 0, len(vectors)*dims)
	for _, v := range vectors {
		if len(v.Values) != dims {
			return nil, nil, kb.Errorf(kb.Invalid, "a vector has %d values instead of %d", len(v.Values), dims)
		}
		for _, x := range v.Values {
			if x < -top {
				return nil, nil, kb.Errorf(kb.Invalid, "the values of a vector are at least -%d", top)
			}
			values = append(values, byte(x))
		}
	}
	return binary.LittleEndian.AppendUint32(info, checksum(info, values)), values, nil
}

func checksum(info, values []byte) uint32 {
	return crc32.Update(crc32.Checksum(info, castagnoli), castagnoli, values)
}

// Unpack returns the dimensions and vectors from the result of Pack, kb.Damaged for other
// data. The vectors share no memory with the pieces.
func Unpack(info, values []byte) (dims int, vectors []Vector, err error) {
	p, err := open(info, values)
	if err != nil {
		return 0, nil, err
	}
	all := make([]int8, len(values))
	for i, x := range values {
		if all[i] = int8(x); all[i] < -top {
			return 0, nil, damaged("a value is out of range")
		}
	}
	vectors = make([]Vector, p.count)
	for i := range vectors {
		vectors[i] = Vector{
			Hash:   [HashSize]byte(p.hashes[i*HashSize:]),
			Lines:  linesAt(p.lines, i),
			Values: all[i*p.dims : (i+1)*p.dims : (i+1)*p.dims],
			Scale:  scaleAt(p.scales, i),
		}
	}
	return p.dims, vectors, nil
}

// Hashes returns the hashes from the result of Pack, kb.Damaged for data of an impossible
// length. It does not verify them, unlike Unpack.
func Hashes(info []byte) ([][HashSize]byte, error) {
	if len(info) < headSize+crcSize || (len(info)-headSize-crcSize)%infoSize != 0 {
		return nil, damaged("their number does not fit their size")
	}
	out := make([][HashSize]byte, (len(info)-headSize-crcSize)/infoSize)
	for i := range out {
		out[i] = [HashSize]byte(info[headSize+i*HashSize:])
	}
	return out, nil
}

// parts are the parts of a page's info, sharing its memory.
type parts struct {
	dims, count           int
	hashes, lines, scales []byte
}

// open checks both pieces, but of the values only the checksum: it runs over all pages of a
// memory before a new process can answer.
func open(info, values []byte) (parts, error) {
	if len(info) < headSize+crcSize || string(info[:len(magic)]) != magic {
		return parts{}, damaged("they are not in a format that this version reads")
	}
	dims := uint64(binary.LittleEndian.Uint32(info[4:]))
	count := uint64(binary.LittleEndian.Uint32(info[8:]))
	if dims < 1 || dims > MaxDims || uint64(len(info)) != headSize+count*infoSize+crcSize || uint64(len(values)) != count*dims {
		return parts{}, damaged("their number does not fit their size")
	}
	end := len(info) - crcSize
	if checksum(info[:end], values) != binary.LittleEndian.Uint32(info[end:]) {
		return parts{}, damaged("their checksum is wrong")
	}
	p := parts{dims: int(dims), count: int(count)}
	rest := info[headSize:end]
	take := func(size int) []byte {
		part := rest[:p.count*size]
		rest = rest[len(part):]
		return part
	}
	p.hashes, p.lines, p.scales = take(HashSize), take(8), take(4)
	for i := range p.count {
		if !usable(scaleAt(p.scales, i)) {
			return parts{}, damaged("a scale is not a number")
		}
	}
	return p, nil
}

func linesAt(lines []byte, i int) [2]int {
	return [2]int{int(binary.LittleEndian.Uint32(lines[8*i:])), int(binary.LittleEndian.Uint32(lines[8*i+4:]))}
}

func scaleAt(scales []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(scales[4*i:]))
}

// usable excludes infinities and NaN.
func usable(scale float32) bool { return scale >= 0 && scale <= math.MaxFloat32 }

func damaged(what string) error {
	return kb.Errorf(kb.Damaged, "stored vectors are damaged: %s", what).
		WithHint("embed these pages again; the pages are not affected")
}
