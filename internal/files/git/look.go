package git

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// setting is a line of git's configuration.
type setting struct {
	scope string // "system", "global", "local", "worktree" or "command"
	key   string // section and name in small letters
	value string
	bare  bool // a key without a value, which means true
}

// ofRepository reports whether the setting comes from the repository, not from the user
// or the machine.
func (s setting) ofRepository() bool { return s.scope == "local" || s.scope == "worktree" }

// on reports whether the setting is true.
func (s setting) on() bool {
	n, err := strconv.Atoi(s.value)
	return s.bare || err == nil && n != 0 || slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(s.value))
}

// settings reads the effective configuration. Reading it runs no program.
func (t *Tree) settings(ctx context.Context) ([]setting, error) {
	out, err := t.git(ctx, run{args: []string{"config", "--list", "--show-scope", "-z"}})
	if err != nil {
		return nil, err
	}
	var all []setting
	listed := fields(out)
	for i := 0; i+1 < len(listed); i += 2 {
		key, value, given := strings.Cut(listed[i+1], "\n")
		all = append(all, setting{listed[i], key, value, !given})
	}
	return all, nil
}

// named splits a key into section, subsection and name: filter.lfs.clean has the
// subsection lfs.
func named(key string) (section, name, last string) {
	section, rest, _ := strings.Cut(key, ".")
	if n := strings.LastIndexByte(rest, '.'); n >= 0 {
		return section, rest[:n], rest[n+1:]
	}
	return section, "", rest
}

// pair is a setting for one run of git. It is passed in the environment: on the command
// line a subsection with "=" in it would end the key.
type pair struct{ key, value string }

// looking and lookingVariables make a read-only run safe: git runs no hook, checks no
// signature and fetches nothing, not even missing objects of a partial clone.
var (
	looking          = []pair{{"core.hooksPath", os.DevNull}, {"log.showSignature", "false"}}
	lookingVariables = []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"}
)

// unfiltered returns settings that disable every configured filter, so that git compares
// the raw bytes of files.
func unfiltered(all []setting) (out []pair) {
	var seen []string
	for _, s := range all {
		section, name, _ := named(s.key)
		if section != "filter" || name == "" || slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		for _, part := range []string{"clean", "smudge", "process"} {
			out = append(out, pair{"filter." + name + "." + part, ""})
		}
		out = append(out, pair{"filter." + name + ".required", "false"})
	}
	return out
}

// variables returns the pairs as environment variables of git.
func variables(pairs []pair) (out []string) {
	if len(pairs) == 0 {
		return nil
	}
	for i, p := range pairs {
		out = append(out, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, p.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, p.value))
	}
	return append(out, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(pairs)))
}

// personal returns the user's own settings for access to remotes, for a run outside the
// repository: conditional includes for its directory would be missing there.
func personal(all []setting) (out []pair) {
	for _, s := range all {
		section, _, last := named(s.key)
		if !s.ofRepository() && (s.key == "core.sshcommand" || section == "credential" && last == "helper") {
			out = append(out, pair{s.key, s.value})
		}
	}
	return out
}
