package app

import "github.com/cairn-kb/cairn/internal/check"

// Contradictions are statements of a memory that cannot all hold.
type Contradictions struct{ *check.Engine }

// Contradictions returns the statements that cannot all hold.
func (a *App) Contradictions() Contradictions { return Contradictions{a.check} }
