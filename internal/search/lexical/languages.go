package lexical

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/cairn-kb/cairn/internal/search/language"
)

// A segment that is not small lists the marks of languages among its words. Without the list a new
// process looks up all marks, which are spread over the whole dictionary:
//
//	marks: CRC-32C of the list of all marks (4 bytes, little endian), which may change;
//	       for each language a byte with the bits of its marks
//
// A segment of an earlier program has no list, and the marks are looked up.

// markOf is a bit of a language.
type markOf struct{ language, bit int }

// allMarks are the marks of all languages.
type allMarks struct {
	sum uint32
	by  map[string][]markOf
}

var languageMarks = sync.OnceValue(func() allMarks {
	all := allMarks{by: map[string][]markOf{}}
	for i, l := range language.All {
		for bit, mark := range l.Marks {
			all.sum = crc32.Update(all.sum, castagnoli, append([]byte(mark), 0))
			all.by[mark] = append(all.by[mark], markOf{i, bit})
		}
	}
	return all
})

// mark records a word of the segment if it is a mark.
func (s *segmentWriter) mark(word []byte) {
	for _, m := range languageMarks().by[string(word)] {
		s.marks[m.language] |= 1 << m.bit
	}
}

// putMarks stores the marks among the words.
func (s *segmentWriter) putMarks(ctx context.Context) error {
	out := append(binary.LittleEndian.AppendUint32(nil, languageMarks().sum), s.marks...)
	return s.w.PutPage(ctx, s.t.id, streamMarks, 0, sealed(out, streamMarks, 0))
}

// decodeMarks decodes the data of putMarks; nil if there is none, or if it is about another
// list.
func decodeMarks(page []byte) ([]uint8, error) {
	if len(page) == 0 {
		return nil, nil
	}
	payload, err := unsealed(page, streamMarks, 0)
	if err != nil {
		return nil, err
	}
	if len(payload) != 4+len(language.All) || binary.LittleEndian.Uint32(payload) != languageMarks().sum {
		return nil, nil
	}
	return payload[4:], nil
}

// Languages returns the languages other than English that pages are in: those with most of
// their marks in the index.
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

// marksIn returns the marks of each language that are words of a segment.
func (x *Index) marksIn(ctx context.Context, r Reader, s *segment) ([]uint8, error) {
	if !s.isSmall() {
		page, err := r.Pages(ctx, s.id, streamMarks, 0, 1)
		if err != nil {
			return nil, err
		}
		if out, err := decodeMarks(page); err != nil || out != nil {
			return out, err
		}
	}
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
