package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lint"
)

// checkFaults reports documents with fatal faults, in a space that rejects writes
// with such faults: they predate that rule, or another program wrote them.
func checkFaults(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	w := in.w
	if !w.Policy.Lint.Enforce {
		return nil, nil
	}
	found, _, err := lintpages.Space(ctx, l.Session, w, nil)
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

// checkSchemas reports documents that violate a schema of the policy, or with an
// unreadable table defined there: another program wrote them, or they are older
// than the schema. When the policy enforces its rules, checkFaults reports them.
func checkSchemas(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	w := in.w
	if w.Policy.Lint.Enforce || len(w.Policy.Schemas)+len(w.Policy.Tables) == 0 {
		return nil, nil
	}
	found, _, err := lintpages.Space(ctx, l.Session, w, nil)
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

// checkNotes reports notes of the space that violate a strict schema, and
// unreadable schemas: another program wrote the notes, or they are older than the
// schema. cairn schema validate lists violations of schemas that only warn.
func checkNotes(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	found, err := conformity.Broken(ctx, l.Session, in.Space, maxItems)
	if err != nil || found.Pages == 0 && len(found.Faults) == 0 {
		return nil, err
	}
	c := api.Check{Name: "notes " + in.Name, State: "ok", Reason: "no note breaks a strict schema"}
	if n := found.Errors + len(found.Faults); n > 0 {
		c.State, c.Reason = "warning", api.Plural(n, "fault")+" by strict schemas, or within schemas"
		c.Remedy = "see all with cairn schema validate --space " + in.Name + ", and mend the notes; nothing was changed in them"
	}
	for _, f := range found.Faults {
		c.Items = append(c.Items, fmt.Sprintf("%s: %s %s", f.Ref, f.Key, f.Problem))
	}
	for _, p := range found.Items {
		for _, f := range p.Fields {
			if f.Problem != "" {
				c.Items = append(c.Items, fmt.Sprintf("%s: %s", p.Ref, f.Problem))
			}
		}
	}
	c.Items = c.Items[:min(len(c.Items), maxItems)]
	return []api.Check{c}, nil
}

// checkRegions reports pages with generated regions that cannot be generated.
func checkRegions(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	if len(in.w.Policy.Regions) == 0 {
		return nil, nil
	}
	found, err := generated.Problems(ctx, l.Session, in.Space)
	if err != nil {
		return nil, err
	}
	c := api.Check{Name: "regions " + in.Name, State: "ok", Reason: "all generated parts of pages can be made"}
	if len(found) > 0 {
		c.State, c.Reason = "warning", api.Plural(len(found), "generated part")+" left as it is"
		c.Remedy, c.Items = "put the marks into the page as the check names them", found[:min(len(found), maxItems)]
	}
	return []api.Check{c}, nil
}
