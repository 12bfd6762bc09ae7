package doctor

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkConflicts reports pages that contradict another page of the space, if its
// policy defines a relation for that.
func checkConflicts(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	pol := in.w.Policy
	if len(pol.Lifecycle.Relations(policy.Conflicts)) == 0 {
		return nil, nil
	}
	c := api.Check{Name: "conflicts " + in.Name, State: "ok", Reason: "no page says that it contradicts another one"}
	err := l.DB.View(ctx, func(tx store.Tx) error {
		found, err := contradiction.Conflicts(ctx, l.Session, tx, in.Space, pol, nil)
		for _, x := range found[:min(len(found), maxItems)] {
			c.Items = append(c.Items, x.A.Ref()+" and "+x.B.Ref())
		}
		if len(found) > 0 {
			c.State, c.Reason = "warning", api.Plural(len(found), "pair")+" of pages that contradict each other"
			c.Remedy = "make the page stale that does not hold any more, or end the relation if both do: they do not age meanwhile"
		}
		return err
	})
	return []api.Check{c}, err
}
