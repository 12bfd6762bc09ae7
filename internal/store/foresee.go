package store

import (
	"context"
	"errors"
)

// Foreseer is a transaction in which each query takes a round trip to a server.
type Foreseer interface {
	// Foresee runs ask once or several times to learn which rows will be read next. In these
	// runs, unknown rows are missing or outdated. Afterwards the rows of all runs are read
	// together and cached; in a transaction that has written, they are cached until it
	// writes to the same tables again. Writes in ask do nothing, and those that return a
	// number fail.
	Foresee(ctx context.Context, ask func()) error
}

// ViewerAt is a memory with transactions that know the value of Memory.Changed.
type ViewerAt interface {
	// ViewAt is View with the value of Changed as of the transaction.
	ViewAt(ctx context.Context, f func(tx Tx, changed int64) error) error
}

// ViewAt is View with the value of Memory.Changed as of the transaction, or as of shortly
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

// Foresee lets a transaction read the rows that ask needs in few round trips, if round trips
// take time. ask may run several times or not at all, with missing or outdated rows: it must
// have no effect, ignore its errors, and be followed by the same reads.
func Foresee(ctx context.Context, tx Tx, ask func()) error {
	if f, ok := tx.(Foreseer); ok {
		return f.Foresee(ctx, ask)
	}
	return nil
}

// Joiner is a memory in which each View takes a round trip to a server.
type Joiner interface {
	// Join returns a context with which Views share one transaction, one after the other,
	// until leave is called. An Update or a Lock with that context ends the transaction; the
	// next View begins another one. Rows that were foreseen before a Lock are not read again
	// after it, unless there was a write in between. A context with joined Views is returned
	// unchanged.
	Join(ctx context.Context) (joined context.Context, leave func())
	// Part ends the transaction shared by the Views of a context.
	Part(ctx context.Context)
	Foreseer
}

// Join lets the Views of a part of a call share a transaction, if beginning one takes time.
// Views with the returned context see one state of the memory, until an Update, a Lock or
// Part. The caller must not do slow work meanwhile.
func Join(ctx context.Context, m Memory) (joined context.Context, leave func()) {
	if j, ok := m.(Joiner); ok {
		return j.Join(ctx)
	}
	return ctx, func() {}
}

// Part makes the next View of a context see the newest commits.
func Part(ctx context.Context, m Memory) {
	if j, ok := m.(Joiner); ok {
		j.Part(ctx)
	}
}

// ForeseeViews is Foresee for several Views with a context made by Join. An Update or a Lock
// in ask fails.
func ForeseeViews(ctx context.Context, m Memory, ask func()) error {
	if j, ok := m.(Joiner); ok {
		return j.Foresee(ctx, ask)
	}
	return nil
}

// ErrOvertaken means that a View had read a state that is no longer available, because
// others have written since. The same reads may succeed when they are repeated.
var ErrOvertaken = errors.New("others have written since the read began")

type jointKey struct{}

// WithJoint returns a context for Views that share j, which is a value of the engine.
func WithJoint(ctx context.Context, j any) context.Context {
	return context.WithValue(ctx, jointKey{}, j)
}

// JointOf returns the value that Views of a context share, nil for none.
func JointOf(ctx context.Context) any { return ctx.Value(jointKey{}) }

// Apart returns a context for another goroutine: its Views share nothing.
func Apart(ctx context.Context) context.Context {
	if JointOf(ctx) == nil {
		return ctx
	}
	return WithJoint(ctx, nil)
}
