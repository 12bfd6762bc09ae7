package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/routine"
)

// Why a job of the calendar is due, or is not. The values are stable.
const (
	becauseDay  = "a day has begun"
	becauseNone = "no space has it in its policy"
	becauseDue  = "a routine is due"
)

// calendar is decide for a job that goes by moments. What was missed is done once, and
// what fails is tried again.
func (j job) calendar(ctx context.Context, m *Runner, last lastRun, now time.Time) (decision, error) {
	moment, next, err := j.moments(ctx, m, now)
	switch {
	case err != nil:
		return decision{}, err
	case next.IsZero():
		return decision{reason: becauseNone}, nil
	case last.Failed > 0 && !last.At.After(now):
		if again := last.At.Add(j.retry(last.Failed)); now.Before(again) {
			return decision{reason: becauseUnwell, next: again}, nil
		}
		return decision{due: true, reason: becauseFailed}, nil
	case last.At.IsZero():
		return decision{due: true, reason: becauseNever}, nil
	case last.At.After(now):
		return decision{due: true, reason: becauseClock}, nil
	case last.At.Before(moment):
		return decision{due: true, reason: j.because}, nil
	}
	return decision{reason: becauseNotYet, next: next}, nil
}

// eachPolicy calls do for each space whose policy can be read. One that cannot be is
// told of by the jobs that need it.
func (m *Runner) eachPolicy(ctx context.Context, do func(kb.Space, *policy.Policy)) error {
	all, err := m.Spaces.All(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		p, _, err := m.Spaces.Policy(ctx, s, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			do(s, p)
		}
	}
	return nil
}

// dayBegins says when the newest day of a space began that has pages of days, and when
// the next one will.
func dayBegins(ctx context.Context, m *Runner, now time.Time) (last, next time.Time, err error) {
	err = m.eachPolicy(ctx, func(_ kb.Space, p *policy.Policy) {
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

// rotateJob turns over the pages whose day is over.
func rotateJob(ctx context.Context, m *Runner, r *JobReport, req MaintainRequest) error {
	spaces, err := m.with(ctx, func(p *policy.Policy) bool { return len(p.Rotate) > 0 })
	if err != nil {
		return err
	}
	for _, s := range spaces {
		done, err := m.Rotation.Run(ctx, s, req.DryRun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Rotated = append(r.Rotated, done...)
		if err != nil {
			m.fail(r, err, s.Name)
		}
	}
	did := []string{api.Plural(len(r.Rotated), "page")}
	for _, x := range r.Rotated {
		did = append(did, fmt.Sprintf("%s: %s", x.Space, x))
	}
	r.Did = strings.Join(did, "; ")
	return nil
}

// with are the spaces whose policy has something.
func (m *Runner) with(ctx context.Context, has func(*policy.Policy) bool) (out []kb.Space, err error) {
	err = m.eachPolicy(ctx, func(s kb.Space, p *policy.Policy) {
		if has(p) {
			out = append(out, s)
		}
	})
	return out, err
}

// expireJob lets go of pages and sections whose time is over.
func expireJob(ctx context.Context, m *Runner, r *JobReport, req MaintainRequest) error {
	spaces, err := m.with(ctx, func(p *policy.Policy) bool { return len(p.Retention.Pages)+len(p.Retention.Sections) > 0 })
	if err != nil {
		return err
	}
	for _, s := range spaces {
		done, err := m.Expiry.Run(ctx, s, req.DryRun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Expired = append(r.Expired, done...)
		if err != nil {
			m.fail(r, err, s.Name)
		}
	}
	n := 0
	for _, x := range r.Expired {
		if x.Changes() {
			n++
		}
	}
	did := []string{api.Plural(n, "page")}
	for _, x := range r.Expired {
		did = append(did, fmt.Sprintf("%s: %s", x.Space, x))
	}
	r.Did = strings.Join(did, "; ")
	return nil
}

// When regions are made, so that who begins the day at four reads them.
const regionsHour, regionsMinute = 3, 45

// regionsDue says when the regions of spaces were last due, and when they will be next.
func regionsDue(ctx context.Context, m *Runner, now time.Time) (last, next time.Time, err error) {
	err = m.eachPolicy(ctx, func(_ kb.Space, p *policy.Policy) {
		if len(p.Regions) == 0 {
			return
		}
		zone := p.Calendar(now.Location()).Zone
		for day := calendar.On(now.In(zone)) - 1; ; day++ {
			at := calendar.At(zone, day, regionsHour, regionsMinute)
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

// regionsJob makes the parts of pages that are made from other pages.
func regionsJob(ctx context.Context, m *Runner, r *JobReport, req MaintainRequest) error {
	spaces, err := m.with(ctx, func(p *policy.Policy) bool { return len(p.Regions) > 0 })
	if err != nil {
		return err
	}
	n := 0
	var did []string
	for _, s := range spaces {
		done, err := m.Region.Run(ctx, s, req.DryRun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Regions = append(r.Regions, done...)
		for _, x := range done {
			if x.Problem == "" {
				n++
			}
			did = append(did, fmt.Sprintf("%s: %s", x.Space, x))
		}
		if err != nil {
			m.fail(r, err, s.Name)
		}
	}
	r.Did = strings.Join(append([]string{api.Plural(n, "page")}, did...), "; ")
	return nil
}

// routinesDue says that routines are due of which nobody was told, or when one will be.
func routinesDue(ctx context.Context, m *Runner, now time.Time) (last, next time.Time, err error) {
	spaces, err := m.with(ctx, func(p *policy.Policy) bool { return len(p.Routines) > 0 })
	if err != nil {
		return last, next, err
	}
	pending, next, err := m.Routine.Pending(ctx, spaces, nil)
	if len(pending) > 0 {
		return now, now, err
	}
	return last, next, err
}

// routinesJob tells of the routines that became due, and runs the command that the
// person's configuration has for them.
func routinesJob(ctx context.Context, m *Runner, r *JobReport, req MaintainRequest) error {
	spaces, err := m.with(ctx, func(p *policy.Policy) bool { return len(p.Routines) > 0 })
	if err != nil {
		return err
	}
	fail := func(err error, about string) { m.fail(r, err, about) }
	if req.DryRun {
		r.Routines, _, err = m.Routine.Pending(ctx, spaces, fail)
	} else {
		var command routine.Command
		if command, err = routine.CommandOf(m.Place); err == nil {
			r.Routines, err = m.Routine.Announce(ctx, spaces, command, fail)
		}
	}
	did := []string{api.Plural(len(r.Routines), "routine")}
	for _, x := range r.Routines {
		did = append(did, x.Space+": "+x.Name)
	}
	r.Did = strings.Join(did, "; ")
	return err
}
