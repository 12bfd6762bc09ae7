package write

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// Writer changes pages. Its fields are set once, before use.
type Writer struct {
	Memory store.Memory
	Index  *index.Index
	Codecs []doc.Codec
	Now    func() time.Time
	Mask   index.Mask // text that the index must not see

	// Lock takes the exclusive lock of a space against other writers.
	Lock func(ctx context.Context, space kb.Space) (unlock func() error, err error)

	// Step is called before every step; an error stops there like a crash,
	// without cleanup. Only tests set it.
	Step func(Step) error

	// open is what Recover was given, for what other processes leave
	// unfinished later.
	open func(context.Context, int64) (*Space, error)

	queues queues
}

// Step names a point of the write path at which a process may die.
type Step string

// The steps, in order. Change sets that are processed together take StepRead
// and StepCheck once each, and the others once for all; each document has a
// StepReplace. StepStaged comes after several files were flushed together and
// before any is in place.
const (
	StepLock    Step = "lock"
	StepRead    Step = "read"
	StepCheck   Step = "check"
	StepJournal Step = "journal"
	StepStaged  Step = "staged"
	StepReplace Step = "replace"
	StepCommit  Step = "commit" // only where a space of the call commits
	StepIndex   Step = "index"
	StepDone    Step = "done"
)

// errStopped marks an error of Step: the write must not tidy up after itself.
var errStopped = errors.New("stopped")

// Apply applies a change set. Errors have the codes of the steps: kb.Refused by
// policy, kb.Conflict for a stale version, kb.Invalid, kb.Secret, and those of
// fsys.Explain. An error means that nothing changed, unless it wraps
// fsys.ErrNotDurable.
//
// Callers that wait for the same space are served together: their changes reach
// the disk with as few flushes as one of them needs. Each gets its own answer,
// as if they had run one by one, and only after its change is on disk.
func (w *Writer) Apply(ctx context.Context, req Request) (*Result, error) {
	store.Part(ctx, w.Memory)       // others may write until the spaces are locked
	defer store.Part(ctx, w.Memory) // the caller reads the writes of the whole batch
	c := newCall(ctx, req)
	w.serve(c)
	if far := (touchesOtherSpaces{}); errors.As(c.err, &far) {
		c = newCall(ctx, req)
		if err := w.openActedOn(c, far.spaces); err != nil {
			return nil, err
		}
		w.serve(c)
	}
	return c.res, c.err
}

// serve does a call, or waits until somebody else did.
func (w *Writer) serve(c *call) {
	q := &queue{} // of its own
	if c.batchable() {
		q = w.queues.of(c.req.Changes[0].Space.Row)
	}
	if q.join(c) {
		w.lead(c, q)
	}
}

// lead serves the callers that wait with c, then passes the lead to the next
// one.
func (w *Writer) lead(c *call, q *queue) {
	var calls []*call
	defer func() {
		for _, o := range calls {
			if o != c {
				close(o.ready)
			}
		}
		q.pass(c)
	}()
	unlock, err := w.lock(c, q)
	if err != nil {
		calls = []*call{c}
		if errors.Is(err, store.ErrBusy) {
			calls = q.all() // they have waited, too, and would for a multiple of it if each tried
		}
		failAll(calls, err)
		return
	}
	defer func() {
		if err := unlock(); err != nil {
			for _, o := range calls {
				o.err = errors.Join(o.err, err)
			}
		}
	}()
	calls = q.take()
	defer func() {
		for _, o := range calls {
			o.release()
		}
	}()
	rest, err := w.write(calls, q)
	if err != nil {
		failAll(calls, err)
		return
	}
	calls = calls[:len(calls)-len(rest)]
	q.putBack(rest)
}

// maxRounds is in how many parts the calls of a batch are written that must see what those before
// them do. The rest gets another turn, after the processes that wait for the space meanwhile.
const maxRounds = 4

func (w *Writer) lock(c *call, q *queue) (unlock func() error, err error) {
	if err := w.step(StepLock); err != nil {
		return nil, err
	}
	if !c.batchable() {
		if c.linking, err = w.linking(c.ctx, c.req.Changes); err != nil {
			return nil, err
		}
		for _, s := range c.actedOn {
			if !slices.ContainsFunc(c.linking, func(o *Space) bool { return o.Row == s.Row }) {
				c.linking = append(c.linking, s)
			}
		}
	}
	return w.enter(c.ctx, inOrder(append(spacesOf(c.req.Changes), c.linking...)), func() error {
		if q.company() {
			return nil // see readTogether
		}
		return w.readAhead(c.ctx, c)
	})
}

