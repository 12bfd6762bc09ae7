package policy

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/transcript"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Sessions selects the past sessions of agents that a space shows. The zero value
// shows none.
type Sessions struct {
	Clients []string `toml:"clients,omitempty"` // their sessions are shown
	// Directories are those in or below which a session ran; any when empty. Paths
	// in Except are excluded again.
	Directories []string `toml:"directories,omitempty"`
	Except      []string `toml:"except,omitempty"`
	Days        int      `toml:"days,omitempty"` // number of days after its end for which a session is shown; 0 is unlimited
}

// On reports whether the space shows any sessions.
func (s Sessions) On() bool { return len(s.Clients) > 0 }

// Reads reports whether sessions that ran in a directory are shown. home replaces
// "~". An unknown directory, "", may be an excluded one.
func (s Sessions) Reads(dir, home string) bool {
	if dir == "" {
		return len(s.Directories) == 0 && len(s.Except) == 0
	}
	in := func(all []string) bool {
		return slices.ContainsFunc(all, func(of string) bool {
			if rest, ok := strings.CutPrefix(of, "~"); ok && home != "" {
				of = home + rest
			}
			of, dir := slashes(of), slashes(dir)
			return dir == of || strings.HasPrefix(dir, strings.TrimSuffix(of, "/")+"/")
		})
	}
	return (len(s.Directories) == 0 || in(s.Directories)) && !in(s.Except)
}

// slashes cleans a path of any operating system.
func slashes(p string) string { return path.Clean(strings.ReplaceAll(p, `\`, "/")) }

// Since returns the time before which ended sessions are not shown, zero for none.
func (s Sessions) Since(now time.Time) time.Time {
	if s.Days == 0 {
		return time.Time{}
	}
	return now.AddDate(0, 0, -s.Days)
}

func (s Sessions) validate() error {
	for _, c := range s.Clients {
		if !slices.Contains(transcript.Clients(), transcript.Client(c)) {
			return kb.Errorf(kb.Invalid, "unknown client %q in sessions.clients", c).WithHint("Clients are %s.", kb.Listed(transcript.Clients()))
		}
	}
	for _, d := range slices.Concat(s.Directories, s.Except) {
		if d != "~" && !strings.HasPrefix(d, "~/") && !strings.HasPrefix(slashes(d), "/") && !strings.Contains(d, ":") {
			return kb.Errorf(kb.Invalid, "%q in the table sessions is not a whole path", d).WithHint("Write it from the root, or from ~.")
		}
	}
	if s.Days < 0 || s.Days > maxRetention {
		return kb.Errorf(kb.Invalid, "sessions.days is %d, which is not between 0 and %d", s.Days, maxRetention)
	}
	return nil
}
