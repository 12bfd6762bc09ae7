package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

// job is a periodic task.
type job struct {
	schedule
	name   string
	served bool // a server runs it whenever there is work
	// moments returns when the job was last due and when it is due next, by the
	// calendars of the spaces; nil for a job with an interval. Both times are zero
	// when no space has work for it.
	moments func(context.Context, *memory.Session, time.Time) (last, next time.Time, err error)
	because string // reason reported when moments makes it due
	// run runs the job and adds its results to the report. Independent failures are
	// failures in the report; other errors are returned.
	run func(context.Context, *memory.Session, *api.JobReport, MaintainRequest) error
}

// all lists the jobs in execution order: embedding follows sync, and pruning comes
// before the jobs that read the rest. Routine commands may be slow, and come last.
//
// Sync and embedding are cheap without changes, so they are due at every call,
// except twice in a row. The other jobs read much data, and the problems that they
// prevent grow over weeks.
var all = []job{
	{name: "sync", served: true, schedule: schedule{every: time.Minute}, run: syncJob},
	{name: "rotate", schedule: schedule{every: time.Hour}, moments: dayBegins, because: reasonDay, run: rotateJob},
	{name: "commit", schedule: schedule{every: time.Minute}, moments: commitWaits, because: reasonTime, run: commitJob},
	{name: "push", schedule: schedule{every: pushEvery}, moments: pushWaits, because: reasonTime, run: pushJob},
	{name: "embed", served: true, schedule: schedule{every: time.Minute}, run: embedJob},
	{name: "staleness", schedule: schedule{every: 24 * time.Hour, careful: true}, run: stalenessJob},
	{name: "expire", schedule: schedule{every: time.Hour, careful: true}, run: expireJob},
	{name: "compact", schedule: schedule{every: 24 * time.Hour, careful: true}, run: compactJob},
	{name: "retention", schedule: schedule{every: 24 * time.Hour, careful: true}, run: retentionJob},
	{name: "regions", schedule: schedule{every: 24 * time.Hour}, moments: regionsDue, run: regionsJob},
	{name: "merge", schedule: schedule{every: 24 * time.Hour}, run: mergeJob},
	{name: "check", schedule: schedule{every: 7 * 24 * time.Hour}, run: checkJob},
	{name: "routines", schedule: schedule{every: time.Hour}, moments: routinesDue, because: reasonDue, run: routinesJob},
}

// JobNames returns the names of all jobs.
func JobNames() []string {
	out := make([]string, len(all))
	for i, j := range all {
		out[i] = j.name
	}
	return out
}

// syncJob reads changed files of directories.
func syncJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	spaces, err := a.Spaces.Directories(ctx)
	if err != nil {
		return err
	}
	changed, failed := 0, 0
	for _, s := range spaces {
		report, err := freshness.Sync(ctx, a, s, freshness.Request{DryRun: req.DryRun, Progress: req.Progress})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			noteFailure(a, r, err, s.Name)
			continue
		}
		changed += report.Changes()
		failed += len(report.Failed)
		r.Sync = append(r.Sync, report)
	}
	r.Did = fmt.Sprintf("%s with %s", api.Plural(len(r.Sync), "space"), api.Plural(changed, "change"))
	if failed > 0 {
		r.Did += fmt.Sprintf(", %s could not be read", api.Plural(failed, "file"))
	}
	return nil
}

// embedJob embeds pages for semantic search.
func embedJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	m, err := embedding.ChosenModel(ctx, a)
	if kb.CodeOf(err) == kb.NotFound && !bge.Available() {
		r.Did = "there is no model"
		return nil
	}
	if err != nil {
		return err
	}
	if req.DryRun {
		left, err := embedding.Waiting(ctx, a, m.Name, nil)
		r.Did = api.Plural(left, "page")
		return err
	}
	ask := embedding.Request{All: true}
	if req.Progress != nil {
		ask.Progress = func(phase string, done, total int) { req.Progress("", phase, done, total) }
	}
	report, err := embedding.Embed(ctx, a, ask)
	r.Embed, r.Did = &report, api.Plural(report.Pages, "page")
	return err
}

// stalenessJob updates the status of pages by the rules of their spaces.
func stalenessJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	passed, err := ageing.Pass(ctx, a.Scheduled(), ageing.PassRequest{
		All: true, DryRun: req.DryRun, Failed: func(space string, err error) { noteFailure(a, r, err, space) },
	})
	if err != nil {
		return err
	}
	r.Stale = passed.Spaces
	stale, again := 0, 0
	for _, s := range passed.Spaces {
		stale, again = stale+len(s.Stale), again+len(s.Again)
	}
	r.Did = fmt.Sprintf("%s stale, %d active again", api.Plural(stale, "page"), again)
	for _, s := range passed.Spaces {
		if s.Held > 0 {
			r.Did += fmt.Sprintf("; %s: %d of %d held back, more than half", s.Space, s.Held, s.Active)
		}
	}
	return nil
}

// compactJob compacts stale pages in the spaces with a compaction schedule.
func compactJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	result, err := compact.Due(ctx, a.Scheduled(), compact.DueRequest{
		DryRun: req.DryRun, Force: req.Force, Failed: func(space string, err error) { noteFailure(a, r, err, space) },
	})
	if err != nil {
		return err
	}
	r.Compacted = result.Clusters
	done, waiting := 0, 0
	for _, c := range result.Clusters {
		if c.State == api.ClusterCompacted {
			done++
		} else {
			waiting++
		}
	}
	if r.Did = api.Plural(done, "cluster"); waiting > 0 {
		r.Did += fmt.Sprintf(", %d left", waiting)
	}
	return nil
}

// retentionJob prunes old texts, and the data of forgotten spaces. The free space
// stays in the file, for new texts.
func retentionJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	result, err := history.Prune(ctx, a, req.DryRun)
	if err != nil {
		return err
	}
	r.Prune, r.Did = &result, api.Plural(len(result.Items), "text")
	for _, s := range result.Failed {
		noteFailure(a, r, kb.Errorf(kb.Invalid, "%s", s.Reason).WithHint("Until its policy can be read, all of the space is kept."), s.Path)
	}
	expired, err := a.Spaces.RemoveExpired(ctx, req.DryRun)
	if len(expired) > 0 {
		r.Did += ", " + api.Plural(len(expired), "forgotten space")
	}
	return err
}

// mergeJob merges the full-text index for fast queries. Others write meanwhile: each part is a
// transaction of its own.
func mergeJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	if req.DryRun {
		return nil
	}
	for more := true; more; {
		if err := a.DB.Update(ctx, func(tx store.Tx) (err error) {
			more, err = a.Index.Text().MergeNext(ctx, tx.Lexical())
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkJob validates the memory, so that damage is found while there is still a
// backup from before it.
func checkJob(ctx context.Context, a *memory.Session, r *api.JobReport, req MaintainRequest) error {
	if req.DryRun {
		return nil
	}
	all, err := doctor.Validate(ctx, a, false)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.State == "error" {
			noteFailure(a, r, kb.Errorf(kb.Damaged, "%s", c.Reason).WithHint("%s", c.Remedy), c.Name)
		}
		if c.State != "ok" {
			r.Check = append(r.Check, c)
		}
	}
	r.Did = api.Plural(len(all), "check")
	return nil
}