// write applies calls with locked spaces, and returns the last ones that it left. An error of one of
// them is reported to it alone; an error of write stops all of them.
func (w *Writer) write(calls []*call, q *queue) (left []*call, err error) {
	leave := func() {}
	if !q.oneByOne.Load() {
		if leave, err = w.readTogether(calls); err != nil {
			return nil, err
		}
	}
	defer func() { leave() }()
	for range maxRounds {
		if len(calls) == 0 {
			break
		}
		changed, rest, err := w.prepareAll(calls)
		q.oneByOne.Store(len(changed) < 2 && len(rest) > 0)
		leave()
		leave = func() {}
		for _, c := range rest {
			c.shared = nil // of before the others
		}
		if err == nil && len(changed) > 0 {
			err = w.commit(changed)
		}
		if err != nil {
			return nil, err
		}
		calls = rest
	}
	return calls, nil
}

// prepareAll computes the changes of calls, and returns those that change
// something. The rest begins with a call that depends on their results: it may
// be refused now but not after them, and an id may belong to another page.
func (w *Writer) prepareAll(calls []*call) (changed, rest []*call, err error) {
	ids := map[kb.ID]bool{}
	for i, c := range calls {
		err := w.prepare(c)
		nothing := err != nil || c.req.DryRun || !c.set.changed()
		switch {
		case errors.Is(err, errStopped):
			return nil, nil, err
		case (nothing || c.set.alone) && len(changed) > 0:
			return changed, calls[i:], nil
		case err != nil:
			c.err = err
			continue
		case nothing:
			c.res, c.err = c.set.preview(c.ctx)
			continue
		}
		if len(calls) > 1 {
			mine := c.set.ids()
			if slices.ContainsFunc(mine, func(id kb.ID) bool { return ids[id] }) {
				return changed, calls[i:], nil
			}
			for _, id := range mine {
				ids[id] = true
			}
		}
		if changed = append(changed, c); c.set.alone { // the next one often is so, too
			return changed, calls[i+1:], nil
		}
	}
	return changed, nil, nil
}

// prepare computes the changes of a call, and checks them.
func (w *Writer) prepare(c *call) error {
	if err := w.step(StepRead); err != nil {
		return err
	}
	if err := w.guard(c); err != nil {
		return err
	}
	err := w.work(c)
	if errors.Is(err, store.ErrOvertaken) {
		err = w.work(c)
	}
	return err
}

// work computes and checks the new documents of a call.
func (w *Writer) work(c *call) error {
	ctx, leave, err := w.joined(c)
	if err != nil {
		return err
	}
	defer leave()
	c.set = w.newSet(c)
	if err := c.set.read(ctx); err != nil {
		return err
	}
	if err := w.step(StepCheck); err != nil {
		return err
	}
	if err := c.set.check(ctx); err != nil {
		return err
	}
	if err := indexFiles(ctx, c.set); err != nil {
		return err
	}
	if err := w.checkRepositories(c); err != nil {
		return err
	}
	return ctx.Err()
}

func (w *Writer) newSet(c *call) *changeSet {
	return &changeSet{w: w, req: c.req, now: w.Now(), linking: c.linking, again: c.again}
}

// joined returns a context for the preparation of a call. Where it reads no files, it reads
// one state of the memory.
func (w *Writer) joined(c *call) (ctx context.Context, leave func(), err error) {
	if slices.ContainsFunc(c.req.Changes, func(ch Change) bool { return ch.Space.Files != nil }) {
		return c.ctx, func() {}, nil
	}
	if shared := c.shared; shared != nil {
		c.shared = nil // others may have written before it is prepared again
		return store.WithJoint(c.ctx, shared), func() {}, nil
	}
	ctx, end := store.Join(c.ctx, w.Memory)
	leave = func() {
		store.Part(ctx, w.Memory)
		end()
	}
	if err := w.readAhead(ctx, c); err != nil {
		leave()
		return nil, nil, err
	}
	c.ahead = false // others may have written before it is prepared again
	return ctx, leave, nil
}

// readTogether makes the reads of the preparation of several calls, which share what the Views of
// one call share otherwise until leave is called.
func (w *Writer) readTogether(calls []*call) (leave func(), err error) {
	var all []*call
	for _, c := range calls {
		if c.foreseeable() {
			all = append(all, c)
		}
	}
	if len(all) < 2 {
		return func() {}, nil
	}
	ctx, done := mergedContext(all)
	ctx, end := store.Join(store.Apart(ctx), w.Memory)
	leave = func() {
		store.Part(ctx, w.Memory)
		end()
		done()
	}
	if err := store.ForeseeViews(ctx, w.Memory, func() {
		for _, c := range all {
			w.foresee(ctx, c)
		}
	}); err != nil {
		leave()
		return nil, err
	}
	for _, c := range all {
		c.shared = store.JointOf(ctx)
	}
	return leave, nil
}

