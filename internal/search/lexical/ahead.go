package lexical

import (
	"bytes"
	"cmp"
	"context"
	"sort"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// A search announces its reads to a remote store: first the pages of the dictionary with its
// words, then those with other words of the same stems, and last the postings. Otherwise
// each page of each segment would be a round trip.

// longPostings is the number of pages from which a word's postings are not announced, since
// a search skips parts of them.
const longPostings = 8

// ahead announces the reads of a search for leaves.
func (q *searcher) ahead(leaves []*leaf) error {
	if !q.r.IsFar() {
		return nil
	}
	var words, stems [][]byte
	var err error
	for _, l := range leaves {
		for _, slot := range l.slots {
			if slot.How == analysis.Inflected {
				stem := analysis.Stem(nil, []byte(slot.Term))
				words, stems = append(words, stem), append(stems, append([]byte{stemMark}, stem...))
			}
			switch slot.How {
			case analysis.Beginning:
				err = q.x.aheadPrefix(q.ctx, q.r, q.segments, slot.Term)
			case analysis.Containing:
				err = q.x.aheadPrefix(q.ctx, q.r, q.segments, "")
			default:
				words = append(words, []byte(slot.Term))
			}
			if err != nil {
				return err
			}
		}
		for _, v := range l.also {
			words = append(words, []byte(v.Term))
		}
	}
	if err := q.aheadWords(append(words, stems...)); err != nil {
		return err
	}
	var others [][]byte
	for _, s := range q.segments {
		for _, stem := range stems {
			e, ok, err := q.x.lookUp(q.ctx, q.r, s.table, stem)
			if err == nil && ok {
				err = e.eachWord(func(w []byte) { others = append(others, bytes.Clone(w)) })
			}
			if err != nil {
				return err
			}
		}
	}
	if err := q.aheadWords(others); err != nil {
		return err
	}
	forms := make([][]form, len(q.segments))
	for i, s := range q.segments {
		for _, w := range append(words, others...) {
			e, ok, err := q.x.lookUp(q.ctx, q.r, s.table, w)
			if err != nil {
				return err
			}
			if ok {
				forms[i] = append(forms[i], form{entry: e})
			}
		}
	}
	return q.aheadPostings(forms)
}

// aheadWords announces the pages of the dictionaries with these keys.
func (q *searcher) aheadWords(keys [][]byte) error {
	if !q.r.IsFar() {
		return nil
	}
	var pages []PageAt
	for _, s := range q.segments {
		for _, key := range keys {
			if page := s.pageOf(key); page < len(s.firsts) {
				pages = q.x.announce(pages, s.table, streamTerms, page)
			}
		}
	}
	return q.r.Ahead(q.ctx, pages)
}

// aheadPostings announces the postings of words in each segment.
func (q *searcher) aheadPostings(forms [][]form) error {
	if !q.r.IsFar() {
		return nil
	}
	var pages []PageAt
	for i, s := range q.segments {
		for _, f := range forms[i] {
			first, last := f.postings/pagePayload, (f.postings+f.postSize-1)/pagePayload
			for page := first; page <= last && last-first < longPostings; page++ {
				pages = q.x.announce(pages, s.table, streamPostings, page)
			}
		}
	}
	return q.r.Ahead(q.ctx, pages)
}

// aheadPrefix announces the pages of dictionaries with the words that begin with a prefix.
func (x *Index) aheadPrefix(ctx context.Context, r Reader, segments []*segment, prefix string) error {
	if !r.IsFar() {
		return nil
	}
	from := cmp.Or(prefix, string([]byte{stemMark + 1}))
	var pages []PageAt
	for _, s := range segments {
		for page := s.pageOf([]byte(from)); page < len(s.firsts); page++ {
			if first := string(s.firsts[page]); prefix != "" && first > prefix && !strings.HasPrefix(first, prefix) {
				break
			}
			pages = x.announce(pages, s.table, streamTerms, page)
		}
	}
	return r.Ahead(ctx, pages)
}

// announce adds a page that is not in the cache.
func (x *Index) announce(pages []PageAt, t *table, stream Stream, page int) []PageAt {
	if _, known := x.cache.get(pageKey{t.id, t.fingerprint, stream, page}); known {
		return pages
	}
	return append(pages, PageAt{t.id, stream, page})
}

// pageOf returns the page of the dictionary that would contain a key.
func (t *table) pageOf(key []byte) int {
	page := sort.Search(len(t.firsts), func(i int) bool { return bytes.Compare(t.firsts[i], key) > 0 })
	return max(page-1, 0)
}
