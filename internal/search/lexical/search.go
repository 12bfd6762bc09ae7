package lexical

import (
	"container/heap"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// Search returns the documents that match a query, in the order of their
// BM25F scores. The texts of the query are words and phrases of Root and its
// nodes; a query without any gives every document, with score 0.
//
// The work is proportional to the postings of the query's words: all of them
// are read, since the total is exact.
func (x *Index) Search(ctx context.Context, r Reader, root query.Node, o Options) (*Result, error) {
	c := compiler{filter: func(f query.Filter) (*IDs, error) {
		if o.Filter == nil {
			return new(IDs), nil
		}
		return o.Filter(ctx, f)
	}}
	node, err := c.compile(root, true)
	if err != nil || node == nil {
		return new(Result), err
	}
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, err
	}
	docs := 0
	var sums [fieldCount]int
	for _, s := range segments {
		docs += s.live
		s.addLengths(&sums)
	}
	mem := x.scratch.Get().(*scratch)
	defer x.scratch.Put(mem)
	q := &searcher{x: x, r: r, norms: newNorms(docs, &sums), scratch: mem}

	found := make([]map[*leaf]*matches, len(segments))
	for i, s := range segments {
		found[i] = make(map[*leaf]*matches, len(c.leaves))
		for _, l := range c.leaves {
			m, err := q.match(ctx, s, l)
			if err != nil {
				return nil, err
			}
			found[i][l] = m
			l.found += len(m.ords)
		}
	}
	for _, l := range c.leaves {
		l.idf = rarity(docs, l.found)
	}

	result := new(Result)
	top := ranking{limit: max(o.Limit, 0) + max(o.Offset, 0)}
	if o.Limit <= 0 {
		top.limit = 0
	}
	for i, s := range segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		matching := evaluate(node, s, found[i])
		if o.Allowed != nil {
			matching.each(func(ord uint32) {
				if !o.Allowed.Contains(s.ids[ord]) {
					matching[ord>>6] &^= 1 << (ord & 63)
				}
			})
		}
		result.Total += matching.count()
		q.rank(i, s, c.leaves, found[i], matching, &top)
	}
	for _, one := range top.sorted(o.Offset) {
		result.Hits = append(result.Hits, one.explain(segments[one.segment].ids[one.ord], c.leaves, found[one.segment]))
	}
	return result, nil
}

// evaluate returns the live documents of a segment that match a node.
func evaluate(node any, s *segment, found map[*leaf]*matches) bitmap {
	switch n := node.(type) {
	case *leaf:
		b := newBitmap(s.docs)
		for _, ord := range found[n].ords {
			b.set(ord)
		}
		return b
	case allOf:
		b := evaluate(n[0], s, found)
		for _, other := range n[1:] {
			for i, w := range evaluate(other, s, found) {
				b[i] &= w
			}
		}
		return b
	case anyOf:
		b := evaluate(n[0], s, found)
		for _, other := range n[1:] {
			for i, w := range evaluate(other, s, found) {
				b[i] |= w
			}
		}
		return b
	case noneOf:
		b := everyLive(s)
		for i, w := range evaluate(n.node, s, found) {
			b[i] &^= w
		}
		return b
	case filtered:
		b := newBitmap(s.docs)
		for ord, id := range s.ids {
			if s.isLive(uint32(ord)) && n.ids.Contains(id) {
				b.set(uint32(ord))
			}
		}
		return b
	}
	return everyLive(s)
}

func everyLive(s *segment) bitmap {
	b := newBitmap(s.docs)
	for i := range b {
		b[i] = ^uint64(0)
		if s.deleted != nil {
			b[i] &^= s.deleted[i]
		}
	}
	if rest := s.docs % 64; rest != 0 {
		b[len(b)-1] &= 1<<rest - 1
	}
	return b
}

// rank offers the matching documents of a segment to the ranking.
func (q *searcher) rank(number int, s *segment, leaves []*leaf, found map[*leaf]*matches, matching bitmap, top *ranking) {
	if top.limit == 0 {
		return
	}
	q.reserve(s.docs)
	scores := q.scores[:s.docs]
	for _, l := range leaves {
		if !l.scored {
			continue
		}
		m := found[l]
		for i, ord := range m.ords {
			scores[ord] += l.idf * saturated(m.weight[i])
		}
	}
	matching.each(func(ord uint32) {
		top.offer(ranked{scores[ord], s.ids[ord], number, ord})
	})
	for _, l := range leaves {
		for _, ord := range found[l].ords {
			scores[ord] = 0
		}
	}
}

// ranked is a matching document with its score.
type ranked struct {
	score   float64
	id      int64
	segment int
	ord     uint32
}

// before says whether a comes before b.
func (a ranked) before(b ranked) bool {
	return a.score > b.score || a.score == b.score && a.id < b.id
}

// ranking keeps the best documents, the worst of them on top of a heap.
type ranking struct {
	limit int
	docs  []ranked
}

func (r *ranking) Len() int           { return len(r.docs) }
func (r *ranking) Less(i, j int) bool { return r.docs[j].before(r.docs[i]) }
func (r *ranking) Swap(i, j int)      { r.docs[i], r.docs[j] = r.docs[j], r.docs[i] }
func (r *ranking) Push(x any)         { r.docs = append(r.docs, x.(ranked)) }
func (r *ranking) Pop() any           { panic("never shrinks") }

func (r *ranking) offer(d ranked) {
	switch {
	case len(r.docs) < r.limit:
		heap.Push(r, d)
	case d.before(r.docs[0]):
		r.docs[0] = d
		heap.Fix(r, 0)
	}
}

// sorted returns the documents from offset on, best first.
func (r *ranking) sorted(offset int) []ranked {
	slices.SortFunc(r.docs, func(a, b ranked) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return r.docs[min(max(offset, 0), len(r.docs)):]
}

// explain returns the hit of a document.
func (d ranked) explain(id int64, leaves []*leaf, found map[*leaf]*matches) Hit {
	hit := Hit{ID: id, Score: d.score}
	covered, all := 0.0, 0.0
	for _, l := range leaves {
		if !l.scored {
			continue
		}
		all += l.idf
		m := found[l]
		i, ok := slices.BinarySearch(m.ords, d.ord)
		if !ok {
			continue
		}
		covered += l.idf
		hit.Fields |= m.fields[i]
		if !slices.Contains(hit.Terms, l.text) {
			hit.Terms = append(hit.Terms, l.text)
		}
	}
	if all > 0 {
		hit.Coverage = covered / all
	}
	return hit
}
