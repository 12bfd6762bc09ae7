package apptest

import (
	"context"
	"sync"
)

// Meanwhile is a context that calls somebody else once, when it is asked for the so-manieth
// time whether it is over: so a test has others write, or the caller leave, at every step
// of what it is given to.
type Meanwhile struct {
	context.Context
	at    int
	other func()

	mu    sync.Mutex
	asked int
}

// NewMeanwhile returns a Meanwhile that calls other when it is asked for the at-th time.
func NewMeanwhile(ctx context.Context, at int, other func()) *Meanwhile {
	return &Meanwhile{Context: ctx, at: at, other: other}
}

// Err implements context.Context.
func (m *Meanwhile) Err() error {
	m.mu.Lock()
	m.asked++
	now := m.asked == m.at
	m.mu.Unlock()
	if now {
		m.other()
	}
	return m.Context.Err()
}

// Came reports whether the other one was called.
func (m *Meanwhile) Came() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked >= m.at
}
