package health

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// compareText compares the pages that there are with those that the full-text
// index has. Stray are those that only the index has; nil when it cannot be
// read.
func (h *Checker) compareText(ctx context.Context) (c api.Check, stray *[]int64, err error) {
	c = api.Check{Name: "full text", State: "ok"}
	err = h.DB.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().Rows(ctx, store.Filter{})
		if err != nil {
			return err
		}
		texts, err := h.Index.Text().Documents(ctx, tx.Lexical())
		if kb.CodeOf(err) == kb.Damaged {
			c.State, c.Reason, c.Remedy = "error", kb.AsError(err).Message, kb.AsError(err).Hint
			return nil
		}
		if err != nil {
			return err
		}
		c.Reason = "searchable: " + api.Plural(len(texts), "page")
		stray = new([]int64)
		if slices.Equal(rows, texts) {
			return nil
		}
		c.State = "error"
		c.Reason = fmt.Sprintf("%d pages, and %d in the full-text index", len(rows), len(texts))
		c.Remedy = "cairn doctor --fix"
		for _, t := range texts {
			if _, ok := slices.BinarySearch(rows, t); !ok {
				*stray = append(*stray, t)
			}
		}
		return nil
	})
	return c, stray, err
}
