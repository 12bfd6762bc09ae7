package write

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/cairn-kb/cairn/internal/kb"
)

// packAt is the size from which on the bytes of an operation, or of all of a record, are
// compressed, and those after a change are kept as their difference from those before.
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

// encoded is a stored record, and the bytes that are stored in parts of it.
type encoded struct {
	record []byte
	large  [][]byte
}

// part is some of the packed bytes of a record, in order. It is read like a record, so that an
// older binary says the same of both.
type part struct {
	Version int      `json:"version"`
	Of      []int    `json:"of"` // numbers of packed bytes, from 1 on
	Packed  [][]byte `json:"packed"`
}

func (r *record) encode() (encoded, error) {
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
	out := encoded{}
	switch {
	case packed != nil && size > partSize:
		small.Version, out.large = recordParts, packed
		for _, p := range packed {
			small.Sizes = append(small.Sizes, len(p))
		}
	case packed != nil:
		small.Version = recordPacked
		for _, p := range packed {
			small.Packed = append(small.Packed, journalEncoder().EncodeAll(p, nil))
		}
	}
	var err error
	if out.record, err = json.Marshal(small); err != nil {
		return encoded{}, kb.Errorf(kb.Internal, "cannot write the journal: %w", err)
	}
	return out, nil
}

// partSize is how much is in one part, before it is compressed.
const partSize = 1 << 20

// parts calls f with each part of the record. None is held longer than that.
func (e encoded) parts(f func(n int, part []byte) error) error {
	n, size := 0, 0
	p := part{Version: recordParts}
	flush := func() error {
		if len(p.Of) == 0 {
			return nil
		}
		b, err := json.Marshal(p)
		if err != nil {
			return kb.Errorf(kb.Internal, "cannot write the journal: %w", err)
		}
		n, size, p.Of, p.Packed = n+1, 0, nil, nil
		return f(n, b)
	}
	for i, b := range e.large {
		for len(b) > 0 {
			some := b[:min(len(b), partSize-size)]
			b, size = b[len(some):], size+len(some)
			p.Of, p.Packed = append(p.Of, i+1), append(p.Packed, journalEncoder().EncodeAll(some, nil))
			if size < partSize {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// eachPart calls f with the parts of a record, in order.
type eachPart func(f func(part []byte) error) error

// unpacked calls f with the packed bytes of a record, piece by piece, and their number. It
// fails as readRecord where they are damaged.
func (r *record) unpacked(parts eachPart, f func(n int, piece []byte) error) error {
	var room []byte
	frame := func(n int, b []byte, many int) error {
		var err error
		if n < 1 || n > many {
			return damagedRecord()
		}
		if room, err = journalDecoder().DecodeAll(b, room[:0]); err != nil {
			return damagedRecord()
		}
		return f(n, room)
	}
	for i, b := range r.Packed {
		if err := frame(i+1, b, len(r.Packed)); err != nil {
			return err
		}
	}
	if len(r.Sizes) == 0 {
		return nil
	}
	return parts(func(b []byte) error {
		var p part
		if err := json.Unmarshal(b, &p); err != nil || len(p.Of) != len(p.Packed) {
			return damagedRecord()
		}
		for i, n := range p.Of {
			if err := frame(n, p.Packed[i], len(r.Sizes)); err != nil {
				return err
			}
		}
		return nil
	})
}

// unpack sets the bytes of operations that are packed. It fails as readRecord where they
// are damaged.
func (r *record) unpack(parts eachPart) error {
	texts := make([][]byte, len(r.Packed)+len(r.Sizes))
	for i := range texts {
		texts[i] = []byte{}
		if i < len(r.Sizes) && r.Sizes[i] >= 0 && r.Sizes[i] <= MaxDocument {
			texts[i] = make([]byte, 0, r.Sizes[i])
		}
	}
	if err := r.unpacked(parts, func(n int, piece []byte) error {
		texts[n-1] = append(texts[n-1], piece...)
		return nil
	}); err != nil {
		return err
	}
	if err := r.checkSizes(func(n int) int { return len(texts[n-1]) }); err != nil {
		return err
	}
	bytesOf := func(n int) []byte {
		if n == 0 {
			return nil
		}
		return texts[n-1]
	}
	for i := range r.Ops {
		o := &r.Ops[i]
		if o.Pack == nil {
			continue
		}
		p := *o.Pack
		o.Old, o.New = bytesOf(p.Old), bytesOf(p.New)
		if o.New != nil {
			whole := make([]byte, 0, p.Prefix+len(o.New)+p.Suffix)
			o.New = append(append(append(whole, o.Old[:p.Prefix]...), o.New...), o.Old[len(o.Old)-p.Suffix:]...)
		}
		o.Pack = nil
	}
	r.Packed, r.Sizes = nil, nil
	return nil
}

// checkPacked fails as unpack, and holds none of the bytes.
func (r *record) checkPacked(parts eachPart) error {
	size := make([]int, len(r.Packed)+len(r.Sizes))
	if err := r.unpacked(parts, func(n int, piece []byte) error {
		size[n-1] += len(piece)
		return nil
	}); err != nil {
		return err
	}
	return r.checkSizes(func(n int) int { return size[n-1] })
}

// checkSizes compares the sizes of packed bytes with those that the record needs.
func (r *record) checkSizes(size func(n int) int) error {
	for i, want := range r.Sizes {
		if size(i+1) != want {
			return damagedRecord()
		}
	}
	for _, o := range r.Ops {
		p := o.Pack
		if p == nil {
			continue
		}
		if min(p.Old, p.New, p.Prefix, p.Suffix) < 0 || max(p.Old, p.New) > len(r.Packed)+len(r.Sizes) {
			return damagedRecord()
		}
		old := 0
		if p.Old > 0 {
			old = size(p.Old)
		}
		if p.Prefix > old || p.Suffix > old-p.Prefix {
			return damagedRecord()
		}
	}
	return nil
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
