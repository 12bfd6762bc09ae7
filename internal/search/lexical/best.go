package lexical

import (
	"container/heap"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/rank"
)

// maxLookedUp is the maximum number of words joined by OR that are looked up in candidates:
// see docs/benchmarks.md.
const maxLookedUp = 16

// best finds the best documents and counts the matches. It visits all matches
// until it has counted enough. After that it uses bounds (MaxScore of Turtle
// and Flood, "Query Evaluation: Strategies and Optimizations", 1995, with the
// block maxima of Ding and Suel, "Faster Top-k Document Retrieval Using
// Block-Max Indexes", 2011):
//
//   - A window is a range of ordinals in which no word of the query reaches the
//     end of a block. If the greatest weights of the blocks add up to less than
//     the worst kept score, the window is skipped.
//   - Words joined by OR: the words that together cannot reach that score
//     provide no candidates, and are only looked up in candidates of others
//     that may reach it.
//   - Very many words joined by OR: looking up each word in each candidate
//     would cost more than reading all postings, word by word, so it does the
//     latter.
//
// A document with the same score as the worst is kept, so that ties are
// complete.
type best struct {
	*searcher
	node    any
	allowed *IDs
	most    int // number of documents to count, 0 for all
	found   int
	top     ranking
	windows int

	scored []*scored // distinct leaves in the order of the query, in which scores are summed
	typed  []typed   // in the order of the query
}

// typed is a word of the query with the leaf that searches for it.
type typed struct {
	text string
	*scored
	again bool // the same text occurs earlier in the query, and is searched elsewhere there
}

// scored is a leaf with a score, or several leaves with the same matches.
type scored struct {
	*leaf
	idf   float64
	times float64               // number of occurrences in the query
	forms map[*segment][]form   // of a plain leaf
	lists map[*segment]*matches // of other leaves: counting their documents takes reading all matches

	// State in the current segment.
	it    evident
	bound float64 // of its part of a score, in a window
	part  float64 // of the score of a document
	has   bool    // a document has it
}

// score prepares scoring: it counts the documents of each word.
func (b *best) score(leaves []*leaf) {
	byKey := map[string]*scored{}
	type pair struct {
		text string
		of   *scored
	}
	pairs, texts := map[pair]bool{}, map[string]bool{}
	for _, l := range leaves {
		if !l.scored {
			continue
		}
		key := l.key()
		w := byKey[key]
		if w == nil {
			w = &scored{leaf: l}
			found := 0
			for _, s := range b.segments {
				found += w.read(b.searcher, s)
			}
			w.idf = rank.Rarity(b.docs, found)
			byKey[key] = w
			b.scored = append(b.scored, w)
		}
		w.times++
		if p := (pair{l.text, w}); !pairs[p] {
			b.typed = append(b.typed, typed{l.text, w, texts[l.text]})
			pairs[p], texts[l.text] = true, true
		}
	}
}

// read reads the leaf's data of a segment, and returns the number of live documents.
func (w *scored) read(q *searcher, s *segment) int {
	if w.plain() {
		forms := q.forms(s, w.slots[0])
		if w.forms == nil {
			w.forms = map[*segment][]form{}
		}
		w.forms[s] = forms
		return q.having(s, forms)
	}
	if w.lists == nil {
		w.lists = map[*segment]*matches{}
	}
	w.lists[s] = q.matches(s, w.leaf)
	return len(w.lists[s].ords)
}

// open returns an iterator over the matches of the leaf in a segment.
func (w *scored) open(q *searcher, s *segment) evident {
	if w.plain() {
		return q.words(s, w.forms[s], inAny)
	}
	return &listed{matches: w.lists[s]}
}

// counted reports whether more documents were found than are counted.
func (b *best) counted() bool { return b.most > 0 && b.found > b.most }

// worst returns the minimum score for a hit; it is negative while all documents are
// examined.
func (b *best) worst() float64 {
	if b.counted() && len(b.top.docs) == b.top.limit {
		return b.top.docs[0].score
	}
	return -1
}

// search searches a segment.
func (b *best) search(s *segment) {
	if b.top.limit == 0 && b.counted() {
		return
	}
	may := s.members(b.allowed)
	few := &members{set: may}
	for _, w := range b.scored {
		w.it = w.open(b.searcher, s)
	}
	if nodes, ok := b.node.(anyOf); ok && len(b.scored) > 0 && allLeaves(nodes) && few.size() > s.docs/8 {
		if len(b.scored) > maxLookedUp {
			b.accumulate(s, may)
		} else {
			b.any(s, may)
		}
		return
	}
	b.every(s, may, b.matchingOf(s, few))
}

