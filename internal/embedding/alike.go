package embedding

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/embed/bge"
)

// Alike is over which cosine of their mean vectors pages of a model are about so much
// the same that one summary may stand for them. Each model has a scale of its own.
//
// For nomic-embed-text it is what kt was made with. The built-in model's is the cosine
// over which 0.5 % of the pairs of notes are that have nothing to do with each other:
// 300,000 pairs of 2,500 notes of a garden, at most 800 bytes of each. Of turns of a
// conversation that together answer one question (LoCoMo) 38 % are over it. Of another
// model nothing is known, and the policy of a space may say what fits.
func Alike(model string) float64 {
	switch name := model[strings.LastIndexByte(model, '/')+1:]; {
	case name == bge.Name:
		return 0.81
	case strings.HasPrefix(name, "nomic-embed-text"):
		return 0.8
	}
	return 0.85
}
