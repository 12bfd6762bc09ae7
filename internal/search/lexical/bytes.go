package lexical

import (
	"encoding/binary"
	"math"

	"github.com/cairn-kb/cairn/internal/kb"
)

// damaged returns the error for stored bytes that cannot be read.
func damaged(what string) error {
	return kb.Errorf(kb.Damaged, "the full-text index is damaged: %s", what).
		WithHint("rebuild the index; pages are not affected")
}

// maxStream bounds the size of a stream, and thus the memory that damaged sizes can request:
// 32 GiB, or the maximum int.
const maxStream = math.MaxInt & (1<<35 - 1)

// input reads stored bytes from the front. After the first error it returns zeros, and bad
// is true. It counts the bytes read instead of shortening b, since writing a slice costs
// more than reading most of the numbers.
type input struct {
	b   []byte
	at  int // bytes read
	bad bool
}

// left returns the unread bytes.
func (in *input) left() []byte { return in.b[in.at:] }

// uvarint reads a varint. It refuses numbers of more than 63 bits, so that
// results can be converted to int.
func (in *input) uvarint() uint64 {
	if in.at < len(in.b) && in.b[in.at] < 0x80 {
		in.at++
		return uint64(in.b[in.at-1])
	}
	return in.long()
}

// long reads a varint of several bytes.
func (in *input) long() uint64 {
	v, n := binary.Uvarint(in.left())
	if n <= 0 || v > 1<<63-1 {
		in.fail()
		return 0
	}
	in.at += n
	return v
}

// fail marks the input as damaged.
func (in *input) fail() { in.bad, in.at = true, len(in.b) }

// below reads a varint that must be less than limit.
func (in *input) below(limit int) int {
	v := in.uvarint()
	if v >= uint64(limit) {
		in.bad = true
		return 0
	}
	return int(v)
}

// take reads n bytes without copying them.
func (in *input) take(n uint64) []byte {
	if n > uint64(len(in.b)-in.at) {
		in.fail()
		return nil
	}
	from := in.at
	in.at += int(n)
	return in.b[from:in.at:in.at]
}

// skipVarints returns the bytes after the first n varints of b, and whether b
// has as many.
func skipVarints(b []byte, n int) ([]byte, bool) {
	for ; n > 0; n-- {
		i := 0
		for i < len(b) && b[i] >= 0x80 {
			i++
		}
		if i == len(b) {
			return nil, false
		}
		b = b[i+1:]
	}
	return b, true
}

// exactLengths is the limit below which a length is stored exactly. Lengths are stored in
// one byte: above the limit there are 8 steps for each doubling. The mean error is 3 %,
// which hardly changes ranks, and with one byte per field a million documents take a few
// megabytes.
const exactLengths = 64

func lengthCode(n int) byte {
	if n < exactLengths {
		return byte(n)
	}
	octave := 0
	for n>>octave >= 2*exactLengths {
		octave++
	}
	code := exactLengths + 8*octave + (n>>octave-exactLengths)/8
	return byte(min(code, 255))
}

func lengthOf(code byte) int {
	if code < exactLengths {
		return int(code)
	}
	octave, step := int(code-exactLengths)/8, int(code-exactLengths)%8
	return (exactLengths + 8*step) << octave
}
