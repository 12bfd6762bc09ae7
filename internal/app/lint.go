package app

import "context"

// Lint says what is wrong with documents; see inspect.Engine.Lint.
func (a *App) Lint(ctx context.Context, req LintRequest) (Faults, error) {
	return a.inspect.Lint(ctx, req)
}
