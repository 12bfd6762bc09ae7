package server

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// dueEvery is how often to look for jobs that are due. The first look is as
// long after the start, when there is other work to do. A look reads a few
// rows.
const dueEvery = time.Minute

// maintain does the jobs that are due, one at a time, but for those that the
// rest of the server does all the time.
func (s *Server) maintain(ctx context.Context) {
	r, err := jobs.Maintain(ctx, s.app, jobs.MaintainRequest{Beside: true})
	s.outcome(ctx, fault{part: Maintenance}, err)
	for _, j := range r.Items {
		switch about := (fault{part: Maintenance, job: j.Job}); j.State {
		case api.JobFailed:
			first := j.Failures[0]
			s.outcome(ctx, about, kb.Errorf(first.Code, "%s", first.Message).WithHint("%s", first.Hint))
		case api.JobDone:
			s.outcome(ctx, about, nil)
			s.say(Event{Kind: Maintained, Job: j.Job, Maintain: &j})
		}
	}
}
