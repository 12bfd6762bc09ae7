package app

import "github.com/cairn-kb/cairn/internal/knowledge/conformity"

// Schemas say what notes of a type hold.
type Schemas struct{ *conformity.Engine }

// Schemas returns what says what notes of a type hold.
func (a *App) Schemas() Schemas { return Schemas{a.conform} }
