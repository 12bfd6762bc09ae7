package write

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/cairn-kb/cairn/internal/kb"
)

// packAt is the size from which on the bytes of an operation, or of all of a record, are
// compressed in the record, and those after a change are kept as their difference from
// those before: as they are they take four times their size while they are written.
const packAt = 256 << 10

// leastPacked is the size up to which the bytes of an operation are never compressed.
const leastPacked = 512

// packedOp says where the bytes of a large operation are. Those after the change are
// the first bytes of those before, bytes of their own, and the last of those before.
type packedOp struct {
	Old    int `json:"old,omitempty"` // number in record.Packed, from 1 on; 0 where Old has them
	New    int `json:"new,omitempty"`
	Prefix int `json:"prefix,omitempty"`
	Suffix int `json:"suffix,omitempty"`
}

var (
	journalEncoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(fmt.Sprintf("write: zstd options: %v", err)) // constants
		}
		return e
	})
	journalDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*MaxDocument))
		if err != nil {
			panic(fmt.Sprintf("write: zstd options: %v", err))
		}
		return d
	})
)

func (r *record) encode() ([]byte, error) {
	small := *r
	small.Ops = slices.Clone(r.Ops)
	var packed [][]byte
	pack := func(b []byte) int {
		packed = append(packed, b)
		return len(packed)
	}
	size := 0
	for _, o := range r.Ops {
		size += max(len(o.Old), len(o.New))
	}
	for i := range small.Ops {
		o := &small.Ops[i]
		if size < packAt || len(o.Old) <= leastPacked && len(o.New) <= leastPacked {
			continue
		}
		p := &packedOp{}
		if o.New != nil {
			p.Prefix = commonPrefix(o.Old, o.New)
			p.Suffix = commonSuffix(o.Old[p.Prefix:], o.New[p.Prefix:])
			p.New = pack(o.New[p.Prefix : len(o.New)-p.Suffix])
		}
		if o.Old != nil {
			p.Old = pack(o.Old)
		}
		o.Old, o.New, o.Pack = nil, nil, p
	}
	if packed != nil {
		small.Version = recordPacked
	}
	b, err := json.Marshal(small)
	if err != nil {
		return nil, kb.Errorf(kb.Internal, "cannot write the journal: %w", err)
	}
	if packed == nil {
		return b, nil
	}
	// encoding/json would hold these bytes three times.
	size = len(b) + len(`,"packed":[]`) + 3*len(packed)
	for _, p := range packed {
		size += base64.StdEncoding.EncodedLen(packedSize(p))
	}
	b = append(append(make([]byte, 0, size), b[:len(b)-1]...), `,"packed":[`...)
	for i, p := range packed {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendPacked(append(b, '"'), p), '"')
	}
	return append(b, "]}"...), nil
}

// packedFrame is how much is compressed at a time.
const packedFrame = 1 << 20

// appendPacked appends the compressed form of bytes in base64, without holding it: frames of
// zstd may follow each other.
func appendPacked(to, b []byte) []byte {
	var frame []byte
	for len(b) > 0 || len(frame) > 0 {
		n := min(len(b), packedFrame)
		frame = journalEncoder().EncodeAll(b[:n], frame)
		b = b[n:]
		whole := len(frame)
		if len(b) > 0 {
			whole -= whole % 3 // base64 has no padding in between
		}
		to = base64.StdEncoding.AppendEncode(to, frame[:whole])
		frame = append(frame[:0], frame[whole:]...)
	}
	return to
}

// packedSize is how long the compressed form of bytes may become, by a part of them. A buffer
// that grows takes twice that meanwhile.
func packedSize(b []byte) int {
	const part = 256 << 10
	if len(b) < 2*part {
		return len(b)
	}
	at := len(b) / 2
	small := journalEncoder().EncodeAll(b[at:at+part], make([]byte, 0, part))
	return (len(b)/part+1)*len(small)*17/16 + 4<<10
}

// unpack sets the bytes of operations that are packed. It fails as decodeRecord where they
// are damaged.
func (r *record) unpack() error {
	for i := range r.Ops {
		o := &r.Ops[i]
		if o.Pack == nil {
			continue
		}
		p := *o.Pack
		var ok [2]bool
		o.Old, ok[0] = r.packed(p.Old)
		o.New, ok[1] = r.packed(p.New)
		if !ok[0] || !ok[1] || p.Prefix < 0 || p.Suffix < 0 || p.Prefix > len(o.Old) || p.Suffix > len(o.Old)-p.Prefix {
			return damagedRecord()
		}
		if o.New != nil {
			whole := make([]byte, 0, p.Prefix+len(o.New)+p.Suffix)
			o.New = append(append(append(whole, o.Old[:p.Prefix]...), o.New...), o.Old[len(o.Old)-p.Suffix:]...)
		}
		o.Pack = nil
	}
	r.Packed = nil
	return nil
}

// checkPacked fails as unpack, and holds none of the bytes.
func (r *record) checkPacked() error {
	size := make([]int64, len(r.Packed)+1) // 0: no bytes
	for i, p := range r.Packed {
		d, err := zstd.NewReader(bytes.NewReader(p), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*MaxDocument))
		if err != nil {
			return damagedRecord()
		}
		size[i+1], err = io.Copy(io.Discard, d)
		d.Close()
		if err != nil {
			return damagedRecord()
		}
	}
	for _, o := range r.Ops {
		p := o.Pack
		if p == nil {
			continue
		}
		if min(p.Old, p.New, p.Prefix, p.Suffix) < 0 || max(p.Old, p.New) > len(r.Packed) || int64(p.Prefix)+int64(p.Suffix) > size[p.Old] {
			return damagedRecord()
		}
	}
	return nil
}

// packed returns the bytes with a number, nil for 0.
func (r *record) packed(n int) ([]byte, bool) {
	if n < 0 || n > len(r.Packed) {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	b, err := journalDecoder().DecodeAll(r.Packed[n-1], []byte{})
	return b, err == nil
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
