package policy

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Guard configures a directory with a git repository.
type Guard struct {
	// Commit makes a commit for each write.
	Commit bool `toml:"commit,omitempty"`
	// Fetch is the number of seconds after which a write first fetches from the
	// remote again; 0 never fetches.
	Fetch int `toml:"fetch,omitempty"`
	// Push pushes every commit in the background, regardless of its author.
	Push bool `toml:"push,omitempty"`
	// Hooks selects whether hooks of the repository run.
	Hooks Hooks `toml:"hooks,omitempty"`
	// Settle is the number of seconds without edits after which a server commits
	// changes by other programs; 0 leaves that to people.
	Settle int `toml:"settle,omitempty"`
}

// Every is how long the last fetch is valid.
func (g Guard) Every() time.Duration { return time.Duration(g.Fetch) * time.Second }

// Hooks selects whether hooks of a repository run.
type Hooks string

// Hooks of the repository are run, which is the default, or skipped.
const (
	RunHooks  Hooks = "run"
	SkipHooks Hooks = "skip"
)

// maxGuardWait limits the times of Guard, in seconds: a day.
const maxGuardWait = 24 * 60 * 60

func (g Guard) validate() error {
	switch {
	case g.Fetch < 0 || g.Fetch > maxGuardWait:
		return kb.Errorf(kb.Invalid, "guard.fetch in the space's policy is %d, which is not between 0 and %d seconds", g.Fetch, maxGuardWait)
	case g.Settle < 0 || g.Settle > maxGuardWait:
		return kb.Errorf(kb.Invalid, "guard.settle in the space's policy is %d, which is not between 0 and %d seconds", g.Settle, maxGuardWait)
	case g.Hooks != "" && g.Hooks != RunHooks && g.Hooks != SkipHooks:
		return kb.Errorf(kb.Invalid, "guard.hooks %q in the space's policy is neither run nor skip", g.Hooks)
	case !g.Commit && (g.Fetch > 0 || g.Settle > 0 || g.Hooks != ""):
		return kb.Errorf(kb.Invalid, "guard.fetch, hooks and settle in the space's policy have no effect without guard.commit").
			WithHint("Set commit = true in [guard], or take them out.")
	}
	return nil
}
