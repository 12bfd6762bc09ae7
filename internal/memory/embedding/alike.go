package embedding

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed/bge"
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

// measured are the cosines of models whose scale is known, by how the name of a model
// begins.
//
// alike: of the built-in model, of 300,000 pairs of 2,500 notes of a garden, at most 800
// bytes of each, 0.5 % are over it; of turns of a conversation that together answer one
// question (LoCoMo) 38 %. all-MiniLM-L6-v2: of 400,000 pairs of 900 of these notes 0.5 %
// are over it, of which the built-in model has 0.5 % over 0.816.
//
// linked and similar: of the 60 labelled notes in bench/captures.txt, asked as a capture
// asks, what is over similar says the same (18 of 18, with both models), and what is over
// linked is of one subject (18 of 18 with the built-in model, 22 of 22 with
// all-MiniLM-L6-v2).
//
// For nomic-embed-text they are what kt was made with.
var measured = []struct {
	name  string
	alike float64
	Scale
}{
	{bge.Name, 0.81, usual},
	{"nomic-embed-text", 0.8, usual},
	{"all-minilm", 0.51, Scale{linked: 0.45, similar: 0.7}},
}

// Scale says what the cosine of a question and a page means with one model: from linked on
// the page is of the same subject, and from similar on it may say the same.
type Scale struct{ linked, similar float64 }

// usual is the scale of the built-in model, to which the others are brought.
var usual = Scale{linked: 0.75, similar: 0.8}

// Usual returns which cosine of the built-in model says as much as one of the model whose
// scale it is. Greater ones stay greater.
func (s Scale) Usual(cosine float64) float64 {
	switch {
	case s == usual:
		return cosine
	case cosine >= s.similar:
		return usual.similar + (cosine-s.similar)*(1-usual.similar)/(1-s.similar)
	case cosine >= s.linked:
		return usual.linked + (cosine-s.linked)*(usual.similar-usual.linked)/(s.similar-s.linked)
	default:
		return cosine * usual.linked / s.linked
	}
}

// ScaleOf returns the scale of a model, whose mean vectors are in the index. Where it is
// not known, neither is how near pages must be to be linked: as near as those that are
// alike.
func ScaleOf(ctx context.Context, tx store.Tx, model string, ix *vector.Index) (Scale, error) {
	if at := known(model); at >= 0 {
		return measured[at].Scale, nil
	}
	alike, err := Alike(ctx, tx, model, ix)
	alike = min(max(alike, 0.01), 0.99)
	return Scale{linked: alike, similar: alike}, err
}

// known returns which of measured a model is, or -1.
func known(model string) int {
	name := strings.ToLower(model[strings.LastIndexAny(model, `/\`)+1:])
	for i, m := range measured {
		if strings.HasPrefix(name, m.name) {
			return i
		}
	}
	return -1
}

// Alike is over which cosine of their mean vectors, which are in the index, pages of a model
// are about so much the same that one summary may stand for them. Each model has a scale of
// its own. Where that of a model is not known, the pages of the memory say it: it is what
// one pair of them in two hundred is over.
func Alike(ctx context.Context, tx store.Tx, model string, ix *vector.Index) (float64, error) {
	if at := known(model); at >= 0 {
		return measured[at].alike, nil
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
