package lexical

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// terms numbers the words of a batch, from 0 on. It is a hash table with open addressing: a slot
// contains a word of eight bytes or fewer, as most are, so that a lookup reads one place of
// memory. A map reads three, and each word of each note is looked up.
type terms struct {
	words []string // by number
	bytes int      // of words
	slots []slot   // a power of two, at most half of them taken
	seed  maphash.Seed
	salt  uint64 // of the hashes of short words; odd
}

// slot is a word of the table.
type slot struct {
	key    uint64 // the word, or its hash if it is long
	number uint32 // 1 more than the number of the word; 0 in an empty slot
	size   uint32 // bytes of the word
}

const (
	shortWord = 8 // bytes
	minSlots  = 1 << 10
)

// number returns the number of a word, which is the next one for a new word.
func (t *terms) number(word []byte) uint32 {
	if 2*len(t.words) >= len(t.slots) {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	s := t.find(word)
	if s.number == 0 {
		t.words = append(t.words, string(word))
		t.bytes += len(word)
		s.number, s.size = uint32(len(t.words)), uint32(len(word))
	}
	return s.number - 1
}

// has reports whether a word has a number.
func (t *terms) has(word string) bool {
	if len(t.slots) == 0 {
		return false
	}
	return t.find([]byte(word)).number > 0
}

// find returns the slot of a word, or the empty slot for it, whose key is set.
func (t *terms) find(word []byte) *slot {
	key, hash := t.key(word)
	for i := hash; ; i++ {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		switch {
		case s.number == 0:
			s.key = key
			return s
		case s.key == key && int(s.size) == len(word) && (len(word) <= shortWord || t.words[s.number-1] == string(word)):
			return s
		}
	}
}

// key returns what a slot has of a word, and the hash that decides on the slot. Both depend on
// chance for words that somebody could choose to collide.
func (t *terms) key(word []byte) (key, hash uint64) {
	if len(word) > shortWord {
		hash = maphash.Bytes(t.seed, word)
		return hash, hash
	}
	key = packed(word)
	high, low := bits.Mul64(key^t.salt, t.salt)
	return key, high ^ low
}

// keep forgets all words but the first n.
func (t *terms) keep(n int) {
	for _, word := range t.words[n:] {
		t.bytes -= len(word)
	}
	clear(t.words[n:])
	t.words = t.words[:n]
	t.resize(len(t.slots))
}

// resize makes a table of n slots.
func (t *terms) resize(n int) {
	if t.salt == 0 {
		t.seed = maphash.MakeSeed()
		t.salt = maphash.String(t.seed, "") | 1
	}
	t.slots = make([]slot, n)
	for i, word := range t.words {
		s := t.find([]byte(word))
		s.number, s.size = uint32(i+1), uint32(len(word))
	}
}

// packed is a word of at most eight bytes as a number. Words with different lengths may have
// the same: a word may end with bytes 0.
func packed(word []byte) uint64 {
	n := len(word)
	switch {
	case n == 8:
		return binary.LittleEndian.Uint64(word)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<(8*(n-4))
	case n >= 2:
		return uint64(binary.LittleEndian.Uint16(word)) | uint64(word[n-1])<<(8*(n-1))
	case n == 1:
		return uint64(word[0])
	}
	return 0
}