// foreseen is how long the new texts of a call may be that is worked out several times to
// read from a server in few round trips, in bytes.
const foreseen = 256 << 10

// readAhead makes the reads of the preparation of a small call in database spaces, and those
// that come before it with the locks of its spaces.
func (w *Writer) readAhead(ctx context.Context, c *call) error {
	if c.ahead || !c.foreseeable() {
		return nil
	}
	return store.ForeseeViews(ctx, w.Memory, func() {
		c.ahead = true
		w.foresee(ctx, c)
	})
}

// Ahead makes the reads that Apply will make, as far as it has them foreseen. It is a part of
// what store.ForeseeViews runs. Where others write to the space it does nothing: all of it would be
// read again after them.
func (w *Writer) Ahead(ctx context.Context, req Request) {
	if c := newCall(ctx, req); c.foreseeable() && !w.queues.of(req.Changes[0].Space.Row).isLed() {
		w.foresee(ctx, c)
	}
}

// foreseeable reports whether the call is small, and in database spaces. What follows a move
// reads much, and differs.
func (c *call) foreseeable() bool {
	size := 0
	for _, ch := range c.req.Changes {
		if ch.Space.Files != nil {
			return false
		}
		if put, ok := ch.Action.(Put); ok {
			size += len(put.Bytes)
		}
	}
	return size <= foreseen && c.batchable()
}

func (w *Writer) foresee(ctx context.Context, c *call) {
	_, _ = w.pendingEntries(ctx)
	set := w.newSet(c)
	if set.read(ctx) != nil || set.check(ctx) != nil {
		return
	}
	_ = w.Memory.View(ctx, func(tx store.Tx) error {
		done, _ := w.indexed(set)
		w.Index.Ahead(ctx, tx, done)
		return nil
	})
}

// read computes the new documents of a set.
func (s *changeSet) read(ctx context.Context) error {
	if err := s.doAll(ctx); err != nil {
		return err
	}
	if err := s.checkPageNames(ctx); err != nil {
		return err
	}
	if err := s.checkTimelines(ctx); err != nil {
		return err
	}
	if err := s.applyLinkEffects(ctx); err != nil {
		return err
	}
	if err := s.followParts(ctx); err != nil {
		return err
	}
	if err := s.keepTargets(ctx); err != nil {
		return err
	}
	if err := s.followLinks(ctx); err != nil {
		return err
	}
	if err := stampDocuments(s); err != nil {
		return err
	}
	return s.keepIDs(ctx)
}

