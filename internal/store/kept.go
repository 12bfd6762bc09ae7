package store

import "sync"

// maxKept is how much is kept of what is asked differently again and again.
const maxKept = 256

// Kept holds what was worked out from a memory, until somebody commits to it. It
// is safe for concurrent use; the zero value is ready.
type Kept struct {
	mu   sync.Mutex
	mark int64
	by   map[string]any
}

// Drop forgets all of it.
func (k *Kept) Drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.by = nil
}

// Keep returns what work returned for this key and mark before, or calls it.
// Mark is what Memory.Changed said before the transaction began that work reads
// in, so that what is kept is never older than the mark says. Nothing is kept of
// a failure, nor where k is nil. What is returned is shared: nobody may change it.
func Keep[T any](k *Kept, mark int64, key string, work func() (T, error)) (T, error) {
	if k == nil {
		return work()
	}
	k.mu.Lock()
	if k.by == nil || k.mark != mark || len(k.by) >= maxKept {
		k.mark, k.by = mark, map[string]any{}
	}
	v, known := k.by[key].(T)
	k.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := work()
	if err != nil {
		return v, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by != nil && k.mark == mark {
		k.by[key] = v
	}
	return v, nil
}
