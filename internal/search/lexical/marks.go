package lexical

import (
	"bytes"
	"sort"
)

// markEvery is how many entries of a dictionary's page lie between two marks, and
// thus how many are read at most to find one of the thousand that a page holds.
const markEvery = 32

// mark is where to go on reading a page, after an entry.
type mark struct {
	key                 []byte // of that entry
	at                  int
	postings, positions int
}

// markSize is about how many bytes a mark holds.
const markSize = 64

// marksOf reads a page through.
func (t *table) marksOf(page []byte) ([]mark, error) {
	d := t.readDictionary(page)
	var marks []mark
	var e entry
	for n := 1; ; n++ {
		ok, err := d.next(&e)
		if err != nil || !ok {
			return marks, err
		}
		if n%markEvery == 0 {
			marks = append(marks, mark{bytes.Clone(d.key), d.in.at, d.postings, d.positions})
		}
	}
}

// marks returns the marks of a page, which are made once.
func (x *Index) marks(t *table, page int, payload []byte) ([]mark, error) {
	key := pageKey{t.id, t.fingerprint, cachedMarks, page}
	if v, ok := x.cache.get(key); ok {
		return v.([]mark), nil
	}
	marks, err := t.marksOf(payload)
	if err != nil {
		return nil, err
	}
	x.cache.put(key, marks, markSize*len(marks))
	return marks, nil
}

// seek goes to the last mark before a key.
func (d *dictionaryReader) seek(key []byte, marks []mark) {
	n := sort.Search(len(marks), func(i int) bool { return bytes.Compare(marks[i].key, key) >= 0 })
	if n > 0 {
		m := marks[n-1]
		d.key = append(d.key[:0], m.key...)
		d.in.at, d.postings, d.positions = m.at, m.postings, m.positions
	}
}
