package api

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// JobState is the state of a job after a run. The values are stable.
type JobState string

// States of a job.
const (
	JobDone    JobState = "done"    // with a dry run: it would be done
	JobFailed  JobState = "failed"  // a part of it may be done
	JobWaiting JobState = "waiting" // it is not due
)

// MaintainResult lists the outcome of jobs.
type MaintainResult struct {
	List[JobReport]
	DryRun bool `json:"dry_run,omitempty"`
	Busy   bool `json:"busy,omitempty"` // another process was running jobs, and nothing was done
}

// JobReport is the outcome of one job.
type JobReport struct {
	Job      string       `json:"job"`
	State    JobState     `json:"state"`
	Reason   string       `json:"reason"`             // why it is due or not
	Did      string       `json:"did,omitempty"`      // summary of its results
	Last     *time.Time   `json:"last_run,omitempty"` // before this time
	Next     *time.Time   `json:"next_run,omitempty"` // nil in a dry run of a job that is due
	Millis   int64        `json:"took_ms"`
	Failures []JobFailure `json:"failures,omitempty"`

	Sync      []SyncReport      `json:"sync,omitempty"`
	Embed     *EmbedReport      `json:"embed,omitempty"`
	Rotated   []RotationReport  `json:"rotated,omitempty"`
	Regions   []GeneratedReport `json:"regions,omitempty"`
	Expired   []RetentionReport `json:"expired,omitempty"`
	Stale     []SpacePass       `json:"stale,omitempty"`
	Compacted []ClusterDone     `json:"compacted,omitempty"`
	Committed []GitCommit       `json:"committed,omitempty"`
	Pushed    []GitPush         `json:"pushed,omitempty"`

	Routines []Announced `json:"routines,omitempty"` // routines that became due

	Prune *PruneResult `json:"prune,omitempty"`
	Check []Check      `json:"checks,omitempty"` // those that are not ok
}

// JobFailure is a failure of a job.
type JobFailure struct {
	Code    kb.Code `json:"code"`
	Message string  `json:"message"`
	Hint    string  `json:"hint,omitempty"`
}
