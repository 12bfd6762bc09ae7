package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

const (
	maxSimilar = 3
	// similarWords is how many words of the text are asked for: what a note is
	// about stands at its start, and a long query is slow.
	similarWords = 40
)

// A page is similar from here on: nearness in meaning, and the share of the
// text's words that it holds, by how rare they are. Of the built-in model, short
// notes about other things were at 0.64 at most, and those about the same from
// 0.69 on; what other models give to texts about other things is mostly less.
const (
	similarNear     = 0.65
	similarElse     = 0.5 // as the nearness of other models
	similarCoverage = 0.6
)

// Similar finds at most maxSimilar pages that are about the same, but for the one
// at path. The score
// of each is how near it is, or how much it holds: 1 is the same. The text is a
// page's, so a credential in it reaches no model, also when the write of the page
// will be refused for it.
func (e *Engine) Similar(ctx context.Context, path, text string) ([]api.Hit, error) {
	text = string(secrets.Hide([]byte(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t\"():*-", r) })
	if len(words) > similarWords {
		words = words[:similarWords]
	}
	s, err := e.Plan(ctx, SearchRequest{
		Query: strings.Join(words, " "), Mode: api.ModeHybrid, Limit: 2*maxSimilar + 1,
	})
	if err != nil {
		return nil, err
	}
	hits, err := s.run(ctx)
	similar := []api.Hit{}
	for _, h := range hits {
		if h.Score = s.similar(h.by); h.Score > 0 && h.Path != path {
			similar = append(similar, h.Hit)
		}
	}
	slices.SortStableFunc(similar, func(x, y api.Hit) int { return cmp.Compare(y.Score, x.Score) })
	return similar[:min(len(similar), maxSimilar)], err
}

// similar returns how similar a page is to the query, 0 where it is not.
func (s *Search) similar(c candidate) (score float64) {
	least := similarElse
	if embedding.IsBuiltIn(s.question.model) {
		least = similarNear
	}
	if c.meaning != nil && c.meaning.score >= least {
		score = min(c.meaning.score, 1)
	}
	if c.words != nil && c.words.Coverage >= similarCoverage {
		score = max(score, c.words.Coverage)
	}
	if c.name != "" {
		score = 1
	}
	return score
}
