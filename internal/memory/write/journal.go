package write

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// recordVersion is the version of journal records. A binary leaves newer ones
// alone and reports them. Version 2 added operations on sidecars, version 3
// commits and index files, version 4 packed operations, version 5 parts.
const recordVersion = recordParts

// The versions of records with no more than these, which older binaries can read.
const (
	recordSidecars = 2
	recordCommits  = 3
	recordPacked   = 4
	recordParts    = 5
)

// record is the intent of a change set: enough to finish it, or to see that
// it never began, from the files alone.
type record struct {
	Version   int       `json:"version"`
	Time      time.Time `json:"time"`
	Actor     kb.Actor  `json:"actor"`
	Operation string    `json:"operation"`
	Message   string    `json:"message,omitempty"`
	Undoes    int64     `json:"undoes,omitempty"`
	Ops       []op      `json:"ops"`
	Git       []gitOp   `json:"git,omitempty"`
	Packed    [][]byte  `json:"packed,omitempty"` // compressed bytes of operations
	Sizes     []int     `json:"sizes,omitempty"`  // of packed bytes that are in parts of the record
}

// op changes the state of one document, or of its sidecar: a file, or a row of
// a database space that changes together with files. Old and New are nil
// without a file before or after; Path is the path after the change, From the
// previous path of a moved file.
type op struct {
	Space int64  `json:"space"`
	Path  string `json:"path"`
	Of    string `json:"of,omitempty"` // path of the document after, where this is its sidecar
	From  string `json:"from,omitempty"`
	Old   []byte `json:"old"`
	New   []byte `json:"new"`

	Generated bool `json:"generated,omitempty"` // an index file, which is not a document

	Pack *packedOp `json:"pack,omitempty"` // where Old and New are, in the bytes of a record
}

// gitOp is the commit of the operations in one space.
type gitOp struct {
	Space int64  `json:"space"`
	Base  string `json:"base,omitempty"` // the checked-out commit
	Held  string `json:"held,omitempty"` // why it is to wait
}

// errUnreadable marks the error of a journal record that cannot be read.
var errUnreadable = errors.New("unreadable journal record")

// CheckEntry reports whether this cairn can read a journal entry: kb.Damaged
// when it cannot, with what to do.
func CheckEntry(ctx context.Context, tx store.Tx, e store.JournalEntry) error {
	r, err := readRecord(e.Record)
	if err != nil {
		return err
	}
	return r.checkPacked(partsOf(ctx, tx, e.ID))
}

// readEntry reads the record of a journal entry with all its bytes. A malformed or newer one
// is kb.Damaged and wraps errUnreadable.
func (w *Writer) readEntry(ctx context.Context, e store.JournalEntry) (*record, error) {
	r, err := readRecord(e.Record)
	if err != nil {
		return nil, err
	}
	return r, w.unpack(ctx, e.ID, r)
}

// unpack reads the packed bytes of the record of a journal entry.
func (w *Writer) unpack(ctx context.Context, entry int64, r *record) error {
	return w.Memory.View(ctx, func(tx store.Tx) error { return r.unpack(partsOf(ctx, tx, entry)) })
}

func partsOf(ctx context.Context, tx store.Tx, entry int64) eachPart {
	return func(f func([]byte) error) error { return tx.Journal().Parts(ctx, entry, f) }
}

// readRecord reads a journal record without the bytes of packed operations, which may be those
// of large documents: unpack sets them.
func readRecord(b []byte) (*record, error) {
	var r record
	err := json.Unmarshal(b, &r)
	if err == nil && (r.Version < 1 || r.Version > recordVersion) {
		return nil, kb.Errorf(kb.Damaged, "an unfinished write was begun by another version of cairn, so nothing can be written: its record has version %d, this cairn knows version %d",
			r.Version, recordVersion).Because(errUnreadable).
			WithHint("Open the memory once with that version, which finishes the write.")
	}
	if err != nil || len(r.Packed) > 0 && len(r.Sizes) > 0 {
		return nil, damagedRecord()
	}
	for i := range r.Ops {
		o := &r.Ops[i]
		was, is := o.had(), o.has()
		if o.Path == "" || !was && !is || o.From != "" && (!was || !is) || o.Of != "" && !vault.IsSidecar(o.Path) {
			return nil, damagedRecord()
		}
	}
	return &r, nil
}

