package lexical

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
)

// Vocabulary calls f for the words of the index that begin with a prefix, until it returns
// false; "" are all. A word comes once for each segment that has it. Documents that have
// been deleted may be the only ones with a word.
func (x *Index) Vocabulary(ctx context.Context, r Reader, prefix string, f func(word []byte) bool) error {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return err
	}
	if prefix == "" {
		err = x.aheadLists(ctx, r, segments)
	} else {
		err = x.aheadPrefix(ctx, r, segments, prefix)
	}
	if err != nil {
		return err
	}
	for _, s := range segments {
		more := true
		if prefix == "" {
			list, err := x.words(ctx, r, s)
			if err != nil {
				return err
			}
			more = list.each(func(word []byte, _ uint32) bool { return f(word) })
		} else if err := x.scan(ctx, r, s.table, []byte(prefix), func(e *entry) bool {
			if !bytes.HasPrefix(e.key, []byte(prefix)) {
				return false
			}
			more = f(e.key)
			return more
		}); err != nil {
			return err
		}
		if !more {
			return nil
		}
	}
	return nil
}

// Similar calls f for the words of the index that may be a number of edits away from a term
// at most: those that differ in few letters. Otherwise it is as Vocabulary.
func (x *Index) Similar(ctx context.Context, r Reader, term string, edits int, f func(word []byte)) error {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return err
	}
	if err := x.aheadLists(ctx, r, segments); err != nil {
		return err
	}
	own := lettersOf([]byte(term))
	for _, s := range segments {
		list, err := x.words(ctx, r, s)
		if err != nil {
			return err
		}
		list.each(func(word []byte, letters uint32) bool {
			// An edit adds a letter, takes one away, or both.
			if bits.OnesCount32(own&^letters) <= edits && bits.OnesCount32(letters&^own) <= edits {
				f(word)
			}
			return true
		})
	}
	return nil
}

// Holding calls f for each of some texts, of three bytes at least, and each word of the index
// that holds it. A word comes once for each place of it, and for each segment that has it.
// Documents that have been deleted may be the only ones with a word.
func (x *Index) Holding(ctx context.Context, r Reader, texts []string, f func(word []byte, text string)) error {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return err
	}
	if err := x.aheadLists(ctx, r, segments); err != nil {
		return err
	}
	// Few places begin a text. Five bits of each of three bytes tell most others from them.
	var begins [1 << 15]bool
	for _, t := range texts {
		begins[int(t[0]&31)<<10|int(t[1]&31)<<5|int(t[2]&31)] = true
	}
	for _, s := range segments {
		list, err := x.words(ctx, r, s)
		if err != nil {
			return err
		}
		three, at := 0, 0 // of the bytes that were read last; the word that they are in
		for i, b := range list.text {
			three = (three<<5 | int(b&31)) & (len(begins) - 1)
			if i < 2 || !begins[three] {
				continue
			}
			from := i - 2
			n, _ := slices.BinarySearch(list.ends[at:], uint32(from+1))
			at += n
			for _, t := range texts {
				if end := int(list.ends[at]); from+len(t) <= end && string(list.text[from:from+len(t)]) == t {
					begin := uint32(0)
					if at > 0 {
						begin = list.ends[at-1]
					}
					f(list.text[begin:end:end], t)
				}
			}
		}
	}
	return nil
}

// wordList are the words of a segment, for questions that look through all of them.
type wordList struct {
	text    []byte
	ends    []uint32 // of the words in text
	letters []uint32 // as lettersOf
}

// each calls f for the words, until it returns false, and reports whether it never did.
func (l *wordList) each(f func(word []byte, letters uint32) bool) bool {
	from := uint32(0)
	for i, end := range l.ends {
		if !f(l.text[from:end:end], l.letters[i]) {
			return false
		}
		from = end
	}
	return true
}

// lettersOf returns which letters a word has: a bit for each, which others may share.
func lettersOf(word []byte) (set uint32) {
	for _, r := range string(word) {
		set |= 1 << (r & 31)
	}
	return set
}

// mostWordList is the largest list that is kept, as a share of the cache: 1 of so many.
const mostWordList = 8

// listKey is that of the list of words in the cache.
func (t *table) listKey() pageKey { return pageKey{t.id, t.fingerprint, cachedWords, 0} }

// aheadLists announces the reads of words.
func (x *Index) aheadLists(ctx context.Context, r Reader, segments []*segment) error {
	var missing []*segment
	for _, s := range segments {
		if _, known := x.cache.get(s.listKey()); !known {
			missing = append(missing, s)
		}
	}
	return x.aheadPrefix(ctx, r, missing, "")
}

func (x *Index) words(ctx context.Context, r Reader, s *segment) (*wordList, error) {
	key := s.listKey()
	if v, ok := x.cache.get(key); ok {
		return v.(*wordList), nil
	}
	var l wordList
	err := x.scan(ctx, r, s.table, []byte{stemMark + 1}, func(e *entry) bool {
		l.text = append(l.text, e.key...)
		l.ends, l.letters = append(l.ends, uint32(len(l.text))), append(l.letters, lettersOf(e.key))
		return true
	})
	if size := len(l.text) + 8*len(l.ends); err == nil && size <= x.cache.limit/mostWordList {
		x.cache.put(key, &l, size)
	}
	return &l, err
}
