package write

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Request is a change set: all of it happens, or none of it.
type Request struct {
	Actor        kb.Actor
	Operation    string // the verb, for the history: put, edit, mv, undo, ...
	Message      string // why, for the history
	Undoes       int64  // the write that this one takes back
	Changes      []Change
	DryRun       bool
	AllowSecrets []string // rules of the secret scan that do not stop this write
	Project      string   // in which the caller works; "" for none

	// Within, where it is set, runs in the transaction that makes the change true in the
	// index, with the versions that it makes: what it writes is there when they are. In a
	// directory a crash between the files and the index loses it. It is not called where
	// nothing changes.
	Within func(ctx context.Context, tx store.Tx, versions []kb.Version) error

	// RewriteTimeline lets a human alter and drop entries of spaces whose timelines
	// are append-only. Undoes and restores may in any case.
	RewriteTimeline bool
}

// Change is what to do to one document. Changes of the same document are
// done in order, each on what the one before it left.
type Change struct {
	Space  *Space
	Path   string // slash-separated, within the space
	Action Action

	// Expected is the version that the caller saw; 0 says that the page must
	// not exist. Nil asks for no check, where the action allows that.
	Expected *int

	// Of is the id of the document that the caller found at Path before it held
	// the lock: another process may have put another one there since. "" asks
	// for no check.
	Of kb.ID
}

// OfPage is Change.Of for a page: none for a heading, whose id is in the text itself, and
// whose document has the sidecar.
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

		// KeepID is for text that was not made from what is there: an id that
		// the document carries stays in it, and the result names what else of
		// its metadata is gone.
		KeepID bool
		// Declare is for a page that is made here: where other programs know the
		// documents of its format by what stands in them, as org-roam does, one
		// that is new gets its id and a title.
		Declare bool
		// Copied is for text that stood in another page of the space, or in its policy:
		// neither schemas nor the secret scan keep it from being where it is copied to.
		Copied bool
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
	// PutSide gives the document the sidecar that a version of it had; nil for
	// none.
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
	// CheckPath refuses paths at which no page may be made: unsafe names,
	// ignored places, extensions that are no note's.
	CheckPath func(path string) error
	// Now is the clock after which new files are called, where the policy says so; nil
	// where none are made.
	Now func() time.Time
	// Consent is what a person accepted of the programs that the space's git repository
	// names; nil permits all of them when something is written.
	Consent *git.Consent
}

// Has reports whether there is a file at a path; a database has none to look for.
func (s *Space) Has(path string) bool { return s.Files == nil || fsys.Present(s.Files, path) }

// Result is what a change set did, or would do.
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
	From     string        // old path of a moved document
	Version  int           // after the write; before it in a dry run
	Old, New []byte        // bytes before and after; nil when absent
	OldSide  []byte        // those of the sidecar
	NewSide  []byte
	Warnings []doc.Warning // of the new bytes
	Notes    []string      // what the write did of itself
}
