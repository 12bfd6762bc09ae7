package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// committed are the numbers that docs/benchmarks.md reports, of whole sets.
//
//go:embed baseline.json
var committed []byte

// tolerance is the share by which a number may be below what is committed.
const tolerance = 0.02

// regressed fails where a way of searching finds less in a set than is committed: nDCG@10,
// recall@5 or MRR lower by more than the tolerance. What has no committed numbers, as a part
// of a set has none, is an error, too: nothing was compared then.
func regressed(results []result, committed []byte) error {
	var all []result
	if err := json.Unmarshal(committed, &all); err != nil {
		return err
	}
	type key struct {
		set, way       string
		notes, queries int
	}
	want := map[key]scores{}
	for _, r := range all {
		want[key{r.Set, r.Way, r.Notes, r.Queries}] = r.scores
	}
	var errs []error
	for _, r := range results {
		w, ok := want[key{r.Set, r.Way, r.Notes, r.Queries}]
		if !ok {
			errs = append(errs, fmt.Errorf("%s, %s: no numbers are committed for %d notes and %d queries", r.Set, r.Way, r.Notes, r.Queries))
			continue
		}
		for _, m := range []struct {
			name      string
			got, want float64
		}{{"nDCG@10", r.NDCG10, w.NDCG10}, {"recall@5", r.Recall5, w.Recall5}, {"MRR", r.MRR, w.MRR}} {
			if m.got < m.want*(1-tolerance) {
				errs = append(errs, fmt.Errorf("%s, %s: %s is %.3f, and %.3f is committed", r.Set, r.Way, m.name, m.got, m.want))
			}
		}
	}
	return errors.Join(errs...)
}

// committedEvidence is the evidence in answers that docs/benchmarks.md reports.
//
//go:embed evidence.json
var committedEvidence []byte

// evidenceTolerance is the share by which the evidence in answers may be below the committed
// one: a few tokens more or less in an answer move it by that much.
const evidenceTolerance = 0.03

// lessEvidence fails where answers have less of the evidence than committed. Measurements
// without committed numbers are an error, too.
func lessEvidence(results []served, committed []byte) error {
	var all []served
	if err := json.Unmarshal(committed, &all); err != nil {
		return err
	}
	var errs []error
	for _, r := range results {
		i := slices.IndexFunc(all, func(w served) bool {
			return w.Set == r.Set && w.Limit == r.Limit && w.Tokens == r.Tokens && w.Queries == r.Queries
		})
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("%s, limit %d, %d tokens: no evidence is committed for %d questions", r.Set, r.Limit, r.Tokens, r.Queries))
		case r.Share < all[i].Share*(1-evidenceTolerance):
			errs = append(errs, fmt.Errorf("%s, limit %d, %d tokens: evidence served is %.3f, and %.3f is committed", r.Set, r.Limit, r.Tokens, r.Share, all[i].Share))
		}
	}
	return errors.Join(errs...)
}
