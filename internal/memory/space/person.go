package space

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

// PersonOnly rejects operations of an agent that only a person may do: agents
// change pages, never the rules that apply to them. what completes "an agent may
// not"; command is the fact from which each surface composes the command line for
// the person.
func PersonOnly(a kb.Actor, command, what string) error {
	if a.Kind != kb.Agent {
		return nil
	}
	return kb.Errorf(kb.Refused, "an agent may not %s", what).WithHint("Nothing was changed.").
		WithReason(kb.PersonOnly).WithFact("command", command)
}

// MayFill does not allow an agent to write files that are not pages, such as a
// copy, to a path inside or above the directory of a space. This applies to spaces
// of the memory, and to any other, see MayPut.
func (r *Registry) MayFill(ctx context.Context, dir, command string) error {
	if r.Actor.Kind != kb.Agent {
		return nil
	}
	if err := MayPut(ctx, r.Actor, r.Place, dir, command); err != nil {
		return err
	}
	real, err := Resolved(dir)
	if err != nil {
		return fsys.Explain(err, "open %s", dir)
	}
	all, err := r.All(ctx)
	if err != nil {
		return err
	}
	if s, ok := overlapping(all, real); ok {
		return PersonOnly(r.Actor, command, "write files inside or above the space "+s.Name)
	}
	return nil
}

// overlapping returns the space with a directory that is dir, or is inside or above
// it, even if a mount shows them at other paths.
func overlapping(spaces []kb.Space, dir string) (kb.Space, bool) {
	for _, dir := range append(fsys.ReadMounts().Others(dir), dir) {
		for _, s := range spaces {
			if s.Root != "" && (within(dir, s.Root) || within(s.Root, dir)) {
				return s, true
			}
		}
	}
	return kb.Space{}, false
}

// MayPut does not allow an agent to write files to a path inside or directly above
// a directory with the policy of a space, and inside or above a space of the user's
// own memory. Both may belong to another memory than the agent's.
func MayPut(ctx context.Context, a kb.Actor, place Place, path, command string) error {
	if a.Kind != kb.Agent {
		return nil
	}
	real, err := Resolved(path)
	if err != nil {
		return fsys.Explain(err, "open %s", path)
	}
	if dir, ok := policyAround(real); ok {
		return PersonOnly(a, command, "write files inside or above the space in "+dir)
	}
	spaces, err := spacesOfOthers(ctx, place)
	if err != nil {
		return err
	}
	if s, ok := overlapping(spaces, real); ok {
		return PersonOnly(a, command, "write files inside or above the space "+s.Name+" of another memory")
	}
	return nil
}

// policyAround returns the directory with the policy of a space that contains a
// path or is directly below it.
func policyAround(real string) (string, bool) {
	var dirs []string
	for _, at := range append(fsys.ReadMounts().Others(real), real) {
		for dir, last := at, ""; dir != last; dir, last = filepath.Dir(dir), dir {
			dirs = append(dirs, dir)
		}
	}
	entries, _ := os.ReadDir(real) // a file or a missing path has none
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(real, e.Name()))
		}
	}
	for _, dir := range dirs {
		if fsys.Exists(filepath.Join(dir, policy.FileName)) {
			return dir, true
		}
	}
	return "", false
}

// spacesOfOthers returns the spaces of the memories named in the user's environment
// and configuration, other than the one in use. A policy may be stored in a memory
// alone, so that the directory has no sign of it.
func spacesOfOthers(ctx context.Context, place Place) (spaces []kb.Space, err error) {
	used, err := DatabasePath(place)
	if err != nil {
		return nil, err
	}
	seen := []string{used}
	byVariable, byDefault := place, place
	byVariable.DB, byDefault.DB = "", ""
	byDefault.Env = func(name string) string {
		if name == "CAIRN_DB" {
			return ""
		}
		return place.Env(name)
	}
	for _, p := range []Place{byVariable, byDefault} {
		at, err := DatabasePath(p)
		if err != nil || slices.Contains(seen, at) {
			continue // no other memory
		}
		seen = append(seen, at)
		more, err := spacesIn(ctx, at)
		if err != nil {
			return nil, kb.Errorf(kb.CodeOf(err), "what belongs to the memory at %s is not known, and an agent must not write into it: %w", at, err)
		}
		spaces = append(spaces, more...)
	}
	return spaces, nil
}

// spacesIn returns the spaces of a memory, none if it does not exist.
func spacesIn(ctx context.Context, location string) (spaces []kb.Space, err error) {
	if exists, err := open.Exists(ctx, location); err != nil || !exists {
		return nil, err
	}
	db, err := open.Memory(ctx, location, store.Options{MustExist: true, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(ctx, func(tx store.Tx) (err error) {
		spaces, err = tx.Spaces().All(ctx)
		return err
	})
	return spaces, err
}
