package embedding

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// aboveAlike is which share of pairs of pages that have nothing to do with each other
	// is over the cosine from which pages are alike.
	aboveAlike = 0.005
	// mostCompared is how many pages of a memory are compared to find it, at most, and
	// leastCompared at least.
	mostCompared, leastCompared = 600, 200
	// alikeUnknown is it where the memory has fewer: rather too few pages are joined then
	// than too many.
	alikeUnknown = 0.85
)

// measured is from which cosine on pages are alike, by how the name of a model begins.
//
// The built-in model: of 300,000 pairs of 2,500 notes of a garden, at most 800 bytes of
// each, 0.5 % are over it; of turns of a conversation that together answer one question
// (LoCoMo) 38 %. all-MiniLM-L6-v2: of 400,000 pairs of 900 of these notes 0.5 % are over
// it, of which the built-in model has 0.5 % over 0.816. For nomic-embed-text it is what
// kt was made with.
var measured = []struct {
	name   string
	cosine float64
}{{bge.Name, 0.81}, {"nomic-embed-text", 0.8}, {"all-minilm", 0.51}}

// Alike is over which cosine of their mean vectors, which are in the index, pages of a model
// are about so much the same that one summary may stand for them. Each model has a scale of
// its own. Where that of a model is not known, the pages of the memory say it: it is what
// one pair of them in two hundred is over.
func Alike(ctx context.Context, tx store.Tx, model string, ix *vector.Index) (float64, error) {
	name := strings.ToLower(model[strings.LastIndexAny(model, `/\`)+1:])
	for _, m := range measured {
		if strings.HasPrefix(name, m.name) {
			return m.cosine, nil
		}
	}
	pages, err := tx.Pages().Rows(ctx, store.Filter{})
	if err != nil {
		return 0, err
	}
	pages = slices.DeleteFunc(pages, func(row int64) bool { return !ix.Has(row) })
	slices.Sort(pages)
	if len(pages) < leastCompared {
		return alikeUnknown, nil
	}
	sample := make([]int64, min(len(pages), mostCompared))
	for i := range sample {
		sample[i] = pages[i*len(pages)/len(sample)]
	}
	cosine, _ := ix.Above(sample, aboveAlike)
	return cosine, nil
}
