package jobs

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// commitWaits reports when something in a guarded space may have to be committed.
func commitWaits(ctx context.Context, m *memory.Session, now time.Time) (last, next time.Time, err error) {
	guarded, commit, _, err := gitsync.Waits(ctx, m)
	return waits(guarded, commit, time.Minute, now, err)
}

// pushWaits reports when something in a guarded space may have to be pushed.
func pushWaits(ctx context.Context, m *memory.Session, now time.Time) (last, next time.Time, err error) {
	guarded, _, push, err := gitsync.Waits(ctx, m)
	return waits(guarded, push, pushEvery, now, err)
}

// pushEvery is the interval between pushes.
const pushEvery = 15 * time.Minute

func waits(guarded, now bool, every time.Duration, at time.Time, err error) (last, next time.Time, _ error) {
	if err != nil || !guarded {
		return time.Time{}, time.Time{}, err
	}
	if last = at.Truncate(every); !now {
		last = time.Time{}
	}
	return last, at.Truncate(every).Add(every), nil
}

// commitJob commits changes by other programs, and pending commits of writes.
func commitJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) error {
	if req.DryRun {
		r.Did = "nothing in a dry run"
		return nil
	}
	done, err := gitsync.CommitSettled(ctx, m, func(space string, err error) { noteFailure(m, r, err, space) })
	files, left := 0, 0
	for _, c := range done {
		files += len(c.Files)
		left += len(c.Left)
	}
	r.Committed, r.Did = done, api.Plural(files, "file")
	if left > 0 {
		r.Did += ", " + api.Plural(left, "fatal fault") + " in others"
	}
	return err
}

// pushJob pushes new commits.
func pushJob(ctx context.Context, m *memory.Session, r *api.JobReport, req MaintainRequest) error {
	if req.DryRun {
		r.Did = "nothing in a dry run"
		return nil
	}
	done, err := gitsync.PushAll(ctx, m, func(space string, err error) { noteFailure(m, r, err, space) })
	n := 0
	for _, p := range done {
		n += p.Pushed
	}
	r.Pushed, r.Did = done, api.Plural(n, "commit")
	return err
}
