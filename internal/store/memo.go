package store

import "sync"

// Memo caches values by key. It is safe for concurrent use; the zero value is ready.
type Memo[K comparable, V any] struct {
	mu sync.Mutex
	by map[K]V
}

// Get returns the value of a key, if it is cached.
func (m *Memo[K, V]) Get(key K) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, known = m.by[key]
	return value, known
}

// Put caches a value. If there are limit values already, it drops all of them first.
func (m *Memo[K, V]) Put(key K, value V, limit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil || len(m.by) >= limit {
		m.by = map[K]V{}
	}
	m.by[key] = value
}
