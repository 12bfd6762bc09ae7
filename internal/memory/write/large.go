package write

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/cairn-kb/cairn/internal/store"
)

// largeDocument is the size from which on a process works on one document at a time: each
// takes several times its size of memory meanwhile.
const largeDocument = 16 << 20

// turns is of the whole process, as its memory is.
var turns = semaphore.NewWeighted(1)

// turnKey is that of a context with the turn, so that work within it waits for nobody.
type turnKey struct{}

// Alone waits until no other large document is worked on, where one of this size is large.
// The caller holds no lock of a space, and calls over once or more. Where many may wait they are
// in no View of m: a server has only so many connections, and the one whose turn it is needs one.
// Work with the context that it returns needs no turn of its own.
func Alone(ctx context.Context, m store.Memory, size int64) (_ context.Context, over func(), err error) {
	if size < largeDocument || ctx.Value(turnKey{}) != nil {
		return ctx, func() {}, nil
	}
	if !turns.TryAcquire(1) {
		store.Part(ctx, m)
		if err := turns.Acquire(ctx, 1); err != nil {
			return ctx, nil, context.Cause(ctx)
		}
	}
	return context.WithValue(ctx, turnKey{}, true), sync.OnceFunc(func() { turns.Release(1) }), nil
}

// readerWaits is how long a reader waits for its turn: the one who has it may run hooks of a
// repository, or cut a document for embedding, for longer than anybody waits for a page.
const readerWaits = 10 * time.Second

// Soon is Alone for a reader, who goes on without the turn after some seconds.
func Soon(ctx context.Context, m store.Memory, size int64) (over func(), err error) {
	soon, cancel := context.WithTimeout(ctx, readerWaits)
	defer cancel()
	if _, over, err = Alone(soon, m, size); err == nil {
		return over, nil
	}
	return func() {}, context.Cause(ctx)
}

// Size is that of the largest document of a request, as far as it is known.
func (r Request) Size() (size int64) {
	for _, c := range r.Changes {
		size = max(size, c.Size)
		if put, ok := c.Action.(Put); ok {
			size = max(size, int64(len(put.Bytes)))
		}
	}
	return size
}
