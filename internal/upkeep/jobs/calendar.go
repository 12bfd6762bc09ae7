package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/calendar/retention"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

// Reasons why a calendar job is due or not. The values are stable.
const (
	reasonDay       = "a day has begun"
	reasonNone      = "no policy asks for it"
	reasonBadPolicy = "skipped: a policy cannot be read"
	reasonDue       = "a routine is due"
)

// calendar is decide for a job with a calendar. Missed runs are made up for by one
// run, and a failed run is retried.
func (j job) calendar(ctx context.Context, m *memory.Session, last runs.Run, now time.Time) (decision, error) {
	moment, next, err := j.moments(ctx, m, now)
	switch {
	case err != nil:
		return decision{}, err
	case next.IsZero():
		reason := reasonNone
		if whole, err := policiesRead(ctx, m); err != nil || !whole {
			reason = reasonBadPolicy
		}
		return decision{reason: reason}, ctx.Err()
	case last.Failed > 0 && !last.At.After(now):
		if again := last.At.Add(j.retry(last.Failed)); now.Before(again) {
			return decision{reason: reasonUnwell, next: again}, nil
		}
		return decision{due: true, reason: reasonFailed}, nil
	case last.At.IsZero():
		return decision{due: true, reason: reasonNever}, nil
	case last.At.After(now):
		return decision{due: true, reason: reasonClock}, nil
	case last.At.Before(moment):
		return decision{due: true, reason: j.because}, nil
	}
	return decision{reason: reasonNotYet, next: next}, nil
}

// eachPolicy calls do for each space with a readable policy. The jobs that need an
// unreadable policy report it.
func eachPolicy(ctx context.Context, sess *memory.Session, do func(kb.Space, *policy.Policy)) error {
	all, err := sess.Spaces.All(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		p, _, err := sess.Spaces.Policy(ctx, s, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			do(s, p)
		}
	}
	return nil
}

// policiesRead reports whether the policies of all spaces can be read.
func policiesRead(ctx context.Context, sess *memory.Session) (bool, error) {
	all, err := sess.Spaces.All(ctx)
	read := 0
	if err == nil {
		err = eachPolicy(ctx, sess, func(kb.Space, *policy.Policy) { read++ })
	}
	return read == len(all), err
}

// dayBegins returns when the newest day of a space with rotating pages began, and
// when the next one begins.
func dayBegins(ctx context.Context, m *memory.Session, now time.Time) (last, next time.Time, err error) {
	err = eachPolicy(ctx, m, func(_ kb.Space, p *policy.Policy) {
		if len(p.Rotate) == 0 {
			return
		}
		days := p.Calendar(now.Location())
		if begin := days.Begin(days.Of(now)); begin.After(last) {
			last = begin
		}
		if begin := days.Next(now); next.IsZero() || begin.Before(next) {
			next = begin
		}
	})
	return last, next, err
}

// rotateJob rotates the pages with a past day.
func rotateJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) (err error) {
	r.Rotated, r.Did, err = work(ctx, m, r, day.Rotation.Wants, req, day.Rotation.Run,
		func(x api.RotationReport) string { return x.Space }, func(api.RotationReport) bool { return true })
	return err
}

// expireJob removes expired pages and sections.
func expireJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) (err error) {
	r.Expired, r.Did, err = work(ctx, m, r, retention.Retention.Wants, req, retention.Retention.Run,
		func(x api.RetentionReport) string { return x.Space }, api.RetentionReport.Changes)
	return err
}

// regionsJob regenerates the parts of pages derived from other pages.
func regionsJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) (err error) {
	r.Regions, r.Did, err = work(ctx, m, r, generated.Generated.Wants, req, generated.Run,
		func(x api.GeneratedReport) string { return x.Space }, func(x api.GeneratedReport) bool { return x.Problem == "" })
	return err
}

// work does one kind of calendar work in each space with a policy that enables it.
// It returns the reports, and a summary of the number of changed pages and the
// affected spaces.
func work[T fmt.Stringer](ctx context.Context, m *memory.Session, r *api.JobReport, wants func(*policy.Policy) bool, req MaintainRequest,
	run func(context.Context, *memory.Session, kb.Space, bool) ([]T, error), space func(T) string, changed func(T) bool) (all []T, did string, err error) {
	err = inEach(ctx, m, r, wants, func(s kb.Space) error {
		done, err := run(ctx, m.Scheduled(), s, req.DryRun)
		all = append(all, done...)
		return err
	})
	pages, out := 0, []string{""}
	for _, x := range all {
		if changed(x) {
			pages++
		}
		out = append(out, space(x)+": "+x.String())
	}
	out[0] = api.Plural(pages, "page")
	return all, strings.Join(out, "; "), err
}

// inEach calls do in each space with a policy that satisfies has. An error in
// one space does not stop the others.
func inEach(ctx context.Context, sess *memory.Session, r *api.JobReport, has func(*policy.Policy) bool, do func(kb.Space) error) error {
	spaces, err := with(ctx, sess, has)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		err := do(s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			noteFailure(sess, r, err, s.Name)
		}
	}
	return nil
}

// with returns the spaces with a policy that satisfies has.
func with(ctx context.Context, sess *memory.Session, has func(*policy.Policy) bool) (out []kb.Space, err error) {
	err = eachPolicy(ctx, sess, func(s kb.Space, p *policy.Policy) {
		if has(p) {
			out = append(out, s)
		}
	})
	return out, err
}

// regionsHour and regionsMinute are the time at which regions are generated, early
// enough for a day that begins at four.
const regionsHour, regionsMinute = 3, 45

// regionsDue returns when the regions of spaces were last due, and when they are
// due next.
func regionsDue(ctx context.Context, m *memory.Session, now time.Time) (last, next time.Time, err error) {
	err = eachPolicy(ctx, m, func(_ kb.Space, p *policy.Policy) {
		if len(p.Regions) == 0 {
			return
		}
		zone := p.Calendar(now.Location()).Zone
		for day := dates.On(now.In(zone)) - 1; ; day++ {
			at := dates.At(zone, day, regionsHour, regionsMinute)
			if at.After(now) {
				if next.IsZero() || at.Before(next) {
					next = at
				}
				return
			}
			if at.After(last) {
				last = at
			}
		}
	})
	return last, next, err
}

// routinesDue reports that routines are due and not announced yet, or when the next
// one is due.
func routinesDue(ctx context.Context, m *memory.Session, now time.Time) (last, next time.Time, err error) {
	spaces, err := with(ctx, m, func(p *policy.Policy) bool { return len(p.Routines) > 0 })
	if err != nil {
		return last, next, err
	}
	pending, next, err := routine.Pending(ctx, m, spaces, nil)
	if len(pending) > 0 {
		return now, now, err
	}
	return last, next, err
}

// routinesJob announces the routines that became due, and runs the command in the
// person's configuration for them.
func routinesJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) error {
	spaces, err := with(ctx, m, func(p *policy.Policy) bool { return len(p.Routines) > 0 })
	if err != nil {
		return err
	}
	fail := func(err error, about string) { noteFailure(m, r, err, about) }
	if req.DryRun {
		r.Routines, _, err = routine.Pending(ctx, m, spaces, fail)
	} else {
		var command routine.Command
		if command, err = routine.CommandOf(m.Place); err == nil {
			r.Routines, err = routine.Announce(ctx, m, spaces, command, fail)
		}
	}
	done := []string{api.Plural(len(r.Routines), "routine")}
	for _, x := range r.Routines {
		done = append(done, x.Space+": "+x.Name)
	}
	r.Did = strings.Join(done, "; ")
	return err
}
