package tokenizer

import "strings"

// vocabulary finds words by their spelling. It is a hash table over the concatenated text of
// the words: building a Go map of thirty thousand words takes as long as embedding a
// question, and many processes embed only one.
type vocabulary struct {
	text    string
	ends    []uint32 // end of each word in text, by id; the next word starts one byte later
	slots   []slot   // at most half of them are used
	longest int      // bytes of the longest word
}

// slot is an entry of the hash table.
type slot struct {
	next uint32 // the word's id plus one, 0 for none
	hash uint32 // half of the word's hash, which distinguishes most words without reading them
}

// piece is the prefix of words that only continue other words.
const piece = "##"

// The hash is FNV-1a: it is computed byte by byte, so that one pass over a word gives the
// hashes of all its prefixes.
const (
	fnvStart = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

func hash(state uint64, s string) uint64 {
	for i := range len(s) {
		state = (state ^ uint64(s[i])) * fnvPrime
	}
	return state
}

// pieceStart is the hash state after the prefix of a piece.
var pieceStart = hash(fnvStart, piece)

// newVocabulary takes words in the order of their ids, each with a line feed after it. Of
// words with the same spelling the last one counts.
func newVocabulary(text string) *vocabulary {
	words := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		words++
	}
	v := emptyVocabulary(text, words)
	start, state := 0, uint64(fnvStart)
	for i := range len(text) {
		if c := text[i]; c != '\n' {
			state = (state ^ uint64(c)) * fnvPrime
			continue
		}
		v.add(state, start, i)
		start, state = i+1, fnvStart
	}
	if start < len(text) {
		v.add(state, start, len(text))
	}
	return v
}

// vocabularyOf takes any words, in the order of their ids.
func vocabularyOf(words []string) *vocabulary {
	v := emptyVocabulary(strings.Join(words, "\n")+"\n", len(words))
	start := 0
	for _, w := range words {
		v.add(hash(fnvStart, w), start, start+len(w))
		start += len(w) + 1
	}
	return v
}

func emptyVocabulary(text string, words int) *vocabulary {
	size := 1
	for size < 2*words {
		size *= 2
	}
	return &vocabulary{text: text, ends: make([]uint32, 0, words), slots: make([]slot, size)}
}

func (v *vocabulary) add(state uint64, start, end int) {
	s := v.slot(state, "", v.text[start:end])
	v.ends = append(v.ends, uint32(end))
	*s = slot{uint32(len(v.ends)), uint32(state)}
	v.longest = max(v.longest, end-start)
}

func (v *vocabulary) word(id uint32) string {
	start := uint32(0)
	if id > 0 {
		start = v.ends[id-1] + 1
	}
	return v.text[start:v.ends[id]]
}

// slot returns the slot of mark+word with the given hash state, or the free
// slot for it.
func (v *vocabulary) slot(state uint64, mark, word string) *slot {
	mask := len(v.slots) - 1
	for at := int(state>>32) & mask; ; at = (at + 1) & mask {
		s := &v.slots[at]
		if s.next == 0 {
			return s
		}
		if s.hash != uint32(state) {
			continue
		}
		if have := v.word(s.next - 1); len(have) == len(mark)+len(word) && have[len(mark):] == word && have[:len(mark)] == mark {
			return s
		}
	}
}

// id returns the id of a word.
func (v *vocabulary) id(word string) (int32, bool) {
	s := v.slot(hash(fnvStart, word), "", word)
	return int32(s.next) - 1, s.next != 0
}

// longestStart returns the longest word that is a prefix of text, and its
// length in bytes, 0 for none. Within a word only pieces count.
func (v *vocabulary) longestStart(text string, within bool) (id int32, size int) {
	mark, state := "", uint64(fnvStart)
	if within {
		mark, state = piece, pieceStart
	}
	var few [32]uint64
	states := few[:0]
	for i := range min(len(text), v.longest-len(mark)) {
		state = (state ^ uint64(text[i])) * fnvPrime
		states = append(states, state)
	}
	for size = len(states); size > 0; size-- {
		if s := v.slot(states[size-1], mark, text[:size]); s.next != 0 {
			return int32(s.next) - 1, size
		}
	}
	return 0, 0
}

// starts calls found with every word that text starts with, the shortest
// first.
func (v *vocabulary) starts(text string, found func(id int32, size int)) {
	state := uint64(fnvStart)
	for i := range min(len(text), v.longest) {
		state = (state ^ uint64(text[i])) * fnvPrime
		if s := v.slot(state, "", text[:i+1]); s.next != 0 {
			found(int32(s.next)-1, i+1)
		}
	}
}
