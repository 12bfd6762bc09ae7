package write

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Writer changes pages. Its fields are set once, before use.
type Writer struct {
	Memory store.Memory
	Index  *index.Index
	Codecs []doc.Codec
	Now    func() time.Time
	Mask   index.Mask // what the index must not see

	// Lock takes the exclusive lock of a space against other writers.
	Lock func(ctx context.Context, space kb.Space) (unlock func() error, err error)

	// Step is told of every step before it is taken; an error stops there as
	// a crash would, with nothing tidied up. Only tests set it.
	Step func(Step) error

	// open is what Recover was given, for what other processes leave
	// unfinished later.
	open func(context.Context, int64) (*Space, error)
}

// Step names a point of the write path at which a process may die.
type Step string

// The steps, in order. A change set of several documents takes StepReplace
// once for each.
const (
	StepLock    Step = "lock"
	StepRead    Step = "read"
	StepCheck   Step = "check"
	StepJournal Step = "journal"
	StepReplace Step = "replace"
	StepIndex   Step = "index"
	StepDone    Step = "done"
)

// errStopped marks an error of Step: the write must not tidy up after itself.
var errStopped = errors.New("stopped")

// Apply does a change set. Errors carry the codes of the steps: kb.Refused by
// policy, kb.Conflict for a stale version, kb.Invalid, kb.Secret, and what
// fsys.Explain says of the disk. An error means that nothing changed, unless
// it wraps fsys.ErrNotDurable.
func (w *Writer) Apply(ctx context.Context, req Request) (_ *Result, err error) {
	if err := w.step(StepLock); err != nil {
		return nil, err
	}
	unlock, err := w.enter(ctx, spacesOf(req.Changes))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if err := w.step(StepRead); err != nil {
		return nil, err
	}
	set := &changeSet{w: w, req: req, now: w.Now()}
	for _, c := range req.Changes {
		if err := set.do(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := w.step(StepCheck); err != nil {
		return nil, err
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	if req.DryRun || !set.changed() {
		return set.preview()
	}
	return w.commit(ctx, set)
}

// commit makes a checked change set true.
func (w *Writer) commit(ctx context.Context, set *changeSet) (*Result, error) {
	rec := set.journal()
	if err := w.step(StepJournal); err != nil {
		return nil, err
	}
	entry, err := w.appendJournal(ctx, rec)
	if err != nil {
		return nil, err
	}
	durable, err := w.replaceAll(ctx, set, rec)
	if err != nil {
		return nil, w.giveUp(ctx, set, entry, rec, err)
	}
	// The files are replaced: from here on the change is true, and a caller
	// who goes away must not leave it half recorded.
	ctx = context.WithoutCancel(ctx)
	if err := w.step(StepIndex); err != nil {
		return nil, err
	}
	res, err := w.record(ctx, set, entry)
	if err != nil {
		return nil, kb.Errorf(kb.CodeOf(err), "the change is in the files, but the index could not be brought up to date: %w", err).
			WithHint("Nothing was lost: the next command finishes it from the journal.")
	}
	return res, errors.Join(durable, w.step(StepDone))
}

// replaceAll puts every document's new bytes in place. A change that took
// place but that the disk did not confirm goes on; durable then says so.
func (w *Writer) replaceAll(ctx context.Context, set *changeSet, rec *record) (durable, err error) {
	for i := range rec.Ops {
		op := &rec.Ops[i]
		files := set.space(op.Space).Files
		if files == nil {
			continue // a row: the index transaction writes it
		}
		if err := w.step(StepReplace); err != nil {
			return nil, err
		}
		err := fsys.Explain(op.replace(ctx, files), "write %s", op.Path)
		switch {
		case errors.Is(err, fsys.ErrNotDurable):
			durable = err
		case err != nil:
			return nil, err
		}
	}
	return durable, nil
}

// giveUp takes back what a failed change set had already replaced. Where that
// is not possible either, the journal stays, and Recover decides.
func (w *Writer) giveUp(ctx context.Context, set *changeSet, entry int64, rec *record, cause error) error {
	if errors.Is(cause, errStopped) {
		return cause
	}
	ctx = context.WithoutCancel(ctx)
	for i := len(rec.Ops) - 1; i >= 0; i-- {
		op := &rec.Ops[i]
		space := set.space(op.Space)
		if space.Files == nil {
			continue
		}
		err := op.takeBack(ctx, space.Files)
		if err == nil {
			err = rec.present(space) // what is away looks like what was never there
		}
		if err != nil {
			return errors.Join(kb.Errorf(kb.CodeOf(cause), "a change of %d documents broke off, and could not be taken back: %w", len(rec.Ops), cause).
				WithHint("Nothing was lost: the next command finishes it from the journal."), err)
		}
	}
	if err := w.clearJournal(ctx, entry); err != nil {
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