func allLeaves(nodes []any) bool {
	return !slices.ContainsFunc(nodes, func(n any) bool { _, ok := n.(*leaf); return !ok })
}

// matchingOf returns an iterator over the matches in a segment. If few documents are
// allowed, it iterates over these and checks them.
func (b *best) matchingOf(s *segment, few *members) iterator {
	it := b.tree(b.node, s, func(l *leaf) iterator {
		for _, w := range b.scored {
			if w.key() == l.key() && b.atTop(l) {
				return w.it
			}
			if w.key() == l.key() && l.scored {
				return w.open(b.searcher, s)
			}
		}
		return b.matching(s, l)
	})
	if few.size() <= s.docs/8 {
		return newEach([]iterator{few, it})
	}
	return it
}

// atTop reports whether a leaf is the query or a member of its outermost group: then its
// iterator never moves beyond a candidate.
func (b *best) atTop(l *leaf) bool {
	is := func(n any) bool { return n == any(l) }
	switch n := b.node.(type) {
	case *leaf:
		return n == l
	case allOf:
		return slices.ContainsFunc(n, is)
	case anyOf:
		return slices.ContainsFunc(n, is)
	}
	return false
}

// window adds up the bounds from an ordinal on, and returns the last ordinal for which they
// hold.
func (b *best) window(from uint32) (end uint32, total float64) {
	end = noMore
	if b.windows++; b.windows%ctxEvery == 0 && b.ctx.Err() != nil {
		b.fail(b.ctx.Err())
	}
	for _, w := range b.scored {
		e, weight := w.it.bound(from)
		w.bound = w.times * w.idf * saturated(weight) * roomy
		end = min(end, e)
		total += w.bound
	}
	return end, total
}

// every visits all documents of an iterator.
func (b *best) every(s *segment, may bitmap, it iterator) {
	from, until := uint32(0), uint64(0) // end of the window
	for b.err == nil {
		worst := b.worst()
		if worst >= 0 && uint64(from) >= until {
			end, total := b.window(from)
			if until = uint64(end) + 1; total < worst {
				if end == noMore {
					return
				}
				from = end + 1
				continue
			}
		}
		it.seek(from)
		ord := it.at()
		if ord == noMore {
			return
		}
		if worst >= 0 && uint64(ord) >= until {
			from = ord
			continue
		}
		from = ord + 1
		if may.has(ord) {
			b.offer(s, ord)
			if b.top.limit == 0 && b.counted() {
				return
			}
		}
	}
}

// offer counts a document and scores it.
func (b *best) offer(s *segment, ord uint32) {
	b.found++
	if b.top.limit == 0 {
		return
	}
	for _, w := range b.scored {
		w.weigh(ord)
	}
	b.top.offer(ranked{b.sum(), s.ids[ord], s, ord})
}

// weigh computes the leaf's part of a document's score.
func (w *scored) weigh(ord uint32) {
	w.part = 0
	if w.it.seek(ord); w.it.at() == ord {
		_, weight := w.it.evidence()
		w.part = w.partOf(weight)
	}
}

// partOf returns the part of a score for a weight, times the occurrences in the query.
func (w *scored) partOf(weight float32) float64 {
	return float64(float64(w.times*w.idf) * saturated(weight))
}

// sum returns the score of a document, summed in the order of the query.
func (b *best) sum() float64 {
	sum := 0.0
	for _, w := range b.scored {
		sum += w.part
	}
	return sum
}

// accumulate adds up the scores of all documents with any of the words, word by word.
func (b *best) accumulate(s *segment, may bitmap) {
	b.reserve(s.docs)
	if len(b.sums) < s.docs {
		b.sums = make([]float64, s.docs)
	}
	for _, w := range b.scored {
		if b.err == nil && b.ctx.Err() != nil {
			b.fail(b.ctx.Err())
		}
		for w.it.seek(0); w.it.at() != noMore; w.it.seek(w.it.at() + 1) {
			if ord := w.it.at(); may.has(ord) {
				_, weight := w.it.evidence()
				b.sums[ord] += w.partOf(weight)
				b.seen.set(ord)
			}
		}
	}
	seen := b.seen[:(s.docs+63)/64]
	seen.each(func(ord uint32) {
		b.found++
		b.top.offer(ranked{b.sums[ord], s.ids[ord], s, ord})
		b.sums[ord] = 0
	})
	clear(seen)
}

