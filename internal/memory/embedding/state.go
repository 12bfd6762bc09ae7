package embedding

import (
	"sync"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
)

// State is shared by all callers of a memory: the open model, the vectors in
// memory, and counts. The zero value is ready; it must not be copied.
type State struct {
	// A separate lock: opening a model in a directory takes seconds, in which
	// others read and write pages.
	modelMu  sync.Mutex
	embedder *embedder

	vectorMu    sync.Mutex
	vectorIndex *vector.Index // of one model at a time
	vectorModel string
	vectorDims  int
	vectorSeq   int64 // last change of the store that vectorIndex includes
	vectorMark  int64 // value of Changed before vectorIndex was last updated

	wantMu sync.Mutex
	wanted []int64 // rows of pages found by questions, latest first

	countMu   sync.Mutex
	countMark int64               // value of Changed before they were counted
	counts    map[string]Coverage // by model and spaces
}

// Adopt takes over a model opened by another State of the same process; it does
// nothing if there is none.
func (s *State) Adopt(m embed.Embedder) {
	s.modelMu.Lock()
	defer s.modelMu.Unlock()
	s.embedder, _ = m.(*embedder)
}
