package reconcile

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// A batch is committed when it has this many documents or bytes: large enough that
// the cost of a commit is negligible, small enough that a writer never waits long
// and an interrupted sync loses little.
const (
	batchDocuments = 1000
	batchBytes     = 4 << 20
)

// readBytes limits the size of the batches that are read and not committed yet:
// ordinary notes stay below it, and larger files are read one after the other.
const readBytes = 32 << 20

// A transaction younger than commitTime takes further batches that are already
// read, up to commitBatches and laterLinks: the links of all of them are written
// once, with their targets. Other writers wait for that time.
const (
	commitTime    = time.Second
	commitBatches = 8
	laterLinks    = 1 << 17
)

// batchesPerCommit is the minimum number of batches per transaction when a space
// has very many documents, regardless of the time. Keys such as ids and hashes are
// in random order: each transaction touches pages all over a large index, and so
// writes about as much as the index is large.
func batchesPerCommit(documents int) int {
	return min(max(documents/(16*batchDocuments), 1), 4)
}

// derived is a step with its parsed file.
type derived struct {
	step
	item *index.Derived
	err  error
}

// apply carries out the plan: deletions and exchanges first, to free paths, then
// everything else in the order of reading.
func (s *Syncer) apply(ctx context.Context, space *write.Space, p *Plan, opts Options, r *Report) error {
	if err := s.touchAll(ctx, space, p.touch, opts.ToRead); err != nil {
		return err
	}
	steps, exchanges := p.order()
	total := len(steps) + len(exchanges)
	c := &committer{s: s, space: space, report: r, progress: func(done int) { opts.report("indexing", done, total) }}
	work := batches(steps)
	if len(exchanges) > 0 { // documents that take each other's paths can only move together
		work = append([][]step{exchanges}, work...)
		c.whole = true
	}
	read := func(steps []step) *batch { return s.read(ctx, space, steps) }
	// One batch is read ahead while another is committed: more would only use
	// memory.
	how := turns[[]step]{workers: s.Workers, ahead: 1, size: bytesOf, limit: readBytes}
	if err := inTurn(ctx, how, work, read, func(b *batch, more func() (*batch, bool)) error {
		return c.commit(ctx, b, batchesPerCommit(p.Documents+c.done), more)
	}); err != nil {
		return err
	}
	p.leave(c.left)
	if len(work) > 1 {
		if err := s.mergeText(ctx); err != nil {
			return err
		}
	}
	return s.noteFailures(ctx, space, r)
}

