package health

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/lint"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/write"
)

// checkFaults reports documents with fatal faults, in a space whose writes may bring in
// none: they are older than that, or another program wrote them.
func (h *Checker) checkFaults(ctx context.Context, w *write.Space) ([]api.Check, error) {
	if !w.Policy.Lint.Enforce {
		return h.checkSchemas(ctx, w)
	}
	found, _, err := h.Inspect.Space(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	found = lint.Fatals(found)
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

// checkSchemas reports documents that break a schema of the policy, or have a table of it
// that cannot be read: another program wrote
// them, or they are older than the schema.
func (h *Checker) checkSchemas(ctx context.Context, w *write.Space) ([]api.Check, error) {
	if len(w.Policy.Schemas)+len(w.Policy.Tables) == 0 {
		return nil, nil
	}
	found, _, err := h.Inspect.Space(ctx, w, nil)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f lint.Finding) bool {
		return f.Rule != policy.LintPropertyMissing && f.Rule != policy.LintValueInvalid
	})
	c := api.Check{Name: "schemas " + w.Name, State: "ok", Reason: "no document breaks a schema"}
	if len(found) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(found), "fault")+" by the schemas of the space"
		c.Remedy = "mend the documents; nothing was changed in them"
	}
	for _, f := range found[:min(len(found), maxItems)] {
		c.Items = append(c.Items, fmt.Sprintf("%s:%d: %s", f.Path, max(f.Line, 1), f.Message))
	}
	return []api.Check{c}, nil
}

// checkRegions reports pages whose parts that are made from other pages cannot be made.
func (h *Checker) checkRegions(ctx context.Context, w *write.Space) ([]api.Check, error) {
	if len(w.Policy.Regions) == 0 {
		return nil, nil
	}
	found, err := h.Regions(ctx, w.Space)
	if err != nil {
		return nil, err
	}
	c := api.Check{Name: "regions " + w.Name, State: "ok", Reason: "all generated parts of pages can be made"}
	if len(found) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(found), "page")+" keep what is generated as it is"
		c.Remedy, c.Items = "put the marks into the page as the check names them", found[:min(len(found), maxItems)]
	}
	return []api.Check{c}, nil
}