// commit makes checked change sets true.
func (w *Writer) commit(calls []*call) error {
	if err := w.step(StepJournal); err != nil {
		return err
	}
	ctx, done := mergedContext(calls)
	defer done()
	calls = inBatch(calls, func(calls []*call) error { return w.appendJournal(ctx, calls) })
	files, err := w.stage(calls)
	defer files.close()
	if err != nil {
		return err
	}
	var replaced []*call
	for _, c := range calls {
		durable, err := w.replaceAll(c.ctx, c.set, c.rec, files)
		switch {
		case errors.Is(err, errStopped):
			return err
		case err != nil:
			c.err = w.abandon(c, err, files.without(c.rec))
		default:
			c.durable = durable
			replaced = append(replaced, c)
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	flushDirs(replaced)
	if replaced, err = w.commitAll(replaced, files); err != nil || len(replaced) == 0 {
		return err
	}
	if err := w.step(StepIndex); err != nil {
		return err
	}
	if slices.ContainsFunc(replaced, func(c *call) bool { return c.entry != 0 }) {
		// Files are replaced: from here on the change is true, and a caller who
		// goes away must not leave it half recorded.
		ctx = context.WithoutCancel(ctx)
	}
	inBatch(replaced, func(calls []*call) error { return w.record(ctx, calls) })
	for _, c := range replaced {
		removeEmptied(c.req.Changes)
	}
	return w.step(StepDone)
}

// removeEmptied removes the directories that changes moved or deleted as a whole, where no
// other files are in them.
func removeEmptied(changes []Change) {
	last := Change{}
	for _, c := range changes {
		if c.Dir != "" && c.Space.Files != nil && (c.Space != last.Space || c.Dir != last.Dir) {
			fsys.RemoveEmptied(c.Space.Files, c.Dir)
			last = c
		}
	}
}

// commitAll commits calls with their files in place to git, and returns those
// that were not reverted.
func (w *Writer) commitAll(calls []*call, files *staged) (stand []*call, err error) {
	for _, c := range calls {
		if len(c.guarded) > 0 {
			if err := w.step(StepCommit); err != nil {
				return nil, err
			}
			if err := w.commitFiles(c); err != nil {
				if c.err = w.abandon(c, err, files.without(c.rec)); len(c.kept) > 0 {
					c.err = errors.Join(c.err, c.forgetHooked())
				}
				continue
			}
		}
		stand = append(stand, c)
	}
	return stand, nil
}

// mergedContext returns a context that is done when all callers have gone away:
// cancelling one does not cancel the batch. Without it, a wait for another
// process would outlast all callers.
func mergedContext(calls []*call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(calls[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(calls)))
	stops := make([]func() bool, len(calls))
	for i, c := range calls {
		stops[i] = context.AfterFunc(c.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// inBatch runs f for all calls at once. If that fails, it runs it for each
// call, so that each gets its own error. It returns the calls that succeeded.
func inBatch(calls []*call, f func([]*call) error) []*call {
	err := f(calls)
	if err == nil {
		return calls
	}
	if len(calls) == 1 || kb.AsError(err).Details["busy"] != nil { // each would wait as long again
		failAll(calls, err)
		return nil
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c *call) bool {
		c.err = f([]*call{c})
		return c.err != nil
	})
}

// replaceAll puts every document's new bytes in place: staged ones side by side, after
// the files that free names and take them. After a change that could not be flushed it
// continues; durable then reports it.
func (w *Writer) replaceAll(ctx context.Context, set *changeSet, rec *record, waiting *staged) (durable, err error) {
	var (
		g      errgroup.Group
		failed atomic.Bool
		errs   = make([]error, len(rec.Ops))
	)
	g.SetLimit(sideBySide)
	for i := range rec.Ops {
		op := &rec.Ops[i]
		files := set.space(op.Space).Files
		if files == nil {
			continue // a row: the index transaction writes it
		}
		if failed.Load() {
			break
		}
		if err := w.step(StepReplace); err != nil {
			return nil, errors.Join(err, g.Wait())
		}
		f, ok := waiting.take(op)
		do := func(replace func() error) {
			errs[i] = fsys.Explain(replace(), "write %s", op.Path)
			if errs[i] != nil && !errors.Is(errs[i], fsys.ErrNotDurable) {
				failed.Store(true)
			}
		}
		if !ok {
			do(func() error { return op.replace(ctx, files, inPlace) })
			continue
		}
		g.Go(func() error {
			do(func() error { return f.place(ctx) })
			return nil // reported below
		})
	}
	_ = g.Wait() // no function of it fails
	for _, err := range errs {
		switch {
		case errors.Is(err, fsys.ErrNotDurable):
			durable = err
		case err != nil:
			return nil, err
		}
	}
	return durable, nil
}

// abandon reverts the replaced files of a failed change set. If that fails,
// too, the journal entry stays, and Recover decides. Staged files of other
// change sets stay.
func (w *Writer) abandon(c *call, cause error, waiting *staged) error {
	ctx, rec := context.WithoutCancel(c.ctx), c.rec
	broken := func(err error) error {
		return errors.Join(kb.Errorf(kb.CodeOf(cause), "a change of %d documents was interrupted and could not be rolled back: %w", len(rec.Ops), cause).
			WithHint("Nothing was lost: the next command finishes it from the journal."), err)
	}
	if err := w.rescue(ctx, rec, c.set.space, waiting.has); err != nil {
		return broken(err)
	}
	for i := len(rec.Ops) - 1; i >= 0; i-- {
		op := &rec.Ops[i]
		space := c.set.space(op.Space)
		if space.Files == nil {
			continue
		}
		err := op.takeBack(ctx, space.Files)
		if err == nil {
			err = rec.present(space) // missing files look like ones that never existed
		}
		if err != nil {
			return broken(err)
		}
	}
	if err := w.clearJournal(ctx, c.entry); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// lockAll locks spaces, which are in order of their ids, so that two change
// sets never wait for each other.
func (w *Writer) lockAll(ctx context.Context, spaces []*Space) (unlock func() error, err error) {
	var held []func() error
	unlock = func() error {
		var errs []error
		for i := len(held) - 1; i >= 0; i-- {
			errs = append(errs, held[i]())
		}
		return errors.Join(errs...)
	}
	for _, s := range spaces {
		u, err := w.Lock(ctx, s.Space)
		if err != nil {
			return nil, errors.Join(err, unlock())
		}
		held = append(held, u)
	}
	return unlock, nil
}

func (w *Writer) step(s Step) error {
	if w.Step == nil {
		return nil
	}
	if err := w.Step(s); err != nil {
		return errors.Join(errStopped, err)
	}
	return nil
}
