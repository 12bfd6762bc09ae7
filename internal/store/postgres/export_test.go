package postgres

import (
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// SetBusyTime has a memory wait so long for locks.
func SetBusyTime(m store.Engine, wait time.Duration) { m.(*DB).busyFor = wait }

// LockKey is the number of a lock of a memory's schema.
func LockKey(schema, name string) int64 {
	return (&DB{where: location{memory: schema[len(schemaPrefix):]}}).key("lock " + name)
}
