package tokenizer

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	// unknownPenalty is the difference between the scores of the worst piece and an unknown
	// character, as in SentencePiece.
	unknownPenalty = 10
	// wordStart is what SentencePiece writes for a space, and before a word.
	wordStart = "▁"
	// maxPiece bounds the length of pieces, in bytes; SentencePiece's usual bound is 16
	// characters. Without a bound the time could grow with the square of a text's length.
	maxPiece = 512
)

// unigram is SentencePiece's model: of all ways to split a word it chooses the one with the
// greatest sum of scores.
type unigram struct {
	normalizers []normalizer
	spaces      wordStarts
	words       *vocabulary
	scores      []float64
	unknown     int32
	unknownCost float64
	bytes       []int32 // pieces of single bytes; nil if they are not used
}

// scoredPiece is a piece of words with its score.
type scoredPiece struct {
	text  string
	score float64
}

// newUnigram makes the model of pieces in the order of their ids.
func newUnigram(pieces []scoredPiece, unknown int, byBytes bool) (*unigram, error) {
	if unknown < 0 || unknown >= len(pieces) {
		return nil, kb.Errorf(kb.Damaged, "tokenizer.json names piece %d of %d as the unknown one", unknown, len(pieces))
	}
	u := &unigram{unknown: int32(unknown), scores: make([]float64, len(pieces))}
	words, least := make([]string, len(pieces)), math.Inf(1)
	for i, p := range pieces {
		if len(p.text) > maxPiece {
			return nil, kb.Errorf(kb.Damaged, "tokenizer.json has a piece of %d bytes", len(p.text))
		}
		words[i], u.scores[i] = p.text, p.score
		least = min(least, p.score)
	}
	u.words, u.unknownCost = vocabularyOf(words), least-unknownPenalty
	for b := 0; byBytes && b < 256; b++ {
		id, ok := u.words.id(fmt.Sprintf("<0x%02X>", b))
		if !ok {
			id = -1
		}
		u.bytes = append(u.bytes, id)
	}
	return u, nil
}

func (u *unigram) normalize(text string) string { return normalizeAll(u.normalizers, text) }

// wordStarts defines the boundaries that pieces may not cross: how the spaces of a text are
// represented in its pieces.
type wordStarts struct {
	split  bool // white space is dropped
	prefix bool // the start of a text is the start of a word
	cut    bool // each word is split separately
}

func (u *unigram) appendIDs(ids []int32, text string) []int32 {
	if !u.spaces.split {
		return u.appendWords(ids, text)
	}
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		ids = u.appendWords(ids, word)
	}
	return ids
}

// appendWords marks the starts of words and splits the text there.
func (u *unigram) appendWords(ids []int32, text string) []int32 {
	if text == "" {
		return ids
	}
	text = strings.ReplaceAll(text, " ", wordStart)
	if u.spaces.prefix && !strings.HasPrefix(text, wordStart) {
		text = wordStart + text
	}
	for u.spaces.cut {
		next := strings.Index(text[1:], wordStart) // the mark has several bytes
		if next < 0 {
			break
		}
		ids = u.appendBest(ids, text[:next+1])
		text = text[next+1:]
	}
	return u.appendBest(ids, text)
}

// bestSplit is the best way to split a text up to a position.
type bestSplit struct {
	score float64
	id    int32 // of the last piece
	size  int   // in bytes; 0 if no piece ends here
}

// appendBest appends the best pieces of a word, by the Viterbi algorithm.
func (u *unigram) appendBest(ids []int32, word string) []int32 {
	var few [64]bestSplit
	ends := few[:]
	if len(word) >= len(few) {
		ends = make([]bestSplit, len(word)+1)
	}
	offer := func(end int, s bestSplit) {
		if have := &ends[end]; have.size == 0 || s.score > have.score {
			*have = s
		}
	}
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRuneInString(word[at:])
		single := false
		u.words.starts(word[at:], func(id int32, n int) {
			offer(at+n, bestSplit{ends[at].score + u.scores[id], id, n})
			single = single || n == size
		})
		if !single {
			offer(at+size, bestSplit{ends[at].score + u.unknownCost, u.unknown, size})
		}
		at += size
	}
	return u.appendPath(ids, word, ends)
}

// appendPath appends the pieces of the best split of a word. Adjacent unknown
// characters are one token.
func (u *unigram) appendPath(ids []int32, word string, ends []bestSplit) []int32 {
	var back []bestSplit
	for at := len(word); at > 0; at -= ends[at].size {
		if last := len(back) - 1; last >= 0 && ends[at].id == u.unknown && back[last].id == u.unknown {
			back[last].size += ends[at].size
			continue
		}
		back = append(back, ends[at])
	}
	at := 0
	for i := len(back) - 1; i >= 0; i-- {
		s := back[i]
		text := word[at : at+s.size]
		at += s.size
		if s.id == u.unknown {
			ids = u.appendUnknown(ids, text)
		} else {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// appendUnknown appends the tokens for characters without pieces.
func (u *unigram) appendUnknown(ids []int32, text string) []int32 {
	if id, ok := u.words.id(text); ok {
		return append(ids, id) // like the reference: together they may be a piece
	}
	if u.bytes == nil {
		return append(ids, u.unknown)
	}
	start := len(ids)
	for i := range len(text) {
		id := u.bytes[text[i]]
		if id < 0 {
			return append(ids[:start], u.unknown)
		}
		ids = append(ids, id)
	}
	return ids
}
