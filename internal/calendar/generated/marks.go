package generated

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
)

// find returns the span between the marks of a document: whole lines without marks.
// problem is the reason when no such span exists. Marks in code blocks are text.
func find(text []byte, mark string) (inner doc.Span, problem string) {
	opening, closing := "<!-- "+mark+" -->", "<!-- /"+mark+" -->"
	var (
		opened, closed int
		fence          string
		at             int
	)
	for line := range strings.Lines(string(text)) {
		begin := at
		at += len(line)
		plain := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "# "))
		if fence != "" {
			if strings.HasPrefix(plain, fence) && strings.Trim(plain, fence[:1]) == "" {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(plain, "```") || strings.HasPrefix(plain, "~~~") {
			fence = plain[:len(plain)-len(strings.TrimLeft(plain, plain[:1]))] // a shorter one within does not end it
			continue
		}
		switch plain {
		case opening:
			if opened++; opened > closed+1 {
				return inner, "the mark " + opening + " is inside another"
			}
			if inner.Start = at; !strings.HasSuffix(line, "\n") {
				return inner, "the mark " + closing + " is missing"
			}
		case closing:
			if closed++; closed > opened {
				return inner, "the mark " + closing + " precedes " + opening
			}
			inner.End = begin
		}
	}
	switch {
	case opened == 0:
		return inner, "the marks " + opening + " and " + closing + " are missing"
	case closed < opened:
		return inner, "the mark " + closing + " is missing"
	case opened > 1:
		return inner, "the marks " + opening + " and " + closing + " occur twice"
	}
	return inner, ""
}
