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
	// aboveAlike is the share of pairs of unrelated pages with a cosine above the
	// threshold for similar pages.
	aboveAlike = 0.005
	// maxCompared and leastCompared limit the number of pages compared to estimate
	// the threshold.
	maxCompared, leastCompared = 600, 200
	// alikeUnknown is the threshold for a memory with fewer pages: it rather joins
	// too few pages than too many.
	alikeUnknown = 0.85
)

// measured are the cosines of models with a known scale, by prefix of the
// model's name.
//
// alike: of the built-in model, of 300,000 pairs of 2,500 notes of a garden, at
// most 800 bytes of each, 0.5 % are over it; of turns of a conversation that
// together answer one question (LoCoMo) 38 %. all-MiniLM-L6-v2: of 400,000
// pairs of 900 of these notes 0.5 % are over it; for the same pairs the
// built-in model has 0.5 % over 0.816.
//
// linked and similar: of the 60 labelled notes in bench/captures.txt, queried
// as a capture does, notes over similar have the same content (18 of 18, with
// both models), and notes over linked share a subject (18 of 18 with the
// built-in model, 22 of 22 with all-MiniLM-L6-v2).
//
// For nomic-embed-text they are kt's values.
var measured = []struct {
	name  string
	alike float64
	Scale
}{
	{bge.Name, 0.81, usual},
	{"nomic-embed-text", 0.8, usual},
	{"all-minilm", 0.51, Scale{linked: 0.45, similar: 0.7}},
}

// Scale describes the meaning of the cosine of a question and a page with one
// model: from linked on the page shares the subject, and from similar on it may
// have the same content.
type Scale struct{ linked, similar float64 }

// usual is the scale of the built-in model, to which other scales are converted.
var usual = Scale{linked: 0.75, similar: 0.8}

// Usual converts a cosine of the model with this scale to the equivalent cosine
// of the built-in model. The conversion is monotonic.
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

// ScaleOf returns the scale of a model with its mean vectors in the index. If the
// scale is unknown, the threshold for links is that of similar pages.
func ScaleOf(ctx context.Context, tx store.Tx, model string, ix *vector.Index) (Scale, error) {
	if at := known(model); at >= 0 {
		return measured[at].Scale, nil
	}
	alike, err := Alike(ctx, tx, model, ix)
	alike = min(max(alike, 0.01), 0.99)
	return Scale{linked: alike, similar: alike}, err
}

// known returns the index of a model in measured, or -1.
func known(model string) int {
	name := strings.ToLower(model[strings.LastIndexAny(model, `/\`)+1:])
	for i, m := range measured {
		if strings.HasPrefix(name, m.name) {
			return i
		}
	}
	return -1
}

// Alike returns the cosine of their mean vectors, which are in the index, above
// which pages of a model are so similar that one summary can replace them. Each
// model has a scale of its own. If that of a model is unknown, it is estimated
// from the pages of the memory: one pair of them in two hundred is above it.
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
	sample := make([]int64, min(len(pages), maxCompared))
	for i := range sample {
		sample[i] = pages[i*len(pages)/len(sample)]
	}
	cosine, _ := ix.Above(sample, aboveAlike)
	return cosine, nil
}
