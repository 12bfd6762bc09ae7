package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

const (
	maxSimilar = 3
	// similarWords is how many words of the text are asked for: what a note is
	// about stands at its start, and a long query is slow.
	similarWords = 40
)

// similarLeast is where a page is similar from: nearness in meaning, or the share
// of the text's words that it holds, by how rare they are. Of the built-in model
// short notes about other things were at 0.64 at most, and pages of one subject
// at 0.6 to 0.75, which says nothing to whoever just wrote one of them.
const similarLeast = 0.8

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
	switch {
	case c.name != "":
		return 1
	case c.meaning != nil:
		score = min(c.meaning.score, 1)
	}
	if c.words != nil {
		score = max(score, c.words.Coverage)
	}
	if score < similarLeast {
		return 0
	}
	return score
}
