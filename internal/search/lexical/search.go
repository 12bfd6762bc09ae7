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
	q, node, err := x.prepare(ctx, r, root, o)
	if err != nil || node == nil {
		return new(Result), err
	}
	defer x.scratch.Put(q.scratch)
	result := new(Result)
	top := ranking{limit: max(o.Limit, 0)}
	for i := range q.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		matching := q.matching(i, node, o.Allowed)
		result.Total += matching.count()
		q.rank(i, matching, &top)
	}
	for _, one := range top.sorted() {
		result.Hits = append(result.Hits, one.explain(q.segments[one.segment].ids[one.ord], q.leaves, q.found[one.segment]))
	}
	return result, nil
}

// Matching returns all documents that match a query, as Search finds them, and
// nil for a query that holds nothing to look for. o.Limit counts nothing.
func (x *Index) Matching(ctx context.Context, r Reader, root query.Node, o Options) (*IDs, error) {
	q, node, err := x.prepare(ctx, r, root, o)
	if err != nil || node == nil {
		return nil, err
	}
	defer x.scratch.Put(q.scratch)
	ids := new(IDs)
	for i, s := range q.segments {
		q.matching(i, node, o.Allowed).each(func(ord uint32) { ids.Add(s.ids[ord]) })
	}
	return ids, nil
}

// prepare compiles a query and reads the postings of its words. The node is
// nil when it holds nothing to look for; else the caller puts the searcher's
// scratch back.
func (x *Index) prepare(ctx context.Context, r Reader, root query.Node, o Options) (*searcher, any, error) {
	c := compiler{filter: func(f query.Filter) (*IDs, error) {
		if o.Filter == nil {
			return new(IDs), nil
		}
		return o.Filter(ctx, f)
	}}
	node, err := c.compile(root, true)
	if err != nil || node == nil {
		return nil, nil, err
	}
	q, docs, err := x.searcher(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	q.leaves, q.found = c.leaves, make([]map[*leaf]*matches, len(q.segments))
	for i, s := range q.segments {
		q.found[i], q.read = make(map[*leaf]*matches, len(c.leaves)), newRead()
		for _, l := range c.leaves {
			m, err := q.match(ctx, s, l)
			if err != nil {
				x.scratch.Put(q.scratch)
				return nil, nil, err
			}
			q.found[i][l] = m
			l.found += len(m.ords)
		}
	}
	q.read = read{}
	for _, l := range c.leaves {
		l.idf = rarity(docs, l.found)
	}
	return q, node, nil
}

// searcher opens the segments, and returns how many live documents they have.
// The caller puts the searcher's scratch back.
func (x *Index) searcher(ctx context.Context, r Reader) (q *searcher, docs int, err error) {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	var sums [fieldCount]int
	for _, s := range segments {
		docs += s.live
		s.addLengths(&sums)
	}
	return &searcher{x: x, r: r, norms: newNorms(docs, &sums), segments: segments, scratch: x.scratch.Get().(*scratch)}, docs, nil
}

// matching returns the allowed documents of the i-th segment that match.
func (q *searcher) matching(i int, node any, allowed *IDs) bitmap {
	s := q.segments[i]
	matching := evaluate(node, s, q.found[i])
	if allowed != nil {
		matching.each(func(ord uint32) {
			if !allowed.Contains(s.ids[ord]) {
				matching[ord>>6] &^= 1 << (ord & 63)
			}
		})
	}
	return matching
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
func (q *searcher) rank(number int, matching bitmap, top *ranking) {
	if top.limit == 0 {
		return
	}
	s, found, leaves := q.segments[number], q.found[number], q.leaves
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

// ranking keeps the best documents, the worst of them on top of a heap, and
// those that are as good as the worst.
type ranking struct {
	limit int
	docs  []ranked
	ties  []ranked
}

func (r *ranking) Len() int           { return len(r.docs) }
func (r *ranking) Less(i, j int) bool { return r.docs[j].before(r.docs[i]) }
func (r *ranking) Swap(i, j int)      { r.docs[i], r.docs[j] = r.docs[j], r.docs[i] }
func (r *ranking) Push(x any)         { r.docs = append(r.docs, x.(ranked)) }
func (r *ranking) Pop() any           { panic("never shrinks") }

func (r *ranking) offer(d ranked) {
	if len(r.docs) < r.limit {
		heap.Push(r, d)
		return
	}
	worst := r.docs[0]
	switch {
	case d.score < worst.score:
	case d.score == worst.score:
		r.ties = append(r.ties, d)
	default:
		r.docs[0] = d
		heap.Fix(r, 0)
		if r.docs[0].score > worst.score {
			r.ties = r.ties[:0]
		} else {
			r.ties = append(r.ties, worst)
		}
	}
}

// sorted returns the documents, best first.
func (r *ranking) sorted() []ranked {
	all := append(r.docs, r.ties...)
	slices.SortFunc(all, func(a, b ranked) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return all
}

// explain returns the hit of a document.
func (d ranked) explain(id int64, leaves []*leaf, found map[*leaf]*matches) Hit {
	hit := Hit{ID: id, Score: d.score}
	covered, markup, all := 0.0, 0.0, 0.0
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
		if m.fields[i] == onlyMarkup {
			markup += l.idf
		} else {
			covered += l.idf
		}
		hit.Fields |= m.fields[i]
		if !slices.Contains(hit.Terms, l.text) {
			hit.Terms = append(hit.Terms, l.text)
		}
	}
	if all > 0 {
		hit.Coverage, hit.Markup = covered/all, markup/all
	}
	return hit
}
