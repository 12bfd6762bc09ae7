package tokenizer

import (
	"container/heap"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// bytePairs is GPT-2's model: a word starts as its bytes, and the most frequent pairs of
// neighbours are merged until none is left.
type bytePairs struct {
	normalizers []normalizer
	prefix      bool             // a space is added to the start of a text
	bytes       [256]int32       // the token of each byte
	whole       map[string]int32 // words that are not built by merges; often none
	merges      map[pair]merged
}

// pair is two adjacent tokens.
type pair struct{ left, right int32 }

// merged is the result of merging a pair. Lower ranks are merged first.
type merged struct{ rank, id int32 }

// newBytePairs makes the model from a vocabulary and its merges, highest priority first, in
// the letters that encode bytes. If whole is set, a word that is a token is not built by
// merges.
func newBytePairs(words map[string]int32, merges [][2]string, whole bool) (*bytePairs, error) {
	b := &bytePairs{merges: make(map[pair]merged, len(merges))}
	for c := range b.bytes {
		id, ok := words[string(byteLetters[c])]
		if !ok {
			return nil, kb.Errorf(kb.Invalid, "the tokenizer is a BPE without the byte %d in its vocabulary", c).
				WithHint(worksHint)
		}
		b.bytes[c] = id
	}
	for rank, m := range merges {
		left, ok1 := words[m[0]]
		right, ok2 := words[m[1]]
		id, ok3 := words[m[0]+m[1]]
		if !ok1 || !ok2 || !ok3 {
			return nil, kb.Errorf(kb.Damaged, "tokenizer.json merges %.40q and %.40q, which are not all in its vocabulary", m[0], m[1])
		}
		b.merges[pair{left, right}] = merged{int32(rank), id}
	}
	if whole {
		b.whole = make(map[string]int32, len(words))
		for word, id := range words {
			if raw, ok := fromLetters(word); ok {
				b.whole[raw] = id
			}
		}
	}
	return b, nil
}

func (b *bytePairs) normalize(text string) string { return normalizeAll(b.normalizers, text) }

func (b *bytePairs) appendIDs(ids []int32, text string) []int32 {
	if b.prefix && text != "" && !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	for text != "" {
		size := wordSize(text)
		ids = b.appendWord(ids, text[:size])
		text = text[size:]
	}
	return ids
}

// appendWord merges the bytes of a word.
func (b *bytePairs) appendWord(ids []int32, word string) []int32 {
	if id, ok := b.whole[word]; ok {
		return append(ids, id)
	}
	w := &merging{tokens: make([]linked, len(word)), rules: b.merges}
	for i := range len(word) {
		w.tokens[i] = linked{id: b.bytes[word[i]], left: i - 1, right: i + 1}
	}
	for i := range w.tokens {
		w.offer(i)
	}
	for w.Len() > 0 {
		w.apply(heap.Pop(w).(candidate))
	}
	for at := 0; at < len(w.tokens); at = w.tokens[at].right {
		ids = append(ids, w.tokens[at].id)
	}
	return ids
}

// merging is a word during merging: a heap of candidate merges.
type merging struct {
	tokens []linked
	queue  []candidate
	rules  map[pair]merged
}

// linked is a remaining token. Merging keeps the left one of two.
type linked struct {
	id          int32
	left, right int
	gone        bool
}

// candidate is a token that may be merged with its right neighbour.
type candidate struct {
	merged
	at int
}

// offer queues the merge of a token with the next one, if they can be merged.
func (w *merging) offer(at int) {
	if at < 0 || w.tokens[at].right >= len(w.tokens) {
		return
	}
	if m, ok := w.rules[pair{w.tokens[at].id, w.tokens[w.tokens[at].right].id}]; ok {
		heap.Push(w, candidate{m, at})
	}
}

// apply merges two tokens, unless one of them has been merged since.
func (w *merging) apply(c candidate) {
	t := &w.tokens[c.at]
	if t.gone || t.right >= len(w.tokens) {
		return
	}
	next := &w.tokens[t.right]
	if m, ok := w.rules[pair{t.id, next.id}]; !ok || m.id != c.id {
		return
	}
	next.gone = true
	t.id, t.right = c.id, next.right
	if t.right < len(w.tokens) {
		w.tokens[t.right].left = c.at
	}
	w.offer(t.left)
	w.offer(c.at)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (w *merging) Len() int { return len(w.queue) }

func (w *merging) Less(i, j int) bool {
	a, b := w.queue[i], w.queue[j]
	return a.rank < b.rank || a.rank == b.rank && a.at < b.at
}

func (w *merging) Swap(i, j int) { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }

func (w *merging) Push(x any) { w.queue = append(w.queue, x.(candidate)) }

func (w *merging) Pop() any {
	last := w.queue[len(w.queue)-1]
	w.queue = w.queue[:len(w.queue)-1]
	return last
}
