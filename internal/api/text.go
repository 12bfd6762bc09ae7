package api

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Plural is a number with its noun: "1 page", "2 pages".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Note is an error in one line, for an answer that it does not prevent.
func Note(e *kb.Error, hints kb.Hinter) string {
	if hint := hints.Of(e); hint != "" {
		return e.Message + " (" + hint + ")"
	}
	return e.Message
}
