// Package runs records when each scheduled job last ran, and the outcome.
package runs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/store"
)

// Jobs lists the names of all jobs, in execution order.
var Jobs = []string{
	"sync", "rotate", "commit", "push", "embed", "staleness", "expire", "compact", "retention", "regions", "merge", "check", "routines",
}

// Run is the last run of a job.
type Run struct {
	At     time.Time `json:"at"`                // when it last ran, was attempted or postponed
	PutOff bool      `json:"put_off,omitempty"` // it was postponed
	Failed int       `json:"failed,omitempty"`  // number of consecutive failures
	Error  string    `json:"error,omitempty"`   // of the last failure
}

// key is the settings key for the last run of a job.
const key = "maintain."

// Set records the last run of a job.
func Set(ctx context.Context, db store.Memory, job string, run Run) error {
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, key+job, string(text)) })
}

// Succeeded records that the work of a failed job was done manually, so that its
// failure is not reported any more.
func Succeeded(ctx context.Context, tx store.Tx, job string) error {
	last, err := Last(ctx, tx)
	for name, run := range last {
		if err != nil || run.Failed == 0 || Job(name) != job {
			continue
		}
		var text []byte
		if text, err = json.Marshal(Run{At: run.At}); err == nil {
			err = tx.Settings().Set(ctx, key+name, string(text))
		}
	}
	return err
}

// Of returns the name under which a machine records the runs of a job, if it has
// directories that other machines with the same memory cannot write.
func Of(job, host string) string {
	if host == "" {
		return job
	}
	return job + "@" + host
}

// Job returns the job of such a name.
func Job(name string) string {
	job, _, _ := strings.Cut(name, "@")
	return job
}

// Ever reports whether a job ran on any machine.
func Ever(last map[string]Run, job string) bool {
	for name, run := range last {
		if Job(name) == job && !run.At.IsZero() {
			return true
		}
	}
	return false
}

// Last returns the last runs by job, or by name if machines record their own; see
// Of. An unreadable record is dropped: the job then runs once more.
func Last(ctx context.Context, tx store.Tx) (map[string]Run, error) {
	out := map[string]Run{}
	all, err := tx.Settings().All(ctx)
	for name, text := range all {
		job, ok := strings.CutPrefix(name, key)
		var run Run
		if ok && json.Unmarshal([]byte(text), &run) == nil {
			out[job] = run
		}
	}
	return out, err
}

// Latest returns the time of the latest run of any job; zero for none.
func Latest(last map[string]Run) time.Time {
	return slices.MaxFunc(append(slices.Collect(maps.Values(last)), Run{}), func(a, b Run) int { return a.At.Compare(b.At) }).At
}

// LatestRun reads the time of the latest run of any job; zero for none.
func LatestRun(ctx context.Context, db store.Memory) (at time.Time, err error) {
	err = db.View(ctx, func(tx store.Tx) error {
		last, err := Last(ctx, tx)
		at = Latest(last)
		return err
	})
	return at, err
}

// Check reports jobs with a failed last run, and when any job last ran.
func Check(ctx context.Context, tx store.Tx) (api.Check, error) {
	c := api.Check{Name: "maintenance", State: "ok", Reason: "never ran; cairn serve and cairn maintain do it"}
	last, err := Last(ctx, tx)
	if at := Latest(last); !at.IsZero() {
		c.Reason = "last ran on " + at.UTC().Format(time.RFC3339)
	}
	for _, job := range Jobs {
		for _, name := range slices.Sorted(maps.Keys(last)) {
			if run := last[name]; run.Failed > 0 && Job(name) == job {
				c.State, c.Remedy = "warning", "cairn maintain --force retries it and reports what to do"
				c.Items = append(c.Items, name+": "+run.Error)
			}
		}
	}
	if len(c.Items) > 0 {
		c.Reason = api.Plural(len(c.Items), "job") + " failed the last time"
	}
	return c, err
}
