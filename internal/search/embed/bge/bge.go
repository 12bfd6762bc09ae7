package bge

import (
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
)

// Name is the name of the built-in model.
const Name = "bge-small-en-v1.5"

// Dimensions is the length of its vectors.
const Dimensions = 384

const maxTokens = 512

// Available reports whether this build has the model's weights.
func Available() bool { return weights != "" }

// New returns the built-in embedder, without loading it; cpu and threads are those of
// packed.Options. In a slim build it fails with kb.NotFound.
func New(cpu string, threads int) (*packed.Embedder, error) {
	if !Available() {
		return nil, kb.Errorf(kb.NotFound, "this build has no embedding model").
			WithReason(kb.NoBuiltInModel)
	}
	return packed.New(packed.Options{
		Name: Name, Dimensions: Dimensions, MaxTokens: maxTokens,
		File: func() (string, error) { return weights, nil }, CPU: cpu, Threads: threads,
	})
}

// Rest removes the weights from the memory of the process. They are loaded again when they
// are used.
func Rest() { model.Evict(weights) }
