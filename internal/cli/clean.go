package cli

import "github.com/cairn-kb/cairn/internal/safetext"

// cleanText returns text that is safe to show on a terminal. Newlines and tabs
// stay.
func cleanText(text string) string { return safetext.Text(text) }

// cleanLine is cleanText for one line: newlines and tabs become spaces.
func cleanLine(text string) string { return safetext.Line(text) }
