package api

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Plural formats a number with its noun: "1 page", "2 pages".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Note formats an error as one line, for an answer that succeeds in spite of it.
func Note(e *kb.Error, hints kb.Hinter) string {
	if hint := hints.Of(e); hint != "" {
		return e.Message + " (" + hint + ")"
	}
	return e.Message
}
