package app

import (
	"context"
	"io"

	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// Upkeep keeps a memory in shape: it finds what is wrong and mends it, does what
// is due, and copies or compacts the database.
type Upkeep struct{ app *App }

// Upkeep returns what keeps the memory in shape.
func (a *App) Upkeep() Upkeep { return Upkeep{a} }

// Doctor looks for what needs attention, and changes nothing; see health.Checker.Doctor and
// guard.Engine.Doctor.
func (u Upkeep) Doctor(ctx context.Context, deep bool) ([]Check, error) {
	all, err := u.app.health.Doctor(ctx, deep)
	if err != nil {
		return nil, err
	}
	more, err := u.app.guard.Doctor(ctx, deep)
	return append(all, more...), err
}

// Mend does what the checks' Fix says; see health.Checker.Mend.
func (u Upkeep) Mend(ctx context.Context, checks []Check) ([]Mended, error) {
	return u.app.health.Mend(ctx, checks)
}

// Fixable returns the checks that Mend would take on.
func Fixable(checks []Check) []Check { return doctor.Fixable(checks) }

// Validate reads everything that the memory holds and checks it against itself;
// see health.Checker.Validate.
func (u Upkeep) Validate(ctx context.Context, files bool) ([]Check, error) {
	return u.app.health.Validate(ctx, files)
}

// Relations checks the times of relations; see health.Checker.Relations.
func (u Upkeep) Relations(ctx context.Context) ([]Check, error) { return u.app.health.Relations(ctx) }

// Assertions checks what sidecars assert; see health.Checker.Assertions.
func (u Upkeep) Assertions(ctx context.Context) ([]Check, error) {
	return u.app.health.Assertions(ctx)
}

// Embeddings checks the embedding model and its vectors; see health.Checker.Embeddings.
func (u Upkeep) Embeddings(ctx context.Context) ([]Check, error) {
	return u.app.health.Embeddings(ctx)
}

// Dump writes the canonical dump of the memory; see health.Checker.Dump.
func (u Upkeep) Dump(ctx context.Context, w io.Writer) (Receipt, error) {
	return u.app.health.Dump(ctx, w)
}

// Maintain does the jobs that are due; see jobs.Runner.Maintain.
func (u Upkeep) Maintain(ctx context.Context, req MaintainRequest) (MaintainResult, error) {
	return u.app.jobs.Maintain(ctx, req)
}

// JobNames are the names of all jobs.
func JobNames() []string { return jobs.JobNames() }
