package compact

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// DueRequest asks for a compaction of the spaces with a schedule in their policy.
type DueRequest struct {
	DryRun bool
	Force  bool // ignore the schedule
	// Failed receives a space with a failed compaction.
	Failed func(space string, err error)
}

// Due compacts the spaces with a last compaction older than the interval of their
// policy. Its time is in the summaries.
func Due(ctx context.Context, sess *memory.Session, req DueRequest) (Result, error) {
	out := Result{DryRun: req.DryRun, Clusters: []api.ClusterDone{}}
	spaces, err := findSpaces(ctx, sess, true)
	if err != nil {
		return out, err
	}
	for _, s := range spaces {
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil || pol.Compact.Every == 0 {
			continue // the jobs that need an unreadable policy report it
		}
		due := req.Force
		if !due {
			due, err = findDue(ctx, sess, s, pol.Compact)
		}
		if err == nil && due {
			plan := Plan{}
			if err = buildPlan(ctx, sess, s, pol, nil, &plan); err == nil {
				for i := range plan.Clusters {
					plan.Clusters[i].Number = i + 1
				}
				out.Stale += plan.Stale
				err = carryOut(ctx, sess, &plan, false, api.WriteOptions{DryRun: req.DryRun}, &out)
			}
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			req.Failed(s.Name, err)
		}
	}
	return out, nil
}

// findDue reports whether the newest summary of the space is older than the
// interval of its policy.
func findDue(ctx context.Context, sess *memory.Session, s kb.Space, rules policy.Compact) (bool, error) {
	due := true
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		where := store.Where{Key: doc.PropertyKey(keySource), Is: store.Equals, Text: source}
		made, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}, Where: []store.Where{where}}, store.BySlug, api.Limit(0), 0)
		for _, p := range made {
			due = due && sess.Now().Sub(p.Created) >= time.Duration(rules.Every)*24*time.Hour
		}
		return err
	})
	return due, err
}
