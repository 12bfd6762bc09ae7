package memory

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Session is an open memory in the view of one caller: everything that a use case
// may need. It is cheap to create, and safe for concurrent use. Use cases are
// functions over it, such as history.Undo.
type Session struct {
	DB       store.Engine
	Index    *index.Index
	Writer   *write.Writer
	Syncer   *reconcile.Syncer
	Follower *reconcile.Follower // nil when each question scans
	Codecs   []doc.Codec

	Spaces *space.Registry // the caller's view of them
	Refs   *ref.Resolver
	Place  space.Place
	Now    func() time.Time
	Actor  kb.Actor
	Hint   kb.Hinter

	Workers int // goroutines of the embedding model and of readers
	Wait    func(context.Context, time.Duration) error
	Chance  func() float64

	Notices   *Notices
	Log       *Log
	Kept      *store.Kept // counts and findings, until the next commit
	ReadOnly  bool
	Temporary bool
	OnWritten func(api.Written)
	Hooks     Hooks
	Presets   PresetFiles
	Values    *Values

	memory *Memory
	opts   Options
}

// Caller is one of several that use an open memory through one process.
type Caller struct {
	Dir   string // working directory, absolute; "" for none
	Space string // requested space, "" to decide
	Only  bool   // no other space may be used
	Actor kb.Actor

	// Suggests means that pages are only suggestions while a person types: nothing
	// counts as a question or as a read.
	Suggests bool
}

// For returns the session of another caller, with its current space and its name in
// the history. It lives as long as s, and is not closed.
func (s *Session) For(c Caller) *Session {
	opts := s.opts
	opts.Dir, opts.Space, opts.Actor, opts.only = c.Dir, c.Space, c.Actor, ""
	if c.Only {
		opts.only = c.Space
	}
	if c.Suggests {
		opts.Hooks.AfterAnswer, opts.Hooks.AfterRead = nil, nil
	}
	return s.memory.session(opts, &Notices{})
}

// In returns the session of the same caller with another current space; without a
// name it returns s itself.
func (s *Session) In(space string) *Session {
	if space == "" {
		return s
	}
	opts := s.opts
	opts.Space = space
	return s.memory.session(opts, s.Notices)
}

// As returns the session with another actor, and without the named hooks around
// writes. Reads and syncs keep all hooks.
func (s *Session) As(actor kb.Actor, without ...string) *Session {
	out := *s
	out.Actor = actor
	spaces := *s.Spaces
	spaces.Actor = actor
	out.Spaces = &spaces
	out.Hooks = s.Hooks.without(without)
	return &out
}

// Scheduled returns the session for calendar work: its writes belong to the
// schedule, and do not start further calendar work.
func (s *Session) Scheduled() *Session {
	return s.As(kb.Actor{Kind: kb.Schedule}, HookRotate, HookGenerate)
}

// Notes returns notices about the directories that the caller works in, one line
// each and only once: one is a second place of a space, or has moved.
func (s *Session) Notes() []string { return s.Notices.Take() }
