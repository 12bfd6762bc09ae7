package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxKept bounds the number of cached results.
const maxKept = 256

// Kept caches results computed from a memory until the next commit. It is safe
// for concurrent use; the zero value is ready.
type Kept struct {
	mu   sync.Mutex
	mark int64
	by   map[string]*kept
	asks int64 // number of calls of find
}

// kept is a result, and the time of its last use, as a number of calls.
type kept struct {
	value any
	asked int64
}

// Drop removes all results.
func (k *Kept) Drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.by = nil
}

// Keep returns the cached result for this key and mark, or calls work. mark is the result of
// Memory.Changed before the transaction of work, so that a cached result is never older than
// its mark. Errors are not cached, and nothing is cached if k is nil. Results are shared and
// must not be changed.
func Keep[T any](k *Kept, mark int64, key string, work func() (T, error)) (T, error) {
	if k == nil {
		return work()
	}
	if v, known := k.find(mark, key).(T); known {
		return v, nil
	}
	v, err := work()
	if err == nil {
		k.put(mark, key, v)
	}
	return v, err
}

// find returns the result of a key at a mark, nil for none.
func (k *Kept) find(mark int64, key string) any {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil || k.mark != mark {
		k.mark, k.by = mark, map[string]*kept{}
	}
	k.asks++
	e := k.by[key]
	if e == nil {
		return nil
	}
	e.asked = k.asks
	return e.value
}

// put adds a result, unless the cache has moved on to another mark.
func (k *Kept) put(mark int64, key string, value any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil || k.mark != mark {
		return
	}
	if len(k.by) >= maxKept {
		k.dropOldest()
	}
	k.by[key] = &kept{value, k.asks}
}

// dropOldest removes the half of the results that was not used for longest: results that
// many queries share, such as the pages of a space, are more expensive than those of a
// single page.
func (k *Kept) dropOldest() {
	asked := make([]int64, 0, len(k.by))
	for _, e := range k.by {
		asked = append(asked, e.asked)
	}
	slices.Sort(asked)
	middle := asked[len(asked)/2]
	maps.DeleteFunc(k.by, func(_ string, e *kept) bool { return e.asked <= middle })
}

// PagesBySlug lists all pages of spaces; no spaces means all. See Keep for k and mark.
func PagesBySlug(ctx context.Context, tx Tx, k *Kept, mark int64, spaces []int64) ([]kb.Page, error) {
	return Keep(k, mark, fmt.Sprint("pages ", spaces), func() ([]kb.Page, error) {
		pages, _, err := tx.Pages().List(ctx, Filter{Spaces: spaces}, BySlug, 0, 0)
		return pages, err
	})
}
