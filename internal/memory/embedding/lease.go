package embedding

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// leaseTime is roughly how long the lock is held and how much work is at risk:
	// results are committed before another process gets the lock. A running call of
	// the model is completed first.
	leaseTime = time.Second
	// leasePause releases the lock to others for longer than their polling
	// interval.
	leasePause = fsys.LockPoll * 6 / 5
	// quietWait is how long to wait for the lock without reporting it.
	quietWait = 2 * time.Second
	// saveTime limits the commit of results computed before an interruption.
	saveTime = 5 * time.Second
)

// lease embeds and commits waiting pages for about leaseTime, while no other
// process embeds, and reports whether there may be more.
func (e *run) lease(ctx context.Context) (more bool, err error) {
	unlock, err := e.lock(ctx)
	switch {
	case errors.Is(err, store.ErrBusy) && e.wait < embedPatience:
		e.r.Busy = true
		return false, nil
	case errors.Is(err, store.ErrBusy):
		return false, kb.Errorf(kb.Conflict, "another cairn is embedding and was not done within %v", e.wait).Because(err).
			WithHint("Nothing is lost: the other process, or the next one, embeds the rest.").With("busy", true)
	case err != nil:
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	e.until = e.engine.Now().Add(leaseTime)
	for more = true; more && err == nil; {
		if more, err = e.portion(ctx); e.pausing() {
			break
		}
	}
	return more, err
}

// lock waits for other processes that embed, and reports a long wait.
func (e *run) lock(ctx context.Context) (unlock func() error, err error) {
	for left := e.wait; ; left -= quietWait {
		unlock, err := e.engine.DB.Lock(ctx, "embed", store.Lease, min(left, quietWait))
		if left <= quietWait || !errors.Is(err, store.ErrBusy) {
			return unlock, err
		}
		if e.report != nil {
			e.report("waiting for another cairn that embeds", 0, 0)
		}
	}
}

// pausing reports whether to start no new work under this lease.
func (e *run) pausing() bool { return e.spent() || !e.engine.Now().Before(e.until) }

// pause lets other processes take the lease.
func (e *run) pause(ctx context.Context) error { return world(e.engine).Wait(ctx, leasePause) }

// commit saves the computed vectors, also after an interruption.
func (e *run) commit(ctx context.Context, jobs []*pageJob) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	whole, err := e.save(ctx, jobs)
	if err == nil {
		e.done(whole)
	}
	return err
}

// job returns the work for a page, and continues the job begun under the previous
// lease: splitting a page of megabytes takes seconds.
func (e *run) job(ctx context.Context, tx store.Tx, p kb.Page) (*pageJob, error) {
	j := e.begun
	e.begun = nil
	if j == nil || j.row != p.Row || j.hash != p.Hash || j.path != p.Path {
		return newPageJob(ctx, e.engine, tx, e.m, p, e.again)
	}
	if e.again {
		return j, nil
	}
	return j, j.load(ctx, tx, e.m.Model()) // results of other processes in the meantime
}

// longPage is the number of chunks from which progress is reported in chunks of the
// page.
const longPage = 256

// progress reports the progress: in pages, and within a long page in chunks.
func (e *run) progress(at *pageJob) {
	switch {
	case e.report == nil:
	case at != nil && len(at.chunks) >= longPage:
		e.report("embedding chunks of one page", len(at.chunks)-at.waiting, len(at.chunks))
	case at == nil && (e.begun == nil || len(e.begun.chunks) < longPage):
		if e.work != nil && e.bytes != nil {
			e.work(e.worked, e.allWork)
		}
		e.report("embedding", e.r.Pages, e.total)
	}
}