func damagedRecord() error {
	return kb.Errorf(kb.Damaged, "the record of an unfinished write is damaged, so nothing can be written").Because(errUnreadable).
		WithReason(kb.JournalDamaged)
}

// had reports whether the file is there before the operation, and has whether it is after it.
func (o *op) had() bool { return o.Old != nil || o.Pack != nil && o.Pack.Old != 0 }
func (o *op) has() bool { return o.New != nil || o.Pack != nil && o.Pack.New != 0 }

// replace performs the operation on files in the state Old.
func (o *op) replace(ctx context.Context, files fsys.FS, opts fsys.WriteOptions) error {
	switch {
	case o.New == nil:
		err := fsys.RemoveDurable(ctx, files, o.Path, fsys.Unchanged(o.Old))
		o.tidy(files, o.Path, err)
		return err
	case o.Old == nil:
		return fsys.WriteAtomic(ctx, files, o.Path, o.New, fsys.Absent(), opts)
	case o.From == "":
		return fsys.WriteAtomic(ctx, files, o.Path, o.New, fsys.Unchanged(o.Old), opts)
	}
	var unconfirmed error // a flush that failed after the bytes were in place
	if string(o.Old) != string(o.New) {
		unconfirmed = fsys.WriteAtomic(ctx, files, o.From, o.New, fsys.Unchanged(o.Old), fsys.WriteOptions{})
		if unconfirmed != nil && !errors.Is(unconfirmed, fsys.ErrNotDurable) {
			return unconfirmed
		}
	}
	err := fsys.MoveDurable(ctx, files, o.From, o.Path, fsys.Unchanged(o.New))
	o.tidy(files, o.From, err)
	return cmp.Or(err, unconfirmed)
}

// tidy removes the directory of sidecars that one has just left, according to
// err, if it was the last one there.
func (o *op) tidy(files fsys.FS, left string, err error) {
	if o.Of != "" && (err == nil || errors.Is(err, fsys.ErrNotDurable)) {
		_ = files.Remove(path.Dir(left)) // it stays where anything else is in it
	}
}

// state is the progress of an operation.
type state int

const (
	pending state = iota // files are as before
	begun                // a moved file has its new bytes, not its new name
	done                 // files are as after
	foreign              // another program has changed them since
)

// state compares the documents; read returns the bytes at a path, nil without a
// file.
func (o *op) state(read func(path string) ([]byte, error)) (state, error) {
	now, err := read(o.Path)
	if err != nil {
		return 0, err
	}
	if o.From == "" {
		switch {
		case same(now, o.New):
			return done, nil
		case same(now, o.Old):
			return pending, nil
		}
		return foreign, nil
	}
	was, err := read(o.From)
	if err != nil {
		return 0, err
	}
	switch {
	case was == nil && same(now, o.New):
		return done, nil
	case now == nil && same(was, o.Old):
		return pending, nil
	case now == nil && same(was, o.New):
		return begun, nil
	}
	return foreign, nil
}

// finish completes an operation.
func (o *op) finish(ctx context.Context, files fsys.FS, s state) error {
	switch s {
	case pending:
		return o.replace(ctx, files, fsys.WriteOptions{})
	case begun:
		err := fsys.MoveDurable(ctx, files, o.From, o.Path, fsys.Unchanged(o.New))
		o.tidy(files, o.From, err)
		return err
	}
	return nil
}

