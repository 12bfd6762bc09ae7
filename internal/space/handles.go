package space

import (
	"errors"
	"sync"

	"github.com/cairn-kb/cairn/internal/fsys"
)

// Handles are the spaces that a process has open, for all of its callers. It is
// safe for concurrent use.
type Handles struct {
	mu     sync.Mutex
	spaces map[int64]*opened // by row
	dirs   []*fsys.Dir       // to close
}

// NewHandles returns handles of no space.
func NewHandles() *Handles { return &Handles{spaces: map[int64]*opened{}} }

// Close closes the directories of all spaces.
func (h *Handles) Close() error {
	var errs []error
	for _, d := range h.dirs {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
