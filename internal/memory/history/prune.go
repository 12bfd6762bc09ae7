package history

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// PruneAndCompact calls Prune, and then shrinks the database.
func PruneAndCompact(ctx context.Context, sess *memory.Session, dryRun bool) (api.PruneResult, error) {
	out, err := Prune(ctx, sess, dryRun)
	if err != nil || dryRun {
		return out, err
	}
	if db, ok := sess.DB.(store.Compacter); ok && out.Freed > 0 {
		if _, err := db.Compact(ctx); err != nil {
			return out, kb.Errorf(kb.CodeOf(err), "the old versions are gone, but their space is not given back yet: %w", err).
				WithReason(kb.NotCompacted)
		}
	}
	info, err := sess.DB.Info(ctx)
	out.After = info.Bytes
	return out, err
}

// errDryRun rolls back the transaction of a dry run, which measures the result.
var errDryRun = errors.New("dry run")

// Prune deletes the texts of old versions according to the retention of their
// space, in one transaction. The records of versions, with their times and authors,
// are kept. If there is no work, it does not block writers.
func Prune(ctx context.Context, sess *memory.Session, dryRun bool) (api.PruneResult, error) {
	info, err := sess.DB.Info(ctx)
	if err != nil {
		return api.PruneResult{}, err
	}
	var out api.PruneResult
	var seqs []int64
	look := func(tx store.Tx) (err error) {
		out = api.PruneResult{DryRun: dryRun, Before: info.Bytes, Spaces: []api.PrunedSpace{}, Items: []api.Version{}}
		seqs, err = prunable(ctx, sess, tx, &out)
		return err
	}
	if err := sess.DB.View(ctx, look); err != nil || len(seqs) == 0 {
		return out, err
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		err := look(tx)
		if err != nil {
			return err
		}
		if out.Freed, err = tx.History().Prune(ctx, seqs); err != nil {
			return err
		}
		if dryRun {
			return errDryRun
		}
		return tx.Vectors().ForgetSpare(ctx) // data derived from texts is removed with them
	})
	if errors.Is(err, errDryRun) {
		return out, nil
	}
	return out, err
}

// planKeep groups the versions of a space by page and number, and decides for each
// whether its text is kept.
func planKeep(sess *memory.Session, versions []kb.Version, r policy.Retention) []bool {
	slices.SortFunc(versions, func(x, y kb.Version) int {
		return cmp.Or(cmp.Compare(x.Page, y.Page), cmp.Compare(x.Version, y.Version))
	})
	keep := make([]bool, 0, len(versions))
	var history []policy.Snapshot // of one page
	for i, v := range versions {
		history = append(history, policy.Snapshot{Time: v.Time, Gone: v.Change == kb.Deleted})
		if i == len(versions)-1 || versions[i+1].Page != v.Page {
			keep = append(keep, r.Keep(history, sess.Now())...)
			history = history[:0]
		}
	}
	return keep
}

// prunable returns the versions with texts to prune, and lists them in the result.
func prunable(ctx context.Context, sess *memory.Session, tx store.Tx, out *api.PruneResult) ([]int64, error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	names := space.Names(spaces)
	needed := map[kb.Hash]bool{} // texts of versions that are kept
	var gone []kb.Version
	for _, s := range spaces {
		all, _, err := tx.History().Versions(ctx, store.VersionFilter{Spaces: []int64{s.Row}}, 1<<30, 0)
		if err != nil {
			return nil, err
		}
		shown := api.PrunedSpace{Space: s.Name, Versions: len(all)}
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil {
			out.Failed = append(out.Failed, api.Skipped{Path: s.Name, Reason: kb.AsError(err).Message})
			pol = &policy.Policy{} // keeps everything
		}
		shown.Forever = err == nil && pol.Retention.SnapshotDays == 0
		keep := planKeep(sess, all, pol.Retention)
		for i, v := range all {
			if keep[i] {
				needed[v.Hash], needed[v.Side.Hash] = true, true
			} else if !v.Pruned && v.Change != kb.Deleted {
				gone = append(gone, v)
			}
		}
		out.Spaces = append(out.Spaces, shown)
	}
	slices.SortFunc(gone, func(x, y kb.Version) int { return cmp.Compare(x.Seq, y.Seq) })
	var seqs []int64
	for _, v := range gone {
		if needed[v.Hash] && (!v.Side.Exists() || needed[v.Side.Hash]) {
			continue // the same text and sidecar are kept anyway
		}
		seqs = append(seqs, v.Seq)
		for i := range out.Spaces {
			if out.Spaces[i].Space == names[v.Space] {
				out.Spaces[i].Pruned++
			}
		}
		v.Pruned = true
		out.Items = append(out.Items, describeVersion(v, names[v.Space]))
	}
	return seqs, nil
}