// any searches for documents with any of the words.
func (b *best) any(s *segment, may bitmap) {
	order := slices.Clone(b.scored)
	below := make([]float64, len(order)+1) // sum of the bounds of the first words
	for from := uint32(0); b.err == nil; {
		end, total := b.window(from)
		if total == 0 {
			return // nothing is left
		}
		if total >= b.worst() {
			slices.SortFunc(order, func(v, w *scored) int {
				if v.bound < w.bound {
					return -1
				}
				return 1
			})
			for i, w := range order {
				below[i+1] = below[i] + w.bound
			}
			b.within(s, may, order, below, from, end)
		}
		if end == noMore {
			return
		}
		from = end + 1
	}
}

// within searches a window for documents with any of the words.
func (b *best) within(s *segment, may bitmap, order []*scored, below []float64, from, end uint32) {
	worst := b.worst()
	lesser := 0 // number of words that provide no candidates
	for b.err == nil {
		for lesser < len(order) && below[lesser+1] < worst {
			lesser++
		}
		ord := noMore
		for _, w := range order[lesser:] {
			w.it.seek(from)
			ord = min(ord, w.it.at())
		}
		if ord > end || ord == noMore {
			return
		}
		from = ord + 1
		if !may.has(ord) || worst >= 0 && !b.reaches(ord, worst, order, below, lesser) {
			continue
		}
		if worst < 0 {
			b.offer(s, ord)
			worst = b.worst()
			continue
		}
		if b.top.offer(ranked{b.sum(), s.ids[ord], s, ord}) {
			worst = b.worst()
		}
	}
}

// reaches looks up the words in a document, first those that provide candidates, and reports
// whether it can reach the required score.
func (b *best) reaches(ord uint32, worst float64, order []*scored, below []float64, lesser int) bool {
	sum := 0.0
	for _, w := range order[lesser:] {
		w.part = 0
		if w.it.at() == ord {
			w.weigh(ord)
			sum += w.part
		}
	}
	for i := lesser - 1; i >= 0; i-- {
		if (sum+below[i+1])*roomy < worst {
			return false
		}
		order[i].weigh(ord)
		sum += order[i].part
	}
	return sum*roomy >= worst
}

// ranked is a matching document with its score.
type ranked struct {
	score   float64
	id      int64
	segment *segment
	ord     uint32
}

// before reports whether a comes before b.
func (a ranked) before(b ranked) bool {
	return a.score > b.score || a.score == b.score && a.id < b.id
}

// ranking keeps the best documents in a heap with the worst of them on top, and all
// documents with the same score as the worst.
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

// offer adds a document if it is good enough, and reports whether it was added.
func (r *ranking) offer(d ranked) bool {
	if len(r.docs) < r.limit {
		heap.Push(r, d)
		return true
	}
	worst := r.docs[0]
	switch {
	case d.score < worst.score:
		return false
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
	return true
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

// explain returns the hits for the best documents.
func (b *best) explain() []Hit {
	sorted := b.top.sorted()
	hits := make([]Hit, len(sorted))
	order := make([]int, len(sorted)) // by segment and ordinal, for the iterators
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if a, b := sorted[i], sorted[j]; a.segment != b.segment {
			return int(a.segment.id - b.segment.id)
		}
		return int(sorted[i].ord) - int(sorted[j].ord)
	})
	var s *segment
	for _, i := range order {
		d := sorted[i]
		if d.segment != s {
			s = d.segment
			for _, w := range b.scored {
				w.it = w.open(b.searcher, s)
			}
		}
		hits[i] = b.hit(d)
	}
	if len(hits) == 0 {
		return nil
	}
	return hits
}

// hit describes how a document matches the query.
func (b *best) hit(d ranked) Hit {
	hit := Hit{ID: d.id, Score: d.score}
	covered, markup, all := 0.0, 0.0, 0.0
	for _, w := range b.scored {
		rare := w.times * w.idf
		all += rare
		w.it.seek(d.ord)
		if w.has = w.it.at() == d.ord; !w.has {
			continue
		}
		fields, _ := w.it.evidence()
		if fields == onlyMarkup {
			markup += rare
		} else {
			covered += rare
		}
		hit.Fields |= fields
	}
	for _, t := range b.typed {
		if t.has && !(t.again && slices.Contains(hit.Terms, t.text)) {
			hit.Terms = append(hit.Terms, t.text)
		}
	}
	if all > 0 {
		hit.Coverage, hit.Markup = covered/all, markup/all
		hit.Part = d.score / (all * (saturation + 1))
	}
	return hit
}
