package postgres

import (
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// SetBusyTime has a memory wait so long for locks.
func SetBusyTime(m store.Engine, wait time.Duration) { m.(*DB).busyFor = wait }

// LockKey is the number of a lock of a memory's schema.
func LockKey(schema, name string) int64 {
	return (&DB{where: location{memory: schema[len(schemaPrefix):]}}).key("lock " + name)
}

// CleanedUp reports whether nothing is left of the connections that were closed in the middle of
// a statement, and of how many that was asked.
func CleanedUp(m store.Engine) (all bool, conns int) {
	d := &m.(*DB).dropped
	d.mu.Lock()
	defer d.mu.Unlock()
	return !slices.ContainsFunc(d.all, func(c *conn) bool { return !c.isCleanedUp() }), len(d.all)
}
