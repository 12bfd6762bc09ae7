package retrieve

import (
	"context"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// boostNear adds to the scores of the pages that words found what they have of
// the question's words close together, and sorts them again. It neither brings nor
// leaves out a page.
func (s *Search) boostNear(ctx context.Context, list []candidate) error {
	rows := make([]int64, len(list))
	at := make(map[int64]*candidate, len(list))
	for i := range list {
		rows[i] = list[i].page.Row
		at[rows[i]] = &list[i]
	}
	found, err := s.engine.Index.Text().Near(ctx, s.tx.Lexical(), query.Content(s.query.Root), rows)
	if err != nil {
		return err
	}
	for i, c := range found {
		page := at[c.ID]
		page.near = &found[i]
		page.score += c.Score
	}
	bestFirst(list)
	for i := range list {
		list[i].wordRank = i + 1
	}
	return nil
}
