package embedding

import (
	"sync"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
)

// State is shared by all callers of a memory: the open model, the vectors in
// memory, and counts. It is ready to use, and not to be copied.
type State struct {
	// A lock of its own: to open a model in a directory takes seconds, in which
	// others read and write pages.
	modelMu  sync.Mutex
	embedder *embedder

	vectorMu    sync.Mutex
	vectorIndex *vector.Index // of one model at a time
	vectorModel string
	vectorDims  int
	vectorSeq   int64 // up to where vectorIndex follows the store
	vectorMark  int64 // what Changed said before vectorIndex was last updated

	wantMu sync.Mutex
	wanted []int64 // rows of pages that questions found, the latest first

	countMu   sync.Mutex
	countMark int64               // what Changed said before they were counted
	counts    map[string]Coverage // by model and spaces
}

// Adopt takes over a model that another State of the same process has open; one
// that none opened is ignored.
func (s *State) Adopt(m embed.Embedder) {
	s.modelMu.Lock()
	defer s.modelMu.Unlock()
	s.embedder, _ = m.(*embedder)
}
