package lexical

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Index reads and changes the full-text index of one memory, which is stored by the Reader
// and Writer passed to each call. It has caches but no state: any number of processes may
// have an Index over the same memory. It is safe for concurrent use.
type Index struct {
	cache   *cache
	scratch sync.Pool // of *scratch
	norms   atomic.Pointer[averages]
}

// averages are the norms for certain sums of lengths.
type averages struct {
	docs  int
	sums  [fieldCount]int
	norms *norms
}

// normsOf returns the norms for documents with these sums, and caches the last result.
func (x *Index) normsOf(docs int, sums [fieldCount]int) *norms {
	if last := x.norms.Load(); last != nil && last.docs == docs && last.sums == sums {
		return last.norms
	}
	n := newNorms(docs, &sums)
	x.norms.Store(&averages{docs, sums, n})
	return n
}

// New returns an Index with caches of up to cacheBytes bytes.
func New(cacheBytes int) *Index {
	return &Index{cache: newCache(cacheBytes), scratch: sync.Pool{New: func() any { return new(scratch) }}}
}

// Apply makes the changes of a batch in w's transaction. The batch must not be used
// afterwards. Sometimes it merges small segments, which bounds their number; the work of one
// call stays bounded, see merge.go.
func (x *Index) Apply(ctx context.Context, w Writer, b *Batch) error {
	if err := x.Write(ctx, w, b); err != nil {
		return err
	}
	return x.MergeSmall(ctx, w)
}

// Ahead announces the reads of Write.
func (x *Index) Ahead(ctx context.Context, r Reader) error {
	stored, err := r.Segments(ctx)
	if err != nil {
		return err
	}
	tables, err := headers(stored)
	if err != nil {
		return err
	}
	return x.ahead(ctx, r, tables)
}

// Write is Apply without the merge; see MergeSmall.
func (x *Index) Write(ctx context.Context, w Writer, b *Batch) error {
	segments, err := x.openAll(ctx, w)
	if err != nil {
		return err
	}
	ids, former := b.touched(), false
	for _, s := range segments {
		former = former || s.isFormer()
		if err := s.delete(ctx, w, ids); err != nil {
			return err
		}
	}
	if former {
		if err := x.renew(ctx, w); err != nil {
			return err
		}
	}
	return b.write(ctx, w)
}

// delete marks the documents with these ids as deleted, if the segment has them.
func (s *segment) delete(ctx context.Context, w Writer, ids []int64) error {
	var deleted bitmap
	live := s.live
	for _, id := range ids {
		ord, ok := s.ordinal(id)
		if !ok || !s.isLive(ord) {
			continue
		}
		if deleted == nil {
			deleted = newBitmap(s.docs)
			copy(deleted, s.deleted)
		}
		if !deleted.has(ord) {
			deleted.set(ord)
			live--
		}
	}
	switch {
	case deleted == nil:
		return nil
	case live == 0:
		return w.DropSegment(ctx, s.id)
	}
	return w.PutDeletes(ctx, s.id, encodeDeletes(deleted))
}

// Documents returns the ids of all documents in the index, ascending, for
// comparison with the pages in a check of the memory.
func (x *Index) Documents(ctx context.Context, r Reader) ([]int64, error) {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, s := range segments {
		for ord, id := range s.ids {
			if s.isLive(uint32(ord)) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}
