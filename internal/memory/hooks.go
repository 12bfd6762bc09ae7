package memory

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Names of hooks. docs/architecture.md lists them in order.
const (
	HookSessions = "sessions" // writes the pages of past sessions
	HookFetch    = "fetch"    // fetches commits from the remote of a guarded space
	HookPull     = "pull"     // merges them
	HookRotate   = "rotate"   // rotates daily pages
	HookGenerate = "generate" // refreshes generated parts of pages
	HookGap      = "gap"      // records a question without a good answer
	HookUse      = "use"      // records the day on which pages were used
)

// Hooks is the work around reads and writes, in order. upkeep.Hooks is the only
// list of it; a lower room calls code of a higher room only through hooks.
type Hooks struct {
	BeforeRead  []Hook       // of a space, before it is synced for a read
	BeforeSync  []Hook       // of a directory, before its files are listed
	AfterSync   []Hook       // of a space with changed files, after they are indexed
	BeforeWrite []Hook       // of each space of a write
	Behind      []Hook       // of each space of a write that must follow commits of a remote
	AfterWrite  []Hook       // of each space of a write
	AfterAnswer []AnswerHook // of a question, after its answer was sent
	AfterRead   []ReadHook   // of pages that were read, or recalled with their text
}

// Hook is work around a read or a write of one space. Only hooks of Guarded spaces,
// and of writes that are not dry runs, may fail; others add a notice. changed
// reports whether pages changed.
type Hook struct {
	Name    string
	Guarded bool // only for git spaces, and not in a dry run
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

// without returns the hooks except the named ones around writes.
func (h Hooks) without(names []string) Hooks {
	less := func(list []Hook) []Hook {
		return slices.DeleteFunc(slices.Clone(list), func(x Hook) bool { return slices.Contains(names, x.Name) })
	}
	h.BeforeWrite, h.AfterWrite = less(h.BeforeWrite), less(h.AfterWrite)
	return h
}

// RunHooks runs hooks for a space, in order, until one fails. Hooks of guarded
// spaces only run if guarded is set.
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
