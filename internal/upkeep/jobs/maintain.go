package jobs

import (
	"context"

	"errors"

	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

// MaintainRequest asks for the due jobs.
type MaintainRequest struct {
	Jobs     []string // only these; nil for all
	Force    bool     // run them even when they are not due
	DryRun   bool
	Beside   bool // without those that a server runs all the time
	Progress func(label, phase string, done, total int)
}

// noteFailure adds a failure of a job to its report.
func noteFailure(sess *memory.Session, r *api.JobReport, err error, about string) {
	e := kb.AsError(err)
	if about != "" {
		about += ": "
	}
	r.Failures = append(r.Failures, api.JobFailure{Code: e.Code, Message: about + e.Error(), Hint: sess.Hint.Of(e)})
}

// Maintain runs the due jobs, one after the other. A failed job does not stop the
// others, and is not an error of Maintain. While another process runs jobs, it does
// nothing.
func Maintain(ctx context.Context, sess *memory.Session, req MaintainRequest) (out api.MaintainResult, err error) {
	out = api.MaintainResult{List: api.List[api.JobReport]{Items: []api.JobReport{}}, DryRun: req.DryRun}
	todo, err := chooseJobs(req)
	if err != nil {
		return out, err
	}
	if !req.DryRun {
		unlock, err := sess.DB.Lock(ctx, "maintain", store.Exclusive, 0)
		if errors.Is(err, store.ErrBusy) {
			out.Busy = true
			return out, nil
		}
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	var last map[string]runs.Run
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		last, err = runs.Last(ctx, tx)
		return err
	})
	if err != nil {
		return out, err
	}
	seen := runs.Latest(last)
	host, err := hostOfRuns(ctx, sess)
	if err != nil {
		return out, err
	}
	for _, j := range todo {
		r, err := maintain(ctx, sess, j, host, last[runs.Of(j.name, host)], seen, req)
		if err != nil {
			return out, err
		}
		out.Items, out.Total = append(out.Items, r), out.Total+1
	}
	return out, nil
}

// hostOfRuns returns this machine if it hosts directories of a memory that other
// machines open as well. Jobs on the other machines leave out these directories.
func hostOfRuns(ctx context.Context, sess *memory.Session) (string, error) {
	spaces, err := sess.Spaces.Directories(ctx)
	for _, s := range spaces {
		if s.Host != "" {
			return s.Host, err
		}
	}
	return "", err
}

// chooseJobs returns the jobs of a request, in execution order.
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

// maintain checks one job and runs it when it is due.
func maintain(ctx context.Context, sess *memory.Session, j job, host string, last runs.Run, seen time.Time, req MaintainRequest) (api.JobReport, error) {
	begin := sess.Now()
	d := j.decide(last, seen, begin)
	if j.moments != nil {
		var err error
		if d, err = j.calendar(ctx, sess, last, begin); err != nil {
			return api.JobReport{}, err
		}
	}
	if req.Force {
		d = decision{due: true, reason: reasonAsked}
	}
	r := api.JobReport{Job: j.name, State: api.JobWaiting, Reason: d.reason}
	if !last.At.IsZero() && !last.PutOff {
		r.Last = new(last.At)
	}
	if !d.due {
		if !d.next.IsZero() {
			r.Next = new(d.next.UTC())
		}
		if d.reason == reasonNone && last.Failed > 0 && !req.DryRun {
			return r, runs.Set(ctx, sess.DB, runs.Of(j.name, host), runs.Run{At: last.At}) // the failed item does not exist any more
		}
		if d.putOff && !req.DryRun {
			return r, runs.Set(ctx, sess.DB, runs.Of(j.name, host), runs.Run{At: begin.UTC(), PutOff: true})
		}
		return r, nil
	}
	if err := j.run(ctx, sess, &r, req); err != nil {
		if ctx.Err() != nil { // interrupted: it starts over next time
			return r, err
		}
		noteFailure(sess, &r, err, "")
	}
	r.State = api.JobDone
	end := sess.Now() // in the zone of the machine, where the calendars of spaces without one are
	now := runs.Run{At: end.UTC()}
	r.Millis = end.Sub(begin).Milliseconds()
	if len(r.Failures) > 0 {
		r.State = api.JobFailed
		now.Failed, now.Error = last.Failed+1, r.Failures[0].Message
	}
	if req.DryRun {
		return r, nil
	}
	d = j.decide(now, now.At, now.At)
	if j.moments != nil {
		var err error
		if d, err = j.calendar(ctx, sess, now, end); err != nil {
			return r, err
		}
	}
	if !d.next.IsZero() {
		r.Next = new(d.next.UTC())
	}
	return r, runs.Set(ctx, sess.DB, runs.Of(j.name, host), now)
}