// mergeText merges the full-text index after many batches, unless others are
// writing.
func (s *Syncer) mergeText(ctx context.Context) error {
	for more, begun := true, false; more; begun = true {
		err := s.Writer.Memory.Update(ctx, func(tx store.Tx) (err error) {
			more, err = s.Writer.Index.Text().MergePart(ctx, tx.Lexical(), begun)
			return err
		})
		if store.IsBusy(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batches divides the steps into commits.
func batches(steps []step) [][]step {
	var out [][]step
	from, bytes := 0, int64(0)
	for i, st := range steps {
		bytes += st.file.Size
		if i+1-from == batchDocuments || bytes >= batchBytes || i == len(steps)-1 {
			out = append(out, steps[from:i+1])
			from, bytes = i+1, 0
		}
	}
	return out
}

// bytesOf returns the total size of the files of steps.
func bytesOf(steps []step) (n int64) {
	for _, st := range steps {
		if st.change != kb.Deleted {
			n += st.file.Size
		}
	}
	return n
}

// batch is a number of steps with their files read and analysed.
type batch struct {
	items []derived
	texts *index.Texts
}

// read reads, parses and analyses the files of a batch; fewer than all of them when
// ctx is done.
func (s *Syncer) read(ctx context.Context, space *write.Space, steps []step) *batch {
	b := &batch{texts: index.NewTexts(bytesOf(steps))}
	sides := write.NewSidecars(space.Files)
	for _, st := range steps {
		if ctx.Err() != nil {
			break
		}
		d := s.derive(ctx, space, sides, st)
		if d.item != nil {
			b.texts.Add(d.item)
		}
		b.items = append(b.items, d)
	}
	b.texts.Invert()
	return b
}

// order splits the plan. exchanges are the steps that need a path freed by another
// step, with those other steps; they are applied in one batch. In the rest,
// deletions come first.
func (p *Plan) order() (steps, exchanges []step) {
	vacated, entered := map[string]bool{}, map[string]bool{}
	for _, st := range p.steps {
		if st.change != kb.Deleted {
			entered[st.file.Path] = true
		}
		if st.was != nil && st.change != kb.Changed {
			vacated[st.was.Path] = true
		}
	}
	for _, st := range p.steps {
		takes := st.change != kb.Deleted && vacated[st.file.Path]
		gives := st.was != nil && st.change != kb.Changed && entered[st.was.Path]
		if takes || gives {
			exchanges = append(exchanges, st)
		} else {
			steps = append(steps, st)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(first(a), first(b)) })
	return steps, exchanges
}

func first(st step) int {
	if st.change == kb.Deleted {
		return 0
	}
	return 1
}

// derive reads and parses the file of a step.
func (s *Syncer) derive(ctx context.Context, space *write.Space, sides *write.Sidecars, st step) derived {
	d := derived{step: st}
	if st.change == kb.Deleted {
		return d
	}
	b, info, err := fsys.ReadFile(ctx, space.Files, st.file.Path, write.MaxDocument)
	if err != nil {
		d.err = err
		return d
	}
	side, err := sides.Read(ctx, st.file.Path)
	if err == nil && st.was != nil && st.was.Side.Exists() && write.MayNotReadBeside(space.Files, st.file.Path) {
		err = kb.Errorf(kb.Refused, "%s may not be read: the page stays as it was before", vault.SidecarPath(st.file.Path)).Because(fs.ErrPermission)
	}
	if err != nil {
		d.err = err
		return d
	}
	d.item = s.Writer.Derive(space, st.file.Path, write.Found{Bytes: b, ModTime: info.ModTime(), Side: side})
	if st.was != nil {
		d.item.Record.Row, d.item.Record.ID = st.was.Row, st.was.ID
	}
	return d
}

// committer commits batches one after the other.
type committer struct {
	s        *Syncer
	space    *write.Space
	report   *Report
	progress func(done int)
	whole    bool // the next batch is taken whole or not at all: its documents exchange paths
	done     int
	left     []step // not applied
}

// commit indexes a batch under the space's lock, and in the same transaction
// further batches that are already read: up to most in total, and more while there
// is time.
func (c *committer) commit(ctx context.Context, b *batch, most int, take func() (*batch, bool)) (err error) {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	ready, err := c.ready(ctx, b)
	if err != nil || len(ready) == 0 {
		return err
	}
	unlock, err := c.s.Writer.Lock(ctx, c.space.Space)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	indexed, warnings := 0, 0
	err = c.s.Writer.Memory.Update(ctx, func(tx store.Tx) error {
		later, begun := index.NewLater(), c.s.Writer.Now()
		for n := 1; ; n++ {
			put, err := c.put(ctx, tx, ready, b.texts, later)
			if err != nil {
				return err
			}
			indexed += put
			for _, d := range ready {
				if d.item != nil && len(d.item.Document.Warnings) > 0 {
					warnings++
				}
			}
			var next *batch
			more := n < commitBatches && later.Len() < laterLinks && (n < most || c.s.Writer.Now().Sub(begun) < commitTime)
			if more {
				next, more = take()
			}
			if !more {
				return c.s.Writer.Index.SettleLater(ctx, tx, c.space.Space, later)
			}
			b = next
			if ready, err = c.ready(ctx, b); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	c.report.Indexed += indexed
	c.report.Warnings += warnings
	c.progress(c.done)
	return nil
}

// ready returns the steps of a batch with readable files.
func (c *committer) ready(ctx context.Context, b *batch) (out []derived, err error) {
	c.done += len(b.items)
	for _, d := range b.items {
		if d.err == nil {
			out = append(out, d)
			continue
		}
		if err := c.s.fail(ctx, c.space, d.file, d.err, &c.report.Failed); err != nil {
			return nil, err
		}
		c.left = append(c.left, d.step)
	}
	return out, nil
}

// put indexes steps, and returns their number. A step for a document that a writer
// changed since the plan is left to the next sync: the writer indexed its own text.
// The same applies to a file that changed since the scan: it may be newer, or it
// was read during a write that was rolled back.
func (c *committer) put(ctx context.Context, tx store.Tx, ready []derived, texts *index.Texts, later *index.Later) (int, error) {
	whole := c.whole
	c.whole = false
	g := index.Group{Space: c.space.Space, Texts: texts, Later: later}
	var left []step
	ignored, sides := vault.NewMatcher(c.space.Files, c.s.Rules.FoldCase), write.NewSidecars(c.space.Files)
	for _, d := range ready {
		current, err := stillPlanned(ctx, tx, c.space.Row, d.step)
		if err != nil {
			return 0, err
		}
		// When another document takes the path of a deleted one, the file there
		// belongs to the other.
		if current && (whole && d.item == nil || c.stillSo(ctx, ignored, sides, d)) {
			g.Items = append(g.Items, d.indexItem())
		} else {
			left = append(left, d.step)
		}
	}
	if whole && (len(left) > 0 || len(c.left) > 0) {
		g.Items, left = nil, steps(ready)
	}
	c.left = append(c.left, left...)
	if len(g.Items) == 0 {
		return 0, nil
	}
	wr := kb.Write{Time: c.s.Writer.Now(), Actor: kb.Actor{Kind: kb.Sync}, Operation: "sync"}
	_, err := c.s.Writer.Index.Commit(ctx, tx, &wr, []index.Group{g})
	return len(g.Items), err
}

func steps(of []derived) []step {
	out := make([]step, len(of))
	for i, d := range of {
		out[i] = d.step
	}
	return out
}

// stillSo reports whether the file is in the state of the step. The caller holds
// the lock, so that no writer is changing it.
func (c *committer) stillSo(ctx context.Context, ignored *vault.Matcher, sides *write.Sidecars, d derived) bool {
	if d.item == nil {
		info, err := c.space.Files.Lstat(d.was.Path)
		if err != nil {
			return errors.Is(err, fs.ErrNotExist)
		}
		// The file may not be a note any more.
		rule, err := ignored.Ignored(ctx, d.was.Path, false)
		return !info.Mode().IsRegular() || err == nil && rule != nil
	}
	rec := &d.item.Record
	info, err := c.space.Files.Lstat(d.file.Path)
	if err != nil || info.Size() != rec.Size || !info.ModTime().Equal(rec.ModTime) {
		return false
	}
	side, there := sides.Look(d.file.Path)
	if !there || !rec.Side.Exists() {
		return there == rec.Side.Exists()
	}
	return side.Size() == rec.Side.Size && side.ModTime().Equal(rec.Side.ModTime)
}

func (d derived) indexItem() index.Item {
	if d.item == nil {
		return index.Item{Change: kb.Deleted, Row: d.was.Row, ID: d.was.ID, Path: d.was.Path}
	}
	return index.Item{Change: d.change, Derived: d.item}
}

// stillPlanned reports whether the index entry of the step's document is the
// same as when the plan was made.
func stillPlanned(ctx context.Context, tx store.Tx, space int64, st step) (bool, error) {
	if st.was == nil {
		_, err := tx.Documents().ByPath(ctx, space, st.file.Path)
		return kb.CodeOf(err) == kb.NotFound, ignore(err, kb.NotFound)
	}
	now, err := tx.Documents().ByRow(ctx, st.was.Row)
	if err != nil {
		return false, ignore(err, kb.NotFound)
	}
	return now.Hash == st.was.Hash && now.Side.Hash == st.was.Side.Hash && now.Path == st.was.Path, nil
}

// isPlanned is stillPlanned for a document that the index had.
func isPlanned(now, was store.FileState) bool {
	return now.Hash == was.Hash && now.Side.Hash == was.Side.Hash && now.Path == was.Path
}

// ignore returns nil for an error with the given code.
func ignore(err error, code kb.Code) error {
	if kb.CodeOf(err) == code {
		return nil
	}
	return err
}

// fewTouched is the number of files from which a read-only sync records new file
// times: reading fewer files again each time is cheaper than waiting for the disk
// once.
const fewTouched = 16

// touchAll records new times of files with unchanged bytes.
func (s *Syncer) touchAll(ctx context.Context, space *write.Space, touched []touch, toRead bool) error {
	now := s.Writer.Now()
	// The time of a file saved just now would prove no more than before, and the
	// next caller would wait for the disk again.
	touched = slices.DeleteFunc(slices.Clone(touched), func(t touch) bool {
		at := modTime(t.file)
		side := sideTime(t.file)
		return t.file.Size == t.was.Size && at.Equal(t.was.ModTime) && side.Equal(t.was.Side.ModTime) && (kb.Racy(at, now) || kb.Racy(side, now))
	})
	if len(touched) == 0 || toRead && len(touched) < fewTouched {
		return nil
	}
	return s.Writer.Memory.Update(ctx, func(tx store.Tx) error {
		states, err := tx.Documents().States(ctx, space.Row)
		if err != nil {
			return err
		}
		current := make(map[int64]store.FileState, len(states))
		for _, st := range states {
			current[st.Row] = st
		}
		for _, t := range touched {
			// A writer may have changed or removed it since the plan.
			if now, ok := current[t.was.Row]; !ok || !isPlanned(now, t.was) {
				continue
			}
			if err := tx.Documents().Touch(ctx, t.was.Row, t.file.Size, modTime(t.file), sideTime(t.file), now); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(touched, func(t touch) bool { return !modTime(t.file).Equal(t.was.ModTime) }) {
			return nil
		}
		return index.DropCatalog(ctx, tx, space.ID) // a page may have its day from its file
	})
}

// noteFailures counts the failed files, and deletes the records of those that did
// not fail again.
func (s *Syncer) noteFailures(ctx context.Context, space *write.Space, r *Report) error {
	if len(r.Failed) == 0 && !r.Plan.failed {
		return nil
	}
	var put []store.Failure
	var gone []string
	work := func(tx store.Tx) error {
		known, err := tx.Failures().All(ctx, space.Row)
		put, gone = failuresAfter(known, r)
		return err
	}
	// First read without the lock of a transaction that may have no writes.
	if err := s.Writer.Memory.View(ctx, work); err != nil || len(put)+len(gone) == 0 {
		return err
	}
	return s.Writer.Memory.Update(ctx, func(tx store.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		for _, f := range put {
			if err := tx.Failures().Put(ctx, f); err != nil {
				return err
			}
		}
		for _, path := range gone {
			if err := tx.Failures().Clear(ctx, space.Row, path); err != nil {
				return err
			}
		}
		return nil
	})
}

// failuresAfter returns the failures to record and the paths of those to delete,
// and counts those of the report.
func failuresAfter(known []store.Failure, r *Report) (put []store.Failure, gone []string) {
	before := make(map[string]store.Failure, len(known))
	for _, f := range known {
		before[f.Path] = f
	}
	for _, f := range r.Plan.LeftOut {
		delete(before, f.Path)
	}
	for i := range r.Failed {
		f := &r.Failed[i]
		old, again := before[f.Path]
		delete(before, f.Path)
		again = again && old.Size == f.Size && old.ModTime.Equal(f.ModTime)
		switch {
		case again && f.Count == 0 && old.Count == 0:
			continue // recorded already
		case again && f.Count > 0:
			f.Count = old.Count + 1
		}
		put = append(put, *f)
	}
	for path := range before {
		gone = append(gone, path)
	}
	return put, gone
}
