package change

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Document is the present document at a path.
type Document struct {
	Space *write.Space
	Path  string
	Codec doc.Codec
	Row   *store.Document // nil if it does not exist
	Doc   *doc.Document   // empty if it does not exist
}

// At reads the document at exactly this path, if it exists. A file that changed
// since it was indexed is indexed first. For a file with merge conflict markers it
// returns the indexed state, with a kb.Conflict.
func At(ctx context.Context, sess *memory.Session, space *write.Space, path string) (*Document, error) {
	out := &Document{Space: space, Path: path, Codec: doc.ForPath(sess.Codecs, path)}
	if out.Codec == nil {
		return nil, kb.Errorf(kb.Invalid, "%s is not the name of a note", path).WithHint("The names of notes end in .md or .org.")
	}
	out.Codec = out.Codec.In(space.Syntax)
	text, err := stored(ctx, sess, out)
	if err == nil && space.Files != nil && !(out.Row == nil && absent(space, path)) {
		known := write.Known{}
		if out.Row != nil {
			known = write.Known{Text: out.Row.Hash, SidecarHash: out.Row.Side.Hash}
		}
		var found write.FileState
		// The caller changes the document that it reads here, so it waits as long
		// as a write does.
		found, err = sess.Writer.RefreshIfChanged(ctx, space, path, known, store.BusyTime)
		switch {
		case err != nil:
		case found == write.FileNewer:
			err = kb.Errorf(kb.Conflict, "others are writing %s", path).With("busy", true)
		case found == write.FileUnmerged:
			err = unmerged(path)
		case found == write.FileChanged:
			text, err = stored(ctx, sess, out)
		}
	}
	if err == nil && doc.ConflictLine(text) > 0 {
		err = unmerged(path)
	}
	out.Doc = out.Codec.Parse(path, text)
	return out, err
}

// Exists reports whether the document exists.
func (d *Document) Exists() bool { return d.Row != nil }

// Put returns the change that sets the page's text, unless it changed since it was
// read. The text comes from pages or from the policy of its space.
func (d *Document) Put(text []byte) write.Change {
	return d.Change(write.Put{Bytes: text, Overwrite: true, KeepID: true, Copied: true})
}

// Change returns a change of the page, unless it changed since it was read.
func (d *Document) Change(a write.Action) write.Change {
	c := write.Change{Space: d.Space, Path: d.Path, Action: a, Expected: new(int)}
	if d.Exists() {
		c.Of, *c.Expected = d.Row.ID, d.Row.Version
	}
	return c
}

func unmerged(path string) error {
	return kb.Errorf(kb.Conflict, "%s has merge conflict markers", path).WithHint("Finish the merge in an editor first.")
}

func absent(space *write.Space, path string) bool {
	_, err := space.Files.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// stored reads the indexed text of a document.
func stored(ctx context.Context, sess *memory.Session, d *Document) (text []byte, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		d.Row, err = tx.Documents().ByPath(ctx, d.Space.Row, d.Path)
		if kb.CodeOf(err) == kb.NotFound {
			d.Row = nil
			return nil
		}
		if err != nil {
			return err
		}
		text, err = tx.History().Bytes(ctx, d.Row.Hash)
		return err
	})
	return text, err
}
