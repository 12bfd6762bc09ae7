package space

import (
	"bytes"
	"errors"
	"sync"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Handles holds the open spaces of a process, shared by all of its callers. It is
// safe for concurrent use.
type Handles struct {
	mu     sync.Mutex
	spaces map[int64]*opened // by row
	dirs   []*fsys.Dir       // to close

	parsedMu sync.Mutex
	parsed   map[int64]parsed // by row

	layoutMu sync.Mutex
	layout   *layout // nil before the spaces are read
}

// parsed is a policy with its source texts.
type parsed struct {
	defaults, text, accepted string
	policy                   *policy.Policy
}

// NewHandles returns handles without spaces.
func NewHandles() *Handles {
	return &Handles{spaces: map[int64]*opened{}, parsed: map[int64]parsed{}}
}

// parse returns the policy of a space from a text over defaults, limited to its
// accepted parts; see policy.Within. It caches the last result per space. Policies
// are shared and must not be changed.
func (h *Handles) parse(s kb.Space, defaults, text []byte) (*policy.Policy, error) {
	h.parsedMu.Lock()
	defer h.parsedMu.Unlock()
	if have, ok := h.parsed[s.Row]; ok && have.defaults == string(defaults) && have.text == string(text) && have.accepted == string(s.Accepted) {
		p := *have.policy
		return &p, nil
	}
	p, err := policy.ParseOver(defaults, text)
	if err != nil {
		return nil, err
	}
	if s.Policy == nil && !bytes.Equal(s.Accepted, text) {
		if p, err = asAccepted(p, s, defaults); err != nil {
			return nil, err
		}
	}
	own := *p
	h.parsed[s.Row] = parsed{string(defaults), string(text), string(s.Accepted), &own}
	return p, nil
}

// Close closes the directories of all spaces.
func (h *Handles) Close() error {
	var errs []error
	for _, d := range h.dirs {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
