package write

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxBatch is how many change sets are written together at most. It bounds
// how long the first of them waits for the others.
const maxBatch = 64

// maxBatchable is how many changes a call may have that is written together
// with others. More gain little, and each is compared with those of the others.
const maxBatchable = 4

// queues are the lines of callers in this process, one for each space that
// was written to.
type queues struct {
	mu      sync.Mutex
	bySpace map[int64]*queue
}

func (q *queues) of(space int64) *queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bySpace == nil {
		q.bySpace = map[int64]*queue{}
	}
	if q.bySpace[space] == nil {
		q.bySpace[space] = &queue{}
	}
	return q.bySpace[space]
}

// queue serves callers that wait for one space together: the first one leads,
// and writes for all that have arrived by the time that the space is locked.
// The first of the later ones leads next. No caller waits for a batch to fill,
// so a lone writer loses nothing.
type queue struct {
	mu      sync.Mutex
	led     bool
	waiting []*call // in the order in which they came

	// oneByOne is set while calls must see the changes of those before them: reads for several
	// of them are outdated after the first.
	oneByOne atomic.Bool
}

// call is one Apply that waits, or is being done.
type call struct {
	ctx   context.Context
	req   Request
	leads bool          // set before ready is closed
	ready chan struct{} // closed when it was answered, or shall lead

	linking []*Space // in addition to those of the changes, see Writer.linking
	actedOn []*Space // likewise, see Writer.openActedOn
	again   bool     // it was found out which those are
	ahead   bool     // what it reads in database spaces was read once
	shared  any      // what its Views share with those of other calls; nil for nothing
	set     *changeSet
	rec     *record
	entry   int64          // in the journal; 0 for none
	guarded []*guarded     // spaces of the call that commit
	kept    []*op          // with files changed by a hook or another program before a hook rejected it
	unlock  []func() error // of their repositories
	durable error          // the part that could not be flushed to disk

	res *Result // the answer
	err error
}

// errLed is for a caller that waits no longer for others of its process.
var errLed = kb.Errorf(kb.Conflict, "another caller of this process is writing to the space").
	WithHint("nothing was changed; try again in a moment").With("busy", true).Because(store.ErrBusy)

// newCall makes a call with the answer that it has when a panic keeps it from
// another.
func newCall(ctx context.Context, req Request) *call {
	return &call{
		ctx: ctx, req: req, ready: make(chan struct{}),
		err: kb.Errorf(kb.Internal, "the write was interrupted").WithHint("Check whether it happened before repeating it."),
	}
}

// join waits until c was answered, and reports true when c shall lead instead.
// A caller that goes away before it is served was not there, nor one that has no more patience.
func (q *queue) join(c *call) (leads bool) {
	q.mu.Lock()
	q.waiting = append(q.waiting, c)
	if !q.led {
		q.led, c.leads = true, true
		q.mu.Unlock()
		return true
	}
	q.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(c.ctx, store.Patience(c.ctx, math.MaxInt64), errLed)
	defer cancel()
	select {
	case <-c.ready:
		return c.leads
	case <-ctx.Done():
	}
	if q.leave(c) {
		c.err = context.Cause(ctx)
		return false
	}
	<-c.ready // it is being served, or leads
	return c.leads
}

// leave removes a caller from the queue unless it leads.
func (q *queue) leave(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, c)
	if i < 0 || c.leads {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// isLed reports whether somebody writes for the line.
func (q *queue) isLed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.led
}

// company reports whether others wait that can be written with the one that leads.
func (q *queue) company() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > 1 && !q.oneByOne.Load()
}

// take takes those out of the line who can be served together now, the leader
// first. It stops at one that must see what those before it do, so that all
// are served in their order.
func (q *queue) take() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	var paths []string
	n := 0
	for n < min(len(q.waiting), maxBatch) && !q.waiting[n].meets(paths) {
		for _, ch := range q.waiting[n].req.Changes {
			paths = append(paths, ch.Path)
		}
		n++
	}
	taken := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return taken
}

// putBack has calls wait again, before those that came later.
func (q *queue) putBack(calls []*call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(slices.Clone(calls), q.waiting...)
}

// all empties the line.
func (q *queue) all() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.waiting
	q.waiting = nil
	return taken
}

// pass makes the first who waits lead, now that c has done.
func (q *queue) pass(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(o *call) bool { return o == c }) // it cannot serve
	if q.led = len(q.waiting) > 0; q.led {
		q.waiting[0].leads = true
		close(q.waiting[0].ready)
	}
}

// failAll gives all of them the same error.
func failAll(calls []*call, err error) {
	for _, c := range calls {
		c.err = err
		if len(calls) > 1 {
			c.err = privateCopy(err)
		}
	}
}

// batchable reports whether the call may be served together with others: it
// changes only a few documents of one space, given by path. The effects of
// renames on other documents are looked up in the index, which does not yet
// have the rest of the batch.
func (c *call) batchable() bool {
	if c.req.DryRun || c.req.Within != nil || c.again || len(c.req.Changes) == 0 || len(c.req.Changes) > maxBatchable {
		return false
	}
	for _, ch := range c.req.Changes {
		if ch.Space.Row != c.req.Changes[0].Space.Row || ch.Space.Guards() {
			return false
		}
		switch a := ch.Action.(type) {
		case Move:
			return false
		case Edit:
			if renames(a.Edits) {
				return false
			}
		}
	}
	return true
}

// renames reports whether an edit gives the document another title.
func renames(edits []doc.Edit) bool {
	return slices.ContainsFunc(edits, func(e doc.Edit) bool {
		switch e := e.(type) {
		case doc.SetTitle:
			return true
		case doc.SetProperty:
			return strings.EqualFold(e.Key, "title")
		case doc.RemoveProperty:
			return strings.EqualFold(e.Key, "title")
		}
		return false
	})
}

// meets reports whether the call concerns any of the paths: the same document,
// or one that some system would take for it.
func (c *call) meets(paths []string) bool {
	return slices.ContainsFunc(c.req.Changes, func(ch Change) bool {
		return slices.Contains(paths, ch.Path) || vault.Collision(slices.Values(paths), ch.Path) != ""
	})
}

// privateCopy copies err for one of several callers: each may add to its error.
func privateCopy(err error) error {
	e := kb.AsError(err)
	mine := kb.Errorf(e.Code, "%s", e.Error()).Because(err).WithHintOf(e)
	mine.Details = maps.Clone(e.Details)
	return mine
}
