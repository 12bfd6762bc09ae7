package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Gaps holds the questions that the memory could not answer. An open question
// exists once per space.
type Gaps interface {
	// Log inserts an open gap, internal and asked once, or increments the count
	// of the one with the same space and hash, and sets g to the stored gap. It
	// reads Space, Hash, Context, Score, Confidence, Last and Asker of g; an
	// empty Context, no Score and no Confidence keep the stored values.
	Log(ctx context.Context, g *kb.Gap) error
	// OpenOf returns the open gap of a space for a question; kb.NotFound.
	OpenOf(ctx context.Context, space int64, question kb.Hash) (kb.Gap, error)
	// Get returns a gap; kb.NotFound.
	Get(ctx context.Context, row int64) (kb.Gap, error)
	// List returns the open gaps of the spaces, or with resolved all of them, oldest first,
	// and their total number; an empty spaces means all.
	List(ctx context.Context, spaces []int64, resolved bool, limit, offset int) ([]kb.Gap, int, error)
	// Open counts the open gaps of the spaces; an empty spaces means all.
	Open(ctx context.Context, spaces []int64) (int, error)
	// Update writes Context, Score, Confidence, Sensitivity, Approval, Candidate and Answer
	// of the gap with g.Row. kb.NotFound; kb.Invalid if Approval and Sensitivity are
	// inconsistent (an internal gap has no approval, every other one has an approval with
	// the approved wording), if the gap would be open while another with the same question
	// is, and if an answer is not a page.
	Update(ctx context.Context, g kb.Gap) error
	// Remove deletes a gap; kb.NotFound.
	Remove(ctx context.Context, row int64) error
}
