package brief

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/space"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"

	"github.com/cairn-kb/cairn/internal/store"
)

// Engine primes the sessions of one caller. It is safe for concurrent use.
type Engine struct {
	DB     store.Engine
	Spaces *space.Registry
	Codecs []doc.Codec
	Place  space.Place
	Now    func() time.Time
	Actor  kb.Actor
	Gist   *GistEngine // what a space knows, where its policy says how much of it is told

	// Repository tells how the repository of a guarded space stands; nil for any other.
	Repository func(ctx context.Context, s kb.Space) (*api.GitState, error)
	// Curation says whether it is time to look through the pages of a space; nil where its
	// policy reminds nobody.
	Curation func(ctx context.Context, tx store.Tx, s kb.Space, p *policy.Policy) (*api.CurationDue, error)
	// Disputes counts the contradictions of spaces that count.
	Disputes func(ctx context.Context, tx store.Tx, spaces []int64) (int, error)

	// Waiting says what waits to be done in a space whose policy knows of such.
	Waiting func(ctx context.Context, s kb.Space) (Waiting, error)
}

// Waiting is what waits to be done in a space.
type Waiting struct {
	Routines []string `json:"routines,omitempty"` // names of those that are due
	Records  []string `json:"records,omitempty"`  // paths of pages that are to be written of days that are over
	Inbox    int      `json:"inbox,omitempty"`    // pages that nobody has sorted
}

// none reports whether nothing waits.
func (w Waiting) none() bool { return len(w.Routines)+len(w.Records)+w.Inbox == 0 }

// lines say how much it is and how it is asked for, then what it is called, quoted, since
// files may have any name.
func (w Waiting) lines() []string {
	var parts, names []string
	if n := len(w.Routines); n > 0 {
		parts, names = append(parts, api.Plural(n, "routine")+" (cairn routine due, tool routine)"), append(names, w.Routines...)
	}
	if n := len(w.Records); n > 0 {
		parts, names = append(parts, api.Plural(n, "page")+" to be written"), append(names, w.Records...)
	}
	if w.Inbox > 0 {
		parts = append(parts, api.Plural(w.Inbox, "page")+" to be sorted (cairn inbox, tool inbox)")
	}
	out := []string{"Due: " + strings.Join(parts, ", ") + "."}
	if len(names) > 0 {
		for i, name := range names {
			names[i] = primeName(name)
		}
		out = append(out, "> "+strings.Join(names, ", "))
	}
	return out
}
