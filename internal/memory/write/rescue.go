package write

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// rescue adds a version for a change that another program made to a document
// just before it was replaced, if it could not be restored: its bytes are in a
// temporary file, which the next sync removes. The caller holds the locks of
// the spaces, so that no temporary file belongs to a living writer; keep
// reports the files that are still to be placed.
func (w *Writer) rescue(ctx context.Context, rec *record, space func(int64) *Space, keep func(space int64, temp string) bool) error {
	looked := map[place]bool{}
	for _, o := range rec.Ops {
		s, at := space(o.Space), place{o.Space, path.Dir(o.at())}
		if s == nil || s.Files == nil || looked[at] {
			continue
		}
		looked[at] = true
		if err := w.rescueIn(ctx, rec, s, at.path, keep); err != nil {
			return err
		}
	}
	return nil
}

// rescueIn is rescue for one directory.
func (w *Writer) rescueIn(ctx context.Context, rec *record, s *Space, dir string, keep func(space int64, temp string) bool) error {
	entries, err := s.Files.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil // no sync sees the files either
	}
	if err != nil {
		return fsys.Explain(err, "list %s", dir)
	}
	for _, e := range entries {
		if !fsys.IsTemp(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		name := path.Join(dir, e.Name())
		if keep(s.Row, name) {
			continue
		}
		found, err := bytesAt(ctx, s.Files, name)
		if err != nil {
			return err
		}
		o, err := w.strayFrom(ctx, rec, s, dir, found)
		if err != nil {
			return err
		}
		if o != nil {
			if err := w.keepStray(ctx, s, o, found); err != nil {
				return err
			}
		}
		if _, err := fsys.RemoveTemps(ctx, s.Files, []string{name}); err != nil {
			return fsys.Explain(err, "remove %s", name)
		}
	}
	return nil
}

// keepStray makes what another program wrote a version of the page.
func (w *Writer) keepStray(ctx context.Context, s *Space, o *op, found []byte) error {
	at := o.at()
	if o.Of != "" {
		at = o.document(at)
	}
	row, err := w.rowAt(ctx, s, at)
	if err != nil {
		return err
	}
	now, err := w.known(ctx, row)
	if err != nil {
		return err
	}
	switch {
	case o.Of == "":
		now.Bytes, now.ModTime = found, unknownTime
	case row == nil:
		return nil // the page is gone
	default:
		now.Side = index.Side{Bytes: found, ModTime: unknownTime}
	}
	_, err = w.refresh(ctx, s, at, row, now)
	return err
}

// strayFrom returns the operation on the file with bytes from another program.
// It is nil when the bytes of a temporary file are our own or are in the
// history: a document's old or new bytes, or the start of the new ones. Files
// are replaced in the order of the operations, so a temporary file belongs to
// the last one that was begun.
func (w *Writer) strayFrom(ctx context.Context, rec *record, s *Space, dir string, found []byte) (at *op, err error) {
	in := func(o *op) bool { return o.Space == s.Row && path.Dir(o.at()) == dir }
	for i := range rec.Ops {
		if o := &rec.Ops[i]; in(o) && o.knows(found) {
			return nil, nil
		}
	}
	// The files are read for strays alone: a killed process leaves a temporary file for each
	// of thousands of operations.
	for i := range rec.Ops {
		o := &rec.Ops[i]
		if !in(o) || o.Old == nil { // where nothing was there, nothing is put aside
			continue
		}
		st, err := o.state(w.reader(ctx, s, o))
		if err != nil {
			return nil, err
		}
		if st != pending {
			at = o
		}
	}
	if at == nil {
		return nil, nil
	}
	// The files of several change sets are staged before the first is replaced.
	entries, err := w.pendingEntries(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		other, err := w.readEntry(ctx, e)
		if err == nil && slices.ContainsFunc(other.Ops, func(o op) bool { return o.Space == s.Row && o.knows(found) }) {
			return nil, nil
		}
	}
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		_, err := tx.History().Bytes(ctx, index.Hash(found))
		return err
	})
	switch {
	case err == nil:
		return nil, nil
	case kb.CodeOf(err) == kb.NotFound:
		return at, nil
	}
	return nil, err
}

// knows reports whether a temporary file has the operation's old or new bytes,
// or the start of the new ones. After a power failure unflushed data may be
// zeros.
func (o *op) knows(found []byte) bool {
	return same(found, o.Old) || bytes.HasPrefix(o.New, bytes.TrimRight(found, "\x00"))
}

// at is where the document is before the operation.
func (o *op) at() string { return cmp.Or(o.From, o.Path) }
