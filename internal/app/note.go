package app

import (
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory/ref"
)

// Notebook is the pages as notes with observations and relations.
type Notebook struct{ *note.Engine }

// Notebook returns the pages as notes.
func (a *App) Notebook() Notebook { return Notebook{a.note} }

// CheckURI refuses a URI of a page that breaks a rule of its kind; see ref.CheckURI.
func CheckURI(raw string) error { return ref.CheckURI(raw) }

// What a note is, and what is asked of one; see note.
type (
	Note             = note.Note
	NoteHead         = note.Head
	NoteWritten      = note.Wrote
	NoteWriteRequest = note.WriteRequest
	NoteEditRequest  = note.EditRequest
	CanvasRequest    = note.CanvasRequest
	NoteOperation    = note.Operation
	ContextAround    = note.Context
	FileContent      = note.Content
	AroundRequest    = note.ContextRequest
)

// MaxAroundDepth is how many links context follows at most.
const MaxAroundDepth = note.MaxContextDepth

// The operations of an edit; see note.
const (
	NoteUpdate         = note.Update
	NoteAppend         = note.Append
	NotePrepend        = note.Prepend
	NoteFindReplace    = note.FindReplace
	NoteReplaceSection = note.ReplaceSection
	NoteInsertBefore   = note.InsertBefore
	NoteInsertAfter    = note.InsertAfter
)
