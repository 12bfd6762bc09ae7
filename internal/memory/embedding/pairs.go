package embedding

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// Paired lists pairs of similar pages.
type Paired struct {
	Pairs   []vector.Pair // of indexes in the list of pages
	Without int           // pages that have no embedding yet
}

// Pairs finds the pairs of pages more similar than the result of least, which
// receives the model's threshold for similar pages. Near keeps them for the next
// time. See Vectors for mark.
func Pairs(ctx context.Context, sess *memory.Session, tx store.Tx, model embed.Embedder, mark int64, near *vector.Near, pages []int64, least func(alike float64) float64) (Paired, error) {
	ix, err := Vectors(ctx, sess, tx, model, mark)
	if kb.CodeOf(err) == kb.NotFound {
		return Paired{Without: len(pages)}, nil
	}
	if err != nil {
		return Paired{}, err
	}
	alike, err := Alike(ctx, tx, model.Model(), ix)
	if err != nil {
		return Paired{}, err
	}
	out := Paired{Pairs: near.Pairs(ix, pages, least(alike))}
	for _, row := range pages {
		if !ix.Has(row) {
			out.Without++
		}
	}
	return out, nil
}