// takeBack undoes an operation as far as it has come. What another program
// has changed since stays.
func (o *op) takeBack(ctx context.Context, files fsys.FS) error {
	s, err := o.state(func(path string) ([]byte, error) { return bytesAt(ctx, files, path) })
	if err != nil || s == pending || s == foreign {
		return err
	}
	if s == begun {
		return fsys.WriteAtomic(ctx, files, o.From, o.Old, fsys.Unchanged(o.New), fsys.WriteOptions{})
	}
	back := op{Space: o.Space, Path: o.Path, Old: o.New, New: o.Old, Generated: o.Generated}
	if o.From != "" {
		back.Path, back.From = o.From, o.Path
	}
	return back.replace(ctx, files, fsys.WriteOptions{})
}

// bytesAt returns a file's bytes, nil when there is none.
func bytesAt(ctx context.Context, files fsys.FS, path string) ([]byte, error) {
	b, _, err := fsys.ReadFile(ctx, files, path, MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsys.Explain(err, "read %s", path)
	}
	return b, nil
}

// same distinguishes an empty file from a missing one.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && string(a) == string(b) }

// journalCommits notes the commits of a call in its record.
func (c *call) journalCommits() {
	for _, g := range c.guarded {
		if len(g.changes(c.rec)) == 0 {
			continue
		}
		o := gitOp{Space: g.space.Row, Base: g.base}
		if g.held != nil {
			o.Held = g.held.Error()
		}
		c.rec.Git, c.rec.Version = append(c.rec.Git, o), recordCommits
	}
}

// appendJournal makes the records of calls durable, except those with changes
// in the database alone.
func (w *Writer) appendJournal(ctx context.Context, calls []*call) error {
	var (
		records []encoded
		of      []*call
	)
	for _, c := range calls {
		c.rec, c.entry = c.set.journal(), 0
		if len(c.rec.Ops) == 0 {
			continue
		}
		c.journalCommits()
		e, err := c.rec.encode()
		if err != nil {
			return err
		}
		records, of = append(records, e), append(of, c)
	}
	if len(of) == 0 {
		return nil
	}
	ids := make([]int64, len(of))
	err := w.Memory.Update(ctx, func(tx store.Tx) (err error) {
		if err := stillHere(ctx, tx, of); err != nil {
			return err
		}
		for i, e := range records {
			if ids[i], err = tx.Journal().Append(ctx, e.record); err != nil {
				return err
			}
			if err := e.parts(func(n int, part []byte) error { return tx.Journal().AppendPart(ctx, ids[i], n, part) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range of {
		c.entry = ids[i]
	}
	return nil
}

// stillHere fails for calls that write files of a space whose host is another machine by now.
func stillHere(ctx context.Context, tx store.Tx, calls []*call) error {
	for _, c := range calls {
		for _, s := range c.set.spaces() {
			if s.Host == "" {
				continue // no other machine has the memory
			}
			all, err := tx.Spaces().All(ctx)
			if err != nil {
				return err
			}
			for _, now := range all {
				if err := Here(now); now.Row == s.Row && err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Unfinished reports whether a write to a space is in the journal.
func Unfinished(ctx context.Context, tx store.Tx, space int64) (bool, error) {
	entries, err := tx.Journal().Pending(ctx)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		rec, err := readRecord(e.Record)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(rec.Ops, func(o op) bool { return o.Space == space }) {
			return true, nil
		}
	}
	return false, nil
}

func (w *Writer) clearJournal(ctx context.Context, id int64) error {
	return w.Memory.Update(ctx, func(tx store.Tx) error { return tx.Journal().Clear(ctx, id) })
}

// item returns the index item for a document's new state at a path.
func (w *Writer) item(space *Space, row *store.Document, path string, found Found) index.Item {
	if found.Bytes == nil {
		return index.Item{Change: kb.Deleted, Row: row.Row, ID: row.ID, Path: row.Path}
	}
	it := index.Item{Change: kb.Created, Derived: w.Derive(space, path, found)}
	if row != nil {
		it.Change = kb.Changed
		moved := row.Path != path
		if moved {
			it.Change = kb.Moved
		}
		it.Derived.Record.Row, it.Derived.Record.ID = row.Row, row.ID
		it.Derived.PathID = moved
	}
	return it
}
