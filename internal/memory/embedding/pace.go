package embedding

import (
	"time"

	"github.com/cairn-kb/cairn/internal/doc/chunk"
)

const (
	// paceTokens is the size of the first batch when time is short: about one
	// second of work for a server on a slow machine.
	paceTokens = 400
	// paceChunks is the maximum batch size when time is short: one request to a
	// server.
	paceChunks = 16
)

// pace decides how many chunks to compute at once when time is short and unfinished
// work is lost: few at first, and more while that is fast.
type pace struct {
	tokens int           // estimated tokens of the last batch
	last   time.Duration // duration of the last batch
}

// next returns how many of tasks to compute in the remaining time; 0 if the next
// batch would probably not be ready.
func (p *pace) next(tasks []task, left time.Duration) (n int) {
	switch {
	case p.tokens == 0:
		p.tokens = paceTokens
	case p.last > left:
		return 0
	case p.last < left/4:
		p.tokens *= 2
	}
	return min(few(tasks, min(p.tokens, embedTokens)), paceChunks)
}

// few returns how many of tasks to pass to the model at once: about a given number
// of tokens, but at least one task.
func few(tasks []task, most int) (n int) {
	for sum := 0; n < min(embedChunks, len(tasks)); n++ {
		if sum += chunk.Estimate(tasks[n].Text); sum > most && n > 0 {
			break
		}
	}
	return n
}
