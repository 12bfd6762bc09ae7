package freshness

import (
	"sync"
)

// Notices are lines that a caller is told once. They are safe for concurrent
// use.
type Notices struct {
	mu    sync.Mutex
	lines []string
}

// Add adds a line.
func (n *Notices) Add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// Take returns the lines that nobody was told.
func (n *Notices) Take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.lines
	n.lines = nil
	return out
}
