package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Work that is done before these shows nothing: a flash of a bar only
// disturbs. A log gets a line at most as often as logPause.
const (
	barAfter = 300 * time.Millisecond
	logAfter = 2 * time.Second
	logPause = 2 * time.Second
)

// Progress shows how far long work is: a bar on a terminal, lines elsewhere.
// Its methods may be called from several goroutines.
type Progress struct {
	opts  ProgressOptions
	begun time.Time

	mu     sync.Mutex
	logged time.Time
	bars   *mpb.Progress
	free   func() // lets others draw again
	bar    *mpb.Bar
	left   *atomic.Value // the time left, of the bar
	phase  string        // with its space
	paces  map[string]*pace
	worked [2]int64 // how much work is done, and of how much, where the next report comes with it
}

// pace is how a phase goes. Phases may take turns: pages with the chunks of a
// long one.
type pace struct {
	since       time.Time // when it began
	first, last int64     // the work that was done then, and is now
	total       int64
	done        int // as it was reported
}

// ProgressOptions say where progress is shown, and how.
type ProgressOptions struct {
	Out   io.Writer               // where bars are drawn, nil for lines only
	Hold  func() (release func()) // keeps others from drawing there; nil where none do
	Note  func(line string)       // prints a line
	Quiet bool                    // shows nothing at all
	Now   func() time.Time
}

// NewProgress returns the progress of work that begins now.
func NewProgress(opts ProgressOptions) *Progress {
	return &Progress{opts: opts, begun: opts.Now(), paces: map[string]*pace{}}
}

// Work says how much work is done in the step that is reported next, where the
// steps are not equally much.
func (g *Progress) Work(done, total int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.worked = [2]int64{done, total}
}

// Report takes one step of the work; a total of 0 is not known yet.
func (g *Progress) Report(space, phase string, done, total int) {
	if g.opts.Quiet {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opts.Now()
	label := strings.TrimPrefix(space+": "+phase, ": ")
	worked := g.worked
	if g.worked = [2]int64{}; worked[1] == 0 {
		worked = [2]int64{int64(done), int64(total)}
	}
	pc := g.paces[label]
	again := pc == nil || done < pc.done // the next page's chunks, say
	if again {
		pc = &pace{since: now, first: worked[0]}
		g.paces[label] = pc
	}
	pc.last, pc.total, pc.done = worked[0], worked[1], done
	if again || label != g.phase {
		g.drop()
		g.phase = label
	}
	left := pc.left(now)
	if g.opts.Out != nil {
		g.draw(now, left, done, total)
		return
	}
	if now.Sub(g.begun) < logAfter || now.Sub(g.logged) < logPause {
		return
	}
	g.logged = now
	g.opts.Note(progressLine(space, phase, done, total) + left)
}

func progressLine(space, phase string, done, total int) string {
	if total == 0 {
		return strings.TrimPrefix(fmt.Sprintf("sync %s: %s", space, phase), "sync : ")
	}
	return strings.TrimPrefix(fmt.Sprintf("sync %s: %s %d of %d", space, phase, done, total), "sync : ")
}

// left says how long the rest of a phase takes if it goes on as it went; ""
// while that is a guess.
func (c pace) left(now time.Time) string {
	since, done := now.Sub(c.since), c.last-c.first
	if done <= 0 || c.last >= c.total || since < logAfter {
		return ""
	}
	left := time.Duration(float64(since) / float64(done) * float64(c.total-c.last))
	return fmt.Sprintf(", about %s left", kb.Roughly(left))
}

func (g *Progress) draw(now time.Time, left string, done, total int) {
	if g.bars == nil {
		if now.Sub(g.begun) < barAfter {
			return
		}
		if g.opts.Hold != nil {
			g.free = g.opts.Hold()
		}
		g.bars = mpb.New(mpb.WithOutput(g.opts.Out), mpb.WithWidth(60))
	}
	if g.bar == nil {
		text := &atomic.Value{}
		text.Store("")
		g.left = text
		g.bar = g.bars.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(safetext.Line(g.phase), decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.CountersNoUnit("%d of %d"), decor.Any(func(decor.Statistics) string { // called by the goroutine of the bar
				return text.Load().(string)
			})))
	}
	g.left.Store(left)
	g.bar.SetTotal(int64(total), false)
	g.bar.SetCurrent(int64(done))
}

// drop takes the bar away, if there is one.
func (g *Progress) drop() {
	if g.bar != nil {
		g.bar.Abort(true)
		g.bar = nil
	}
}

// Stop takes the bar away and leaves the terminal as it was.
func (g *Progress) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop()
	if g.bars != nil {
		g.bars.Wait()
		g.bars = nil
		if g.free != nil {
			g.free()
		}
	}
}
