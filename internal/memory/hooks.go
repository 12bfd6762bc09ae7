package memory

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// The names of hooks. docs/architecture.md lists them in order.
const (
	HookSessions = "sessions" // writes the pages of past sessions
	HookFetch    = "fetch"    // asks the remote of a guarded space for commits
	HookPull     = "pull"     // brings them in
	HookRotate   = "rotate"   // turns pages of a day over
	HookGenerate = "generate" // refreshes generated parts of pages
	HookGap      = "gap"      // records a question without an answer
	HookUse      = "use"      // records on which day pages were used
)

// Hooks are what happens around reads and writes, in order. upkeep.Hooks is the one
// place that lists them; code of a lower room calls a higher one through nothing else.
type Hooks struct {
	BeforeRead  []Hook       // of a space, before it is synced to be read
	BeforeSync  []Hook       // of a directory, before its files are listed
	AfterSync   []Hook       // of a space whose files changed, once they are indexed
	BeforeWrite []Hook       // of each space of a write
	Behind      []Hook       // of each space of a write that has to be made after commits of a remote
	AfterWrite  []Hook       // of each space of a write
	AfterAnswer []AnswerHook // of a question, once its answer is out
	AfterRead   []ReadHook   // of pages that were read, or recalled with their text
}

// Hook is work around a read or a write of one space. Only hooks of Guarded spaces,
// and of writes that are no dry run, may fail; others add a notice. changed reports whether
// pages changed.
type Hook struct {
	Name    string
	Guarded bool // only for spaces that are kept in git, and not in a dry run
	Run     func(ctx context.Context, sess *Session, s kb.Space) (changed bool, err error)
}

// AnswerHook is work after a question was answered.
type AnswerHook struct {
	Name string
	Run  func(ctx context.Context, sess *Session, question string, spaces []kb.Space, answer api.SearchResult)
}

// ReadHook is work after pages were read.
type ReadHook struct {
	Name string
	Run  func(ctx context.Context, sess *Session, pages []api.Page)
}

// WasRead runs the hooks for pages that were read.
func (s *Session) WasRead(ctx context.Context, pages ...api.Page) {
	for _, h := range s.Hooks.AfterRead {
		h.Run(ctx, s, pages)
	}
}

// without returns the hooks less the named ones around writes.
func (h Hooks) without(names []string) Hooks {
	less := func(list []Hook) []Hook {
		return slices.DeleteFunc(slices.Clone(list), func(x Hook) bool { return slices.Contains(names, x.Name) })
	}
	h.BeforeWrite, h.AfterWrite = less(h.BeforeWrite), less(h.AfterWrite)
	return h
}

// RunHooks runs hooks for a space, in order, until one fails; those for guarded spaces
// with guarded only.
func (s *Session) RunHooks(ctx context.Context, hooks []Hook, of kb.Space, guarded bool) (changed bool, err error) {
	if of.Kind == kb.RemoteSpace { // its host runs them
		return false, nil
	}
	for _, h := range hooks {
		if h.Guarded && !guarded {
			continue
		}
		did, err := h.Run(ctx, s, of)
		changed = changed || did
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}
