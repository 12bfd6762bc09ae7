package embedding

import (
	"time"

	"github.com/cairn-kb/cairn/internal/doc/chunk"
)

const (
	// paceTokens is how much is computed first where time is short: what a server
	// on a slow machine does in a second.
	paceTokens = 400
	// paceChunks is the most that is computed at once then: what a server is sent
	// in one request.
	paceChunks = 16
)

// pace decides how many chunks to compute at once where time is short and
// unfinished work is lost: few at first, and more while that is quick.
type pace struct {
	tokens int           // that the last ones could have
	last   time.Duration // that they took
}

// next returns how many of tasks to compute in the time that is left; 0 where
// the next ones would hardly be ready.
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

// few returns how many of tasks the model is given at once: of about so many tokens,
// but at least one.
func few(tasks []task, most int) (n int) {
	for sum := 0; n < min(embedChunks, len(tasks)); n++ {
		if sum += chunk.Estimate(tasks[n].Text); sum > most && n > 0 {
			break
		}
	}
	return n
}
