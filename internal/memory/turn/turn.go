package write

import (
	"context"
	"errors"
	"runtime/debug"
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
	if Check(ctx, size) == nil {
		return ctx, func() {}, nil
	}
	if !turns.TryAcquire(1) {
		store.Part(ctx, m)
		if err := turns.Acquire(ctx, 1); err != nil {
			return ctx, nil, context.Cause(ctx)
		}
	}
	// The answer of the one before is sent by now, but not collected.
	debug.FreeOSMemory()
	return context.WithValue(ctx, turnKey{}, true), sync.OnceFunc(release), nil
}

// release ends a turn. The process takes as little memory afterwards as before.
func release() {
	debug.FreeOSMemory()
	turns.Release(1)
}

// NeedsTurn is the error of a plan that would read a large document without the turn.
type NeedsTurn struct{ Size int64 }

func (e NeedsTurn) Error() string { return "a large document is read without the turn" }

// Check fails with NeedsTurn where a document of this size is large and ctx has no turn.
func Check(ctx context.Context, size int64) error {
	if size < largeDocument || ctx.Value(turnKey{}) != nil {
		return nil
	}
	return NeedsTurn{size}
}

// InTurn calls do, and again with the turn where do fails with NeedsTurn: it found out which
// documents it reads.
func InTurn(ctx context.Context, m store.Memory, do func(context.Context) error) error {
	err := do(ctx)
	var large NeedsTurn
	if !errors.As(err, &large) {
		return err
	}
	ctx, over, err := Alone(ctx, m, large.Size)
	if err != nil {
		return err
	}
	defer over()
	return do(context.WithValue(ctx, endKey{}, over))
}

// endKey is that of the function that ends the turn of InTurn.
type endKey struct{}

// EndTurn ends a turn that InTurn took. The caller has done its work on large documents, and
// readers need not wait for hooks.
func EndTurn(ctx context.Context) {
	if over, ok := ctx.Value(endKey{}).(func()); ok {
		over()
	}
}

// readerWaits is how long a reader waits for its turn: the one who has it may run hooks of a
// repository, or cut a document for embedding, for longer than anybody waits for a page.
const readerWaits = 10 * time.Second

// Soon is Alone for a reader, who goes on without the turn after some seconds, and leaves as
// little memory in use.
func Soon(ctx context.Context, m store.Memory, size int64) (over func(), err error) {
	soon, cancel := context.WithTimeout(ctx, readerWaits)
	defer cancel()
	if _, over, err = Alone(soon, m, size); err == nil {
		return over, nil
	}
	return debug.FreeOSMemory, context.Cause(ctx)
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
