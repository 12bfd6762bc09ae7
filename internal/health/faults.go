package health

import (
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/lint"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// checkFaults reports documents with fatal faults, in a space whose writes may bring in
// none: they are older than that, or another program wrote them.
func (h *Checker) checkFaults(ctx context.Context, w *write.Space, kept *store.Kept, mark int64) ([]api.Check, error) {
	if !w.Policy.Lint.Enforce {
		return nil, nil
	}
	found, err := store.Keep(kept, mark, fmt.Sprint("lint ", w.Row), func() ([]lint.Finding, error) {
		found, _, err := h.Inspect.Space(ctx, w, nil)
		return lint.Fatals(found), err
	})
	if err != nil {
		return nil, err
	}
	c := api.Check{Name: "lint " + w.Name, State: "ok", Reason: "no document breaks a rule that is fatal"}
	if len(found) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(found), "fatal fault")+" that no write of this memory brought in"
		c.Remedy = "see all with cairn lint --space " + w.Name + ", and mend the documents"
	}
	for _, f := range found[:min(len(found), maxItems)] {
		c.Items = append(c.Items, fmt.Sprintf("%s:%d: %s", f.Path, max(f.Line, 1), f.Message))
	}
	return []api.Check{c}, nil
}
