package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Work that is done before these shows nothing: a flash of a bar only
// disturbs. A log gets a line at most as often as logPause.
const (
	barAfter = 300 * time.Millisecond
	logAfter = 2 * time.Second
	logPause = 2 * time.Second
)

// progress shows how far long work is: a bar on a terminal, lines elsewhere,
// both on standard error. Its methods may be called from several goroutines.
type progress struct {
	p     *program
	begun time.Time

	mu     sync.Mutex
	logged time.Time
	bars   *mpb.Progress
	bar    *mpb.Bar
	phase  string
}

func (p *program) progress() *progress {
	return &progress{p: p, begun: p.env.Now()}
}

// report takes one step of the work; a total of 0 is not known yet.
func (g *progress) report(space, phase string, done, total int) {
	if g.p.flags.quiet {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.p.env.Now()
	if g.p.env.StderrTTY {
		g.draw(now, space, phase, done, total)
		return
	}
	if now.Sub(g.begun) < logAfter || now.Sub(g.logged) < logPause {
		return
	}
	g.logged = now
	g.p.note("%s", progressLine(space, phase, done, total))
}

func progressLine(space, phase string, done, total int) string {
	if total == 0 {
		return strings.TrimPrefix(fmt.Sprintf("sync %s: %s", space, phase), "sync : ")
	}
	return strings.TrimPrefix(fmt.Sprintf("sync %s: %s %d of %d", space, phase, done, total), "sync : ")
}

func (g *progress) draw(now time.Time, space, phase string, done, total int) {
	if g.bars == nil {
		if now.Sub(g.begun) < barAfter {
			return
		}
		g.bars = mpb.New(mpb.WithOutput(g.p.env.Stderr), mpb.WithWidth(60))
	}
	if label := space + ": " + phase; g.bar == nil || g.phase != label {
		g.drop()
		g.phase = label
		g.bar = g.bars.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(cleanLine(label), decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.CountersNoUnit("%d of %d")))
	}
	g.bar.SetTotal(int64(total), false)
	g.bar.SetCurrent(int64(done))
}

// drop takes the bar away, if there is one.
func (g *progress) drop() {
	if g.bar != nil {
		g.bar.Abort(true)
		g.bar = nil
	}
}

// stop takes the bar away and leaves the terminal as it was.
func (g *progress) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop()
	if g.bars != nil {
		g.bars.Wait()
		g.bars = nil
	}
}
