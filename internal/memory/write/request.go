package write

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request is a change set: all of it is applied, or none.
type Request struct {
	Actor        kb.Actor
	Operation    string // the verb, for the history: put, edit, mv, undo, ...
	Message      string // why, for the history
	Undoes       int64  // the write that this one takes back
	Changes      []Change
	DryRun       bool
	AllowSecrets []string // rules of the secret scan that do not stop this write
	Project      string   // the caller's project; "" for none

	// TakesBack lets an agent undo what it wrote itself a short time ago,
	// also where the policy lets agents delete none.
	TakesBack bool

	// Within, if set, runs in the transaction that updates the index, with the
	// new versions: its rows exist if they do. In a directory a crash between
	// the files and the index loses its rows. It is not called when nothing
	// changes.
	Within func(ctx context.Context, tx store.Tx, versions []kb.Version) error

	// Unlevel lets the commits of guarded spaces make a branch diverge from its upstream:
	// those of a person's own edits, and those that cannot follow commits of the remote
	// because somebody has unsaved edits of a file that these change.
	Unlevel bool

	// RewriteTimeline lets a human change and drop entries in spaces with
	// append-only timelines. Undo and restore always may.
	RewriteTimeline bool
}

// Change is a change to one document. Changes to the same document are applied
// in order, each to the result of the previous one.
type Change struct {
	Space  *Space
	Path   string // slash-separated, within the space
	Action Action

	// Expected is the version that the caller saw; 0 means that the page must
	// not exist. Nil disables the check, if the action allows that.
	Expected *int

	// Of is the id of the document that the caller found at Path before it held
	// the lock: another process may have put another one there since. "" asks
	// for no check.
	Of kb.ID

	// Size is that of the document as it was indexed, 0 where the caller does not know it.
	Size int64

	// Dir is the directory above this document that moves or is deleted as a whole. It is
	// removed with the directories below it, where no other files are in them.
	Dir string
}

// OfPage is Change.Of for a page: "" for a heading, which has its id in the
// text itself, and its sidecar with the document.
func OfPage(p kb.Page) kb.ID {
	if p.Node != "" {
		return ""
	}
	return p.ID
}

// Action is one of Put, Edit, Move, Delete, EditSide, PutSide. A sidecar goes where
// its document goes.
type Action interface{ action() }

type (
	// Put stores whole bytes. Over an existing page it needs an expected
	// version or Overwrite.
	Put struct {
		Bytes     []byte
		Overwrite bool

		// KeepID is for text that was not made from the present document: its
		// id is kept, and the result lists other metadata that was lost.
		KeepID bool
		// Declare is for a new page: if other programs recognise documents of
		// its format by an id and a title, as org-roam does, it gets them.
		Declare bool
		// Copied is for text from another page of the space, or from its
		// policy: neither schemas nor the secret scan prevent the copy.
		Copied bool
		// Returned is for the text of an earlier version: rules that came after it, or
		// that it did not fit then, do not prevent its return.
		Returned bool
		// Twin is for a name that may differ from another one in case alone, as it does
		// where the document comes from.
		Twin bool
		// ID is that of the page which a document that is made brings back; ""
		// for a new one.
		ID kb.ID
	}
	// Edit changes spans of one node ("" is the document).
	Edit struct {
		Node  string
		Edits []doc.Edit
	}
	// Move gives the document another path within its space. Links to it are
	// rewritten so that they still lead to it, unless KeepLinks.
	Move struct {
		To        string
		KeepLinks bool
	}
	// Delete removes the document; its history stays.
	Delete struct{}
	// EditSide changes the sidecar of the document, or makes one.
	EditSide struct{ Edits []sidecar.Edit }
	// PutSide sets the sidecar to that of an earlier version; nil for none.
	PutSide struct{ Bytes []byte }
)

func (Put) action()      {}
func (Edit) action()     {}
func (Move) action()     {}
func (Delete) action()   {}
func (EditSide) action() {}
func (PutSide) action()  {}

// Space is a space that is open for writing.
type Space struct {
	kb.Space
	Policy *policy.Policy
	Files  fsys.FS // nil for a database space
	// CheckPath refuses invalid paths for a page: unsafe names, ignored places,
	// extensions that are not for notes.
	CheckPath func(path string) error
	// Now is the clock for the names of new files, if the policy uses the time;
	// nil when none are created.
	Now func() time.Time
	// Accepted returns the hashes of a part, such as kb.GitPart, that a person accepted for the
	// space's directory; nil permits everything.
	Accepted func(ctx context.Context, part string) (hashes []string, err error)
	// Around are the other spaces that hold files of this one.
	Around []Around
}

// Has reports whether a file exists at a path, and for a space in the database, which has no
// files, that one may.
func (s *Space) Has(path string) bool { return s.Files == nil || s.HasFile(path) }

// HasFile reports whether a file exists at a path.
func (s *Space) HasFile(path string) bool { return s.Files != nil && fsys.Present(s.Files, path) }

// Result is the result of a change set, or its preview.
type Result struct {
	Write  kb.Write // zero for a dry run, or when nothing changed
	Pages  []PageResult
	DryRun bool
}

// PageResult is one document after the change set.
type PageResult struct {
	Space    string
	Change   kb.ChangeKind // "" when the bytes are as they were
	Page     kb.Page       // as indexed; of a deleted page, as it was
	Status   string        // the word for its status in the document, "" without one
	From     string        // old path of a moved document
	Version  int           // after the write; before it in a dry run
	Old, New []byte        // bytes before and after; nil when absent
	Was      kb.Hash       // of the bytes before, where these are large and were released
	OldSide  []byte        // those of the sidecar
	NewSide  []byte
	Warnings []doc.Warning // of the new bytes
	Notes    []string      // side effects of the write
}

// Size is that of the largest document of a request, as far as it is known.
func (r Request) Size() (size int64) {
	for _, c := range r.Changes {
		size = max(size, c.Size)
		if put, ok := c.Action.(Put); ok {
			size = max(size, int64(len(put.Bytes)))
		}
	}
	return size
}
