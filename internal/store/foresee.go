package store

import (
	"context"
	"errors"
)

// Foreseer is a transaction of which each answer takes a round trip to a server.
type Foreseer interface {
	// Foresee runs ask once or several times, to learn what will be read next. Rows that are
	// not known yet are missing then, or are those of an earlier state; afterwards those of all
	// runs are read together, and remembered: in a transaction that wrote until it writes to the
	// same tables again. Writes of ask do nothing, and those that return a number fail.
	Foresee(ctx context.Context, ask func()) error
}

// ViewerAt is a memory of which a transaction knows the number of Memory.Changed.
type ViewerAt interface {
	// ViewAt is View with that number as of the transaction.
	ViewAt(ctx context.Context, f func(tx Tx, changed int64) error) error
}

// ViewAt is View with the number of Memory.Changed as of the transaction, or as of shortly
// before it.
func ViewAt(ctx context.Context, m Memory, f func(tx Tx, changed int64) error) error {
	if v, ok := m.(ViewerAt); ok {
		return v.ViewAt(ctx, f)
	}
	changed, err := m.Changed(ctx)
	if err != nil {
		return err
	}
	return m.View(ctx, func(tx Tx) error { return f(tx, changed) })
}

// Foresee has a transaction read what ask reads in few round trips, where they take time. Ask
// may run several times or not at all, with rows missing or outdated: it has no effect, drops
// its errors, and is followed by the same reads.
func Foresee(ctx context.Context, tx Tx, ask func()) error {
	if f, ok := tx.(Foreseer); ok {
		return f.Foresee(ctx, ask)
	}
	return nil
}

// Joiner is a memory of which each View takes a round trip to a server.
type Joiner interface {
	// Join returns a context with which Views share one transaction, one after the
	// other, until leave is called. An Update or a Lock with that context ends the
	// transaction: the next View begins another one. Rows that were foreseen before
	// a Lock are not read again after it if there was no write in between. A
	// context with joined Views is returned unchanged.
	Join(ctx context.Context) (joined context.Context, leave func())
	// Part ends the transaction that Views of a context share.
	Part(ctx context.Context)
	Foreseer
}

// Join has the Views of a part of a call share a transaction, where beginning one takes time.
// With the context that it returns they see one state of the memory, until an Update, a Lock
// or Part. Work that takes long is not done meanwhile.
func Join(ctx context.Context, m Memory) (joined context.Context, leave func()) {
	if j, ok := m.(Joiner); ok {
		return j.Join(ctx)
	}
	return ctx, func() {}
}

// Part has the next View of a context see what others have committed until then.
func Part(ctx context.Context, m Memory) {
	if j, ok := m.(Joiner); ok {
		j.Part(ctx)
	}
}

// ForeseeViews is Foresee for what ask reads in several Views of a context made by Join. An
// Update or a Lock of ask fails.
func ForeseeViews(ctx context.Context, m Memory, ask func()) error {
	if j, ok := m.(Joiner); ok {
		return j.Foresee(ctx, ask)
	}
	return nil
}

// ErrOvertaken means that a View had answers of a state that could not be read further: others
// have written since. The same reads may succeed when they are made again.
var ErrOvertaken = errors.New("others have written since the read began")

type jointKey struct{}

// WithJoint returns a context for the Views that share j, which an engine knows.
func WithJoint(ctx context.Context, j any) context.Context {
	return context.WithValue(ctx, jointKey{}, j)
}

// JointOf is what Views of a context share, nil for nothing.
func JointOf(ctx context.Context) any { return ctx.Value(jointKey{}) }

// Apart returns a context for another goroutine: its Views share nothing.
func Apart(ctx context.Context) context.Context {
	if JointOf(ctx) == nil {
		return ctx
	}
	return WithJoint(ctx, nil)
}
