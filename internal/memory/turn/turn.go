// Package turn bounds the memory of a process: large documents are worked on in turn.
package turn

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/cairn-kb/cairn/internal/store"
)

// largeDocument is the size from which on a process works on one document at a time: each
// takes several times its size of memory meanwhile.
const largeDocument = 16 << 20

// turns is of the whole process, as its memory is.
var turns = semaphore.NewWeighted(1)

// turnKey is that of a context with a turn, so that work within it waits for nobody.
type turnKey struct{}

// turn is the turn of a context, until it is over.
type turn struct{ over atomic.Bool }

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
	t := new(turn)
	return context.WithValue(ctx, turnKey{}, t), sync.OnceFunc(t.end), nil
}

// end ends a turn. The process takes as little memory afterwards as before.
func (t *turn) end() {
	t.over.Store(true)
	debug.FreeOSMemory()
	turns.Release(1)
}

// Needed is the error of a plan that would read a large document without the turn.
type Needed struct{ Size int64 }

func (e Needed) Error() string { return "a large document is read without the turn" }

// Check fails with Needed where a document of this size is large and ctx has no turn.
func Check(ctx context.Context, size int64) error {
	if size < largeDocument {
		return nil
	}
	if t, ok := ctx.Value(turnKey{}).(*turn); ok && !t.over.Load() {
		return nil
	}
	return Needed{size}
}

// In calls do, and again with the turn where do fails with Needed: it found out which
// documents it reads.
func In(ctx context.Context, m store.Memory, do func(context.Context) error) error {
	err := do(ctx)
	var large Needed
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

// endKey is that of the function that ends the turn of In.
type endKey struct{}

// End ends a turn that In took. The caller has done its work on large documents, and
// readers need not wait for hooks.
func End(ctx context.Context) {
	if over, ok := ctx.Value(endKey{}).(func()); ok {
		over()
	}
}

// readerWaits is how long a reader waits for its turn: the one who has it may run hooks of a
// repository, or cut a document for embedding, for longer than anybody waits for a page.
const readerWaits = 10 * time.Second

// Soon is Alone for a reader, who goes on without the turn after some seconds, and leaves as
// little memory in use.
func Soon(ctx context.Context, m store.Memory, size int64) (_ context.Context, over func(), _ error) {
	if Check(ctx, size) == nil {
		return ctx, func() {}, nil
	}
	soon, cancel := context.WithTimeout(ctx, readerWaits)
	defer cancel()
	_, release, err := Alone(soon, m, size)
	if err != nil {
		if ctx.Err() != nil {
			return ctx, nil, context.Cause(ctx)
		}
		release = debug.FreeOSMemory
	}
	t := new(turn)
	return context.WithValue(ctx, turnKey{}, t), sync.OnceFunc(func() {
		t.over.Store(true)
		release()
	}), nil
}

// Reading is In for a reader; see Soon.
func Reading(ctx context.Context, m store.Memory, do func(context.Context) error) error {
	err := do(ctx)
	var large Needed
	if !errors.As(err, &large) {
		return err
	}
	ctx, over, err := Soon(ctx, m, large.Size)
	if err != nil {
		return err
	}
	defer over()
	return do(ctx)
}
