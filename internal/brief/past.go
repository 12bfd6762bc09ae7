package brief

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Limits of the lines about past sessions.
const (
	maxPast  = 3  // sessions
	maxSaid  = 60 // characters of a title, or of an open step
	maxSteps = 4
)

// pastLines formats two lines about the newest sessions of a project: their titles,
// and their open steps. Both are quoted, since they are text of requests.
func pastLines(past []api.PastSession) []string {
	var did, open []string
	for _, p := range past {
		line := fmt.Sprintf("%s %s %q", p.Ended.UTC().Format(time.DateOnly), p.Client, said(p.Title))
		var facts []string
		if n := len(p.Commits); n > 0 {
			facts = append(facts, api.Plural(n, "commit"))
		}
		if n := len(p.Files); n > 0 {
			facts = append(facts, api.Plural(n, "file"))
		}
		if len(facts) > 0 {
			line += " (" + strings.Join(facts, ", ") + ")"
		}
		did = append(did, line)
		for _, step := range p.Open {
			if step = fmt.Sprintf("%q", said(step)); len(open) < maxSteps && !slices.Contains(open, step) {
				open = append(open, step)
			}
		}
	}
	if len(did) == 0 {
		return nil
	}
	lines := []string{"Last sessions here: " + strings.Join(did, "; ") + "."}
	if len(open) > 0 {
		lines = append(lines, "They left open: "+strings.Join(open, "; ")+" (cairn sessions, recall).")
	}
	return lines
}

// said returns text as one line, cut between words.
func said(text string) string { return sentence.CutWords(kb.InLine(text), maxSaid) }
