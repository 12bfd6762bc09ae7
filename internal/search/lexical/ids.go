package lexical

import "math/bits"

// chunkBits is the size of a chunk of IDs, as a power of two: 65,536 documents
// in 8 KiB.
const chunkBits = 16

// IDs is a set of document ids, compact when ids are dense. The zero value is
// the empty set. It is safe for concurrent reading.
type IDs struct {
	chunks map[int64]*[1 << chunkBits / 64]uint64
	n      int
}

// NewIDs returns the set of the given ids.
func NewIDs(ids ...int64) *IDs {
	s := new(IDs)
	for _, id := range ids {
		s.Add(id)
	}
	return s
}

// Add adds an id.
func (s *IDs) Add(id int64) {
	if s.chunks == nil {
		s.chunks = make(map[int64]*[1 << chunkBits / 64]uint64)
	}
	chunk := s.chunks[id>>chunkBits]
	if chunk == nil {
		chunk = new([1 << chunkBits / 64]uint64)
		s.chunks[id>>chunkBits] = chunk
	}
	at, bit := uint64(id)&(1<<chunkBits-1)>>6, uint64(1)<<(uint64(id)&63)
	s.n += bits.OnesCount64(bit &^ chunk[at])
	chunk[at] |= bit
}

// Contains reports whether id is in the set.
func (s *IDs) Contains(id int64) bool {
	chunk := s.chunks[id>>chunkBits]
	return chunk != nil && chunk[uint64(id)&(1<<chunkBits-1)>>6]&(1<<(uint64(id)&63)) != 0
}

// Len returns how many ids the set holds.
func (s *IDs) Len() int { return s.n }
