package lexical

import (
	"bytes"
	"context"

	"github.com/cairn-kb/cairn/internal/search/language"
)

// Vocabulary calls f for the words of the index that begin with a prefix, until it returns
// false; "" are all. A word comes once for each segment that has it. Documents that have
// been deleted may be the only ones with a word.
func (x *Index) Vocabulary(ctx context.Context, r Reader, prefix string, f func(word []byte) bool) error {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return err
	}
	from, more := []byte(prefix), true
	if prefix == "" {
		from = []byte{stemMark + 1}
	}
	for _, s := range segments {
		err := x.scan(ctx, r, s.table, from, func(e *entry) bool {
			if more = bytes.HasPrefix(e.key, []byte(prefix)); more {
				more = f(e.key)
				return more
			}
			more = true
			return false
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// Languages returns the languages other than English that pages are in: those of which
// most marks are words of the index.
func (x *Index) Languages(ctx context.Context, r Reader) ([]*language.Language, error) {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, err
	}
	var has [64]uint8 // bits of the marks, by language
	for _, s := range segments {
		key := pageKey{s.id, s.fingerprint, cachedLanguages, 0}
		v, ok := x.cache.get(key)
		if !ok {
			marks, err := x.marksIn(ctx, r, s)
			if err != nil {
				return nil, err
			}
			v = marks
			x.cache.put(key, v, len(marks))
		}
		for i, bits := range v.([]uint8) {
			has[i] |= bits
		}
	}
	var out []*language.Language
	for i, l := range language.All {
		n := 0
		for bits := has[i]; bits != 0; bits &= bits - 1 {
			n++
		}
		if n >= language.HasMarks {
			out = append(out, l)
		}
	}
	return out, nil
}

// marksIn returns which marks of each language are words of a segment.
func (x *Index) marksIn(ctx context.Context, r Reader, s *segment) ([]uint8, error) {
	out := make([]uint8, len(language.All))
	for i, l := range language.All {
		for bit, mark := range l.Marks {
			_, ok, err := x.lookUp(ctx, r, s.table, []byte(mark))
			if err != nil {
				return nil, err
			}
			if ok {
				out[i] |= 1 << bit
			}
		}
	}
	return out, nil
}
