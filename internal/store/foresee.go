package store

import "context"

// Foreseer is a transaction of which each answer takes a round trip to a server.
type Foreseer interface {
	// Foresee runs ask once or several times, to learn what will be read next. Rows that are
	// not known yet are missing then, or are those of an earlier state; afterwards those of all
	// runs are read together, and remembered. In a transaction that wrote it does nothing.
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
