package model

import (
	"sync"
	"sync/atomic"
)

// spins is how often a thread polls for the others before it sleeps: some 60 µs. Threads
// with equal work arrive sooner, and waking up takes about as long; without polling, a text
// of 16 tokens took a quarter longer.
const spins = 200_000

// meeting is a barrier for the threads that share a chunk.
type meeting struct {
	mu       sync.Mutex
	turn     sync.Cond
	size     int  // number of threads
	here     int  // number of threads that wait
	stop     bool // one of them wants to stop
	decision bool // the decision of the last meeting
	meetings atomic.Int64
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.turn.L = &m.mu
	return m
}

// wait returns when all threads have called it, and reports whether any of them wants to
// stop. All threads get the same result, so that none waits for one that has left.
func (m *meeting) wait(stop bool) bool {
	m.mu.Lock()
	m.stop = m.stop || stop
	m.here++
	this := m.meetings.Load()
	if m.here == m.size {
		m.here, m.decision = 0, m.stop
		m.meetings.Add(1)
		m.turn.Broadcast()
		m.mu.Unlock()
		return m.decision // stable until the next meeting, which needs this thread as well
	}
	m.mu.Unlock()
	for range spins {
		if m.meetings.Load() != this {
			return m.decision
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.meetings.Load() == this {
		m.turn.Wait()
	}
	return m.decision
}
