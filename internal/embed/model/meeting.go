package model

import "sync"

// meeting is where the threads that share a chunk wait for one another.
type meeting struct {
	mu       sync.Mutex
	turn     sync.Cond
	size     int // threads that meet
	here     int // of them, those waiting
	meetings int // that have taken place
	stop     bool
	decision bool // what the last meeting decided
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.turn.L = &m.mu
	return m
}

// wait returns when all threads are here, and whether any of them wants to
// stop: the same for all, so that none waits for one that has left.
func (m *meeting) wait(stop bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stop = m.stop || stop
	m.here++
	if m.here == m.size {
		m.here, m.decision = 0, m.stop
		m.meetings++
		m.turn.Broadcast()
		return m.decision
	}
	for this := m.meetings; this == m.meetings; {
		m.turn.Wait()
	}
	return m.decision
}
