package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// compareText compares the existing pages with those in the full-text index. stray
// are the pages that only exist in the index, nil when it cannot be read.
func compareText(ctx context.Context, sess *memory.Session, tx store.Tx) (c api.Check, stray *[]int64, err error) {
	c = api.Check{Name: "full text", State: "ok"}
	rows, err := tx.Pages().Rows(ctx, store.Filter{})
	if err != nil {
		return c, nil, err
	}
	texts, err := sess.Index.Text().Documents(ctx, tx.Lexical())
	if kb.CodeOf(err) == kb.Damaged {
		c.State, c.Reason, c.Remedy = "error", kb.AsError(err).Message, sess.Hint.Of(kb.AsError(err))
		return c, nil, nil
	}
	if err != nil {
		return c, nil, err
	}
	c.Reason = "searchable: " + api.Plural(len(texts), "page")
	stray = new([]int64)
	if slices.Equal(rows, texts) {
		return c, stray, nil
	}
	c.State = "error"
	c.Reason = fmt.Sprintf("%d pages, and %d in the full-text index", len(rows), len(texts))
	c.Remedy = "cairn doctor --fix"
	for _, t := range texts {
		if _, ok := slices.BinarySearch(rows, t); !ok {
			*stray = append(*stray, t)
		}
	}
	return c, stray, nil
}
