package lexical

import (
	"container/list"
	"sync"
)

// cache keeps decoded tables and pages, which never change, up to a number of bytes, and
// drops the least recently used ones. It is safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	limit   int
	used    int
	entries map[pageKey]*list.Element
	order   list.List // of *cached, most recently used first
}

type cached struct {
	key   pageKey
	value any
	size  int
}

func newCache(limit int) *cache {
	return &cache{limit: limit, entries: make(map[pageKey]*list.Element)}
}

func (c *cache) get(key pageKey) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).value, true
}

func (c *cache) put(key pageKey, value any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; ok {
		return
	}
	c.entries[key] = c.order.PushFront(&cached{key, value, size})
	c.used += size
	for c.used > c.limit && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.entries, last.key)
		c.used -= last.size
	}
}
