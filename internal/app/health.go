package app

import (
	"context"
	"io"

	"github.com/cairn-kb/cairn/internal/health"
	"github.com/cairn-kb/cairn/internal/jobs"
)

// Doctor looks for what needs attention, and changes nothing; see
// health.Checker.Doctor.
func (a *App) Doctor(ctx context.Context, deep bool) ([]Check, error) {
	return a.health.Doctor(ctx, deep)
}

// Mend does what the checks' Fix says; see health.Checker.Mend.
func (a *App) Mend(ctx context.Context, checks []Check) ([]Mended, error) {
	return a.health.Mend(ctx, checks)
}

// Fixable returns the checks that Mend would take on.
func Fixable(checks []Check) []Check { return health.Fixable(checks) }

// Validate reads everything that the memory holds and checks it against itself;
// see health.Checker.Validate.
func (a *App) Validate(ctx context.Context, files bool) ([]Check, error) {
	return a.health.Validate(ctx, files)
}

// Dump writes the canonical dump of the memory; see health.Checker.Dump.
func (a *App) Dump(ctx context.Context, w io.Writer) (Receipt, error) { return a.health.Dump(ctx, w) }

// Maintain does the jobs that are due; see jobs.Runner.Maintain.
func (a *App) Maintain(ctx context.Context, req MaintainRequest) (MaintainResult, error) {
	return a.jobs.Maintain(ctx, req)
}

// JobNames are the names of all jobs.
func JobNames() []string { return jobs.JobNames() }
