package lexical

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
)

// Vocabulary calls f for the words of the index with a prefix, "" for all, until f returns
// false. A word is passed once for each segment that has it, and may occur only in deleted
// documents.
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

// Similar calls f for the words of the index that may be at most a number of edits away from
// a term: those that differ in few letters. Otherwise it is like Vocabulary.
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
			// An edit adds a letter, removes one, or both.
			if bits.OnesCount32(own&^letters) <= edits && bits.OnesCount32(letters&^own) <= edits {
				f(word)
			}
			return true
		})
	}
	return nil
}

// Holding calls f for each of some texts, of at least three bytes, and each word of the
// index that contains it. A word is passed once for each occurrence of the text in it, and
// for each segment that has it. It may occur only in deleted documents.
func (x *Index) Holding(ctx context.Context, r Reader, texts []string, f func(word []byte, text string)) error {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return err
	}
	if err := x.aheadLists(ctx, r, segments); err != nil {
		return err
	}
	// A bitmap of the starts of texts, with five bits of each of three bytes, excludes most
	// positions.
	var begins [1 << 15]bool
	for _, t := range texts {
		begins[int(t[0]&31)<<10|int(t[1]&31)<<5|int(t[2]&31)] = true
	}
	for _, s := range segments {
		list, err := x.words(ctx, r, s)
		if err != nil {
			return err
		}
		three, at := 0, 0 // the last three bytes; the index of the word
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

// wordList holds the words of a segment, for scans of all of them.
type wordList struct {
	text    []byte
	ends    []uint32 // of the words in text
	letters []uint32 // see lettersOf
}

// each calls f for the words until it returns false, and reports whether it reached the end.
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

// lettersOf returns the set of a word's letters, as bits, which several letters may share.
func lettersOf(word []byte) (set uint32) {
	for _, r := range string(word) {
		set |= 1 << (r & 31)
	}
	return set
}

// maxWordList limits the size of a cached list to this fraction of the cache: 1 in
// maxWordList.
const maxWordList = 8

// listKey returns the key of the list of words in the cache.
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
	if size := len(l.text) + 8*len(l.ends); err == nil && size <= x.cache.limit/maxWordList {
		x.cache.put(key, &l, size)
	}
	return &l, err
}
