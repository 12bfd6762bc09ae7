package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/calendar/retention"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/store"
)

// JobState says what became of a job. The values are stable.
type JobState string

// The states of a job.
const (
	JobDone    JobState = "done"    // with a dry run: it would be done
	JobFailed  JobState = "failed"  // a part of it may be done
	JobWaiting JobState = "waiting" // it is not due
)

// MaintainRequest asks for the jobs that are due.
type MaintainRequest struct {
	Jobs     []string // only these; nil for all
	Force    bool     // whether or not they are due
	DryRun   bool
	Beside   bool // without those that a server does all the time
	Progress func(label, phase string, done, total int)
}

// MaintainResult says what was done.
type MaintainResult struct {
	api.List[JobReport]
	DryRun bool `json:"dry_run,omitempty"`
	Busy   bool `json:"busy,omitempty"` // another process was at it, and nothing was done
}

// JobReport says what became of one job.
type JobReport struct {
	Job      string       `json:"job"`
	State    JobState     `json:"state"`
	Reason   string       `json:"reason"`             // why it is due, or is not
	Did      string       `json:"did,omitempty"`      // in words
	Last     *time.Time   `json:"last_run,omitempty"` // before this time
	Next     *time.Time   `json:"next_run,omitempty"` // nil in a dry run of a job that is due
	Millis   int64        `json:"took_ms"`
	Failures []JobFailure `json:"failures,omitempty"`

	Sync      []api.SyncReport   `json:"sync,omitempty"`
	Embed     *embedding.Report  `json:"embed,omitempty"`
	Rotated   []day.Report       `json:"rotated,omitempty"`
	Regions   []generated.Report `json:"regions,omitempty"`
	Expired   []retention.Report `json:"expired,omitempty"`
	Stale     []ageing.SpacePass `json:"stale,omitempty"`
	Compacted []compact.Done     `json:"compacted,omitempty"`
	Committed []api.GitCommit    `json:"committed,omitempty"`
	Pushed    []api.GitPush      `json:"pushed,omitempty"`

	Routines []routine.Announced `json:"routines,omitempty"` // that became due

	Prune *history.PruneResult `json:"prune,omitempty"`
	Check []api.Check          `json:"checks,omitempty"` // those that are not ok
}

