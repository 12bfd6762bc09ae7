package memory

import (
	"context"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/store"
)

// Notices collects lines to be shown to a caller once. It is safe for concurrent
// use.
type Notices struct {
	mu    sync.Mutex
	lines []string
	busy  bool
}

// Add adds lines, each of them once.
func (n *Notices) Add(lines ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range lines {
		if !slices.Contains(n.lines, line) {
			n.lines = append(n.lines, line)
		}
	}
}

// Waited records that the caller waited for other writers in vain: until its
// notices are taken, it does not wait any more.
func (n *Notices) Waited() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy = true
}

// Patient returns a context with which the caller waits for others as long as a
// reader does.
func (n *Notices) Patient(ctx context.Context) context.Context {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy {
		return store.WithPatience(ctx, 0)
	}
	return store.WithPatience(ctx, store.ReadPatience)
}

// Take returns the lines that were not shown yet.
func (n *Notices) Take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.lines
	n.lines, n.busy = nil, false
	return out
}
