package lexical

import (
	"bytes"
	"context"
	"sort"
)

// markEvery is the number of entries of a dictionary's page between two marks, and thus the
// maximum number of entries read to find one of the thousand in a page.
const markEvery = 16

// mark is a position in a page at which reading can start, after an entry.
type mark struct {
	key                 []byte // of that entry
	at                  int
	postings, positions int
}

// markSize is the approximate size of a mark in memory, in bytes.
const markSize = 64

// marksOf reads the marks of a page.
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

// termPage is a page of a dictionary with its marks, as cached.
type termPage struct {
	payload []byte
	marks   []mark
}

// termPage returns a page of a dictionary.
func (x *Index) termPage(ctx context.Context, r Reader, t *table, page int) (*termPage, error) {
	key := pageKey{t.id, t.fingerprint, streamTerms, page}
	if v, ok := x.cache.get(key); ok {
		return v.(*termPage), nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := r.Pages(ctx, t.id, streamTerms, page, page+1)
	if err != nil {
		return nil, err
	}
	p := new(termPage)
	if p.payload, err = unsealed(raw, streamTerms, page); err != nil {
		return nil, err
	}
	if p.marks, err = t.marksOf(p.payload); err != nil {
		return nil, err
	}
	x.cache.put(key, p, len(raw)+markSize*len(p.marks))
	return p, nil
}

// seek moves to the last mark before a key.
func (d *dictionaryReader) seek(key []byte, marks []mark) {
	n := sort.Search(len(marks), func(i int) bool { return bytes.Compare(marks[i].key, key) >= 0 })
	if n > 0 {
		m := marks[n-1]
		d.key = append(d.key[:0], m.key...)
		d.in.at, d.postings, d.positions = m.at, m.postings, m.positions
	}
}