// JobFailure is something that a job could not do.
type JobFailure struct {
	Code    kb.Code `json:"code"`
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`
}

// fail notes in a report what a job could not do.
func (m *Runner) fail(r *JobReport, err error, about string) {
	e := kb.AsError(err)
	if about != "" {
		about += ": "
	}
	r.Failures = append(r.Failures, JobFailure{e.Code, about + e.Error(), m.Hint.Of(e)})
}

// Maintain does the jobs that are due, one after the other. One that fails
// keeps no other from being done, and is no error of Maintain. When another
// process is at it, nothing is done.
func (m *Runner) Maintain(ctx context.Context, req MaintainRequest) (out MaintainResult, err error) {
	out = MaintainResult{List: api.List[JobReport]{Items: []JobReport{}}, DryRun: req.DryRun}
	todo, err := chooseJobs(req)
	if err != nil {
		return out, err
	}
	if !req.DryRun {
		unlock, err := m.DB.Lock(ctx, "maintain", store.Exclusive, 0)
		if errors.Is(err, store.ErrBusy) {
			out.Busy = true
			return out, nil
		}
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	var last map[string]lastRun
	err = m.DB.View(ctx, func(tx store.Tx) error {
		last, err = lastRuns(ctx, tx)
		return err
	})
	if err != nil {
		return out, err
	}
	seen := lastLook(last)
	for _, j := range todo {
		r, err := m.maintain(ctx, j, last[j.name], seen, req)
		if err != nil {
			return out, err
		}
		out.Items, out.Total = append(out.Items, r), out.Total+1
	}
	return out, nil
}

// chooseJobs returns the jobs that a request is about, in the order in which
// they are done.
func chooseJobs(req MaintainRequest) ([]job, error) {
	for _, name := range req.Jobs {
		if !slices.ContainsFunc(all, func(j job) bool { return j.name == name }) {
			return nil, kb.Errorf(kb.Usage, "there is no job %q", name).WithHint("Jobs are: %s.", strings.Join(JobNames(), ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(j job) bool {
		return req.Beside && j.served || req.Jobs != nil && !slices.Contains(req.Jobs, j.name)
	}), nil
}

// maintain looks at one job and does it when it is due.
func (m *Runner) maintain(ctx context.Context, j job, last lastRun, seen time.Time, req MaintainRequest) (JobReport, error) {
	begin := m.Now()
	d := j.decide(last, seen, begin)
	if j.moments != nil {
		var err error
		if d, err = j.calendar(ctx, m, last, begin); err != nil {
			return JobReport{}, err
		}
	}
	if req.Force {
		d = decision{due: true, reason: becauseAsked}
	}
	r := JobReport{Job: j.name, State: JobWaiting, Reason: d.reason}
	if !last.At.IsZero() && !last.PutOff {
		r.Last = new(last.At)
	}
	if !d.due {
		if !d.next.IsZero() {
			r.Next = new(d.next.UTC())
		}
		if d.putOff && !req.DryRun {
			return r, m.setLastRun(ctx, j.name, lastRun{At: begin.UTC(), PutOff: true})
		}
		return r, nil
	}
	if err := j.run(ctx, m, &r, req); err != nil {
		if ctx.Err() != nil { // stopped: it is begun again the next time
			return r, err
		}
		m.fail(&r, err, "")
	}
	r.State = JobDone
	now := lastRun{At: m.Now().UTC()}
	r.Millis = now.At.Sub(begin).Milliseconds()
	if len(r.Failures) > 0 {
		r.State = JobFailed
		now.Failed, now.Error = last.Failed+1, r.Failures[0].Message
	}
	if req.DryRun {
		return r, nil
	}
	d = j.decide(now, now.At, now.At)
	if j.moments != nil {
		var err error
		if d, err = j.calendar(ctx, m, now, now.At); err != nil {
			return r, err
		}
	}
	if !d.next.IsZero() {
		r.Next = new(d.next.UTC())
	}
	return r, m.setLastRun(ctx, j.name, now)
}

// runKey is where the last run of a job is kept.
const runKey = "maintain."

func (m *Runner) setLastRun(ctx context.Context, job string, run lastRun) error {
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return m.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, runKey+job, string(text)) })
}

// lastRuns returns what is remembered, by job. What cannot be read is
// forgotten: the job is then done once more.
func lastRuns(ctx context.Context, tx store.Tx) (map[string]lastRun, error) {
	out := map[string]lastRun{}
	all, err := tx.Settings().All(ctx)
	for key, text := range all {
		name, ok := strings.CutPrefix(key, runKey)
		var run lastRun
		if ok && json.Unmarshal([]byte(text), &run) == nil {
			out[name] = run
		}
	}
	return out, err
}

// lastLook is when the memory was last looked after; zero for never.
func lastLook(last map[string]lastRun) time.Time {
	return slices.MaxFunc(append(slices.Collect(maps.Values(last)), lastRun{}), func(a, b lastRun) int { return a.At.Compare(b.At) }).At
}

// LastRun is when the memory was last looked after; zero for never.
func (m *Runner) LastRun(ctx context.Context) (at time.Time, err error) {
	err = m.DB.View(ctx, func(tx store.Tx) error {
		last, err := lastRuns(ctx, tx)
		at = lastLook(last)
		return err
	})
	return at, err
}

// Check reports jobs that failed the last time, and when the memory
// was last looked after.
func (m *Runner) Check(ctx context.Context, tx store.Tx) (api.Check, error) {
	c := api.Check{Name: "maintenance", State: "ok", Reason: "never ran; cairn serve and cairn maintain do it"}
	last, err := lastRuns(ctx, tx)
	if at := lastLook(last); !at.IsZero() {
		c.Reason = "last ran on " + at.UTC().Format(time.RFC3339)
	}
	for _, j := range all {
		if run := last[j.name]; run.Failed > 0 {
			c.State, c.Remedy = "warning", "cairn maintain --force tries again, and says what to do"
			c.Items = append(c.Items, j.name+": "+run.Error)
		}
	}
	if len(c.Items) > 0 {
		c.Reason = api.Plural(len(c.Items), "job") + " failed the last time"
	}
	return c, err
}
