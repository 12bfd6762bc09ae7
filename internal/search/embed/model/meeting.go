package model

import (
	"sync"
	"sync/atomic"
)

// spins is how often a thread looks whether the others have come before it
// sleeps: some 60 µs. Threads with equal work come sooner, and to be woken
// takes about as long; without it a text of 16 tokens took a quarter longer.
const spins = 200_000

// meeting is where the threads that share a chunk wait for one another.
type meeting struct {
	mu       sync.Mutex
	turn     sync.Cond
	size     int  // threads that meet
	here     int  // of them, those waiting
	stop     bool // one of them wants to stop
	decision bool // the decision of the last meeting
	meetings atomic.Int64
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.turn.L = &m.mu
	return m
}

// wait returns when all threads have called it, and reports whether any of them
// wants to stop: the same for all, so that no thread waits for one that has
// left.
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
		return m.decision // until the next meeting, which needs this thread too
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
