package space

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// PersonOnly refuses an agent what only a person may do: agents change pages, never what
// binds them. what completes "an agent may not"; command is the fact from which each
// surface makes the command line for the person.
func PersonOnly(a kb.Actor, command, what string) error {
	if a.Kind != kb.Agent {
		return nil
	}
	return kb.Errorf(kb.Refused, "an agent may not %s", what).WithHint("Nothing was changed.").
		WithReason(kb.PersonOnly).WithFact("command", command)
}

// MayFill refuses an agent to write files that are no pages, such as a copy, to a path
// inside or above the directory of a space, whose rules bind them: of one of the memory, and
// of any other, see MayPut.
func (r *Registry) MayFill(ctx context.Context, dir, command string) error {
	if r.Actor.Kind != kb.Agent {
		return nil
	}
	if err := MayPut(r.Actor, dir, command); err != nil {
		return err
	}
	real, err := resolved(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	all, err := r.All(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Root != "" && (within(real, s.Root) || within(s.Root, real)) {
			return PersonOnly(r.Actor, command, "write files inside or above the space "+s.Name)
		}
	}
	return nil
}

// MayPut refuses an agent to write files to a path inside or directly above a directory with
// the policy of a space. The memory that has the space may be another one than the agent names.
func MayPut(a kb.Actor, path, command string) error {
	if a.Kind != kb.Agent {
		return nil
	}
	real, err := resolved(path)
	if err != nil {
		return fsys.Explain(err, "open %s", path)
	}
	var dirs []string
	for dir, last := real, ""; dir != last; dir, last = filepath.Dir(dir), dir {
		dirs = append(dirs, dir)
	}
	entries, _ := os.ReadDir(real) // a file and a path of nothing have none
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(real, e.Name()))
		}
	}
	for _, dir := range dirs {
		if fsys.Exists(filepath.Join(dir, policy.FileName)) {
			return PersonOnly(a, command, "write files inside or above the space in "+dir)
		}
	}
	return nil
}
