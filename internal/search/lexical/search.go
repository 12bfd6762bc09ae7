package lexical

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// Search returns the documents that match a query, in the order of their BM25F scores. The
// texts of the query are the words and phrases of Root and its nodes; a query without any
// returns every document, with score 0.
//
// Once it has counted enough documents, it skips those that cannot be among the best: see
// best.go. Hits and scores are exactly those of an exhaustive search.
func (x *Index) Search(ctx context.Context, r Reader, root query.Node, o Options) (*Result, error) {
	q, node, leaves, err := x.prepare(ctx, r, root, o)
	if err != nil || node == nil {
		return new(Result), err
	}
	defer x.scratch.Put(q.scratch)
	b := &best{searcher: q, node: node, allowed: o.Allowed, most: o.Count, top: ranking{limit: max(o.Limit, 0)}}
	if o.Limit > 0 {
		b.score(leaves)
	}
	// The largest first, so that its hits let the others skip most documents.
	slices.SortStableFunc(q.segments, func(a, b *segment) int { return cmp.Compare(b.docs, a.docs) })
	for _, s := range q.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b.search(s); q.err != nil {
			return nil, q.err
		}
	}
	result := &Result{Total: b.found}
	if b.counted() {
		result.Total, result.AtLeast = o.Count, true
	}
	result.Hits = b.explain()
	return result, q.err
}

// Matching returns all documents that match a query like in Search, and nil for a query with
// nothing to search for. It ignores o.Limit and o.Count.
func (x *Index) Matching(ctx context.Context, r Reader, root query.Node, o Options) (*IDs, error) {
	q, node, _, err := x.prepare(ctx, r, root, o)
	if err != nil || node == nil {
		return nil, err
	}
	defer x.scratch.Put(q.scratch)
	ids := new(IDs)
	for _, s := range q.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		may, matching := s.members(o.Allowed), q.tree(node, s, func(l *leaf) iterator { return q.matching(s, l) })
		for matching.seek(0); matching.at() != noMore; matching.seek(matching.at() + 1) {
			if may.has(matching.at()) {
				ids.Add(s.ids[matching.at()])
			}
		}
	}
	return ids, q.err
}

// prepare compiles a query and opens the segments. The node is nil if the query has nothing
// to search for; otherwise the caller must return the searcher's scratch.
func (x *Index) prepare(ctx context.Context, r Reader, root query.Node, o Options) (*searcher, any, []*leaf, error) {
	c := compiler{filter: func(f query.Filter) (*IDs, error) {
		if o.Filter == nil {
			return new(IDs), nil
		}
		return o.Filter(ctx, f)
	}}
	node, err := c.compile(root, true)
	if err != nil || node == nil {
		return nil, nil, nil, err
	}
	q, err := x.searcher(ctx, r)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := q.ahead(c.leaves); err != nil {
		x.scratch.Put(q.scratch)
		return nil, nil, nil, err
	}
	return q, node, c.leaves, nil
}

// matching returns an iterator over the matches of a leaf in a segment.
func (q *searcher) matching(s *segment, l *leaf) iterator {
	if len(l.slots) > 1 {
		return q.phrase(s, l)
	}
	forms := q.formsOf(s, l)
	if len(forms) > manyForms {
		return &listed{matches: q.gather(s, forms, l.fields)}
	}
	return q.words(s, forms, l.fields)
}

// matches reads all matches of a leaf in a segment.
func (q *searcher) matches(s *segment, l *leaf) *matches {
	if len(l.slots) == 1 {
		return q.gather(s, q.formsOf(s, l), l.fields)
	}
	m, p := new(matches), q.phrase(s, l)
	for p.seek(0); p.at() != noMore; p.seek(p.at() + 1) {
		m.add(p.ord, p.fields, p.weight)
	}
	return m
}
