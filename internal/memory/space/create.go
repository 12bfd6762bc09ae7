package space

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Create creates a directory, if it does not exist, and adds it with add, unless it
// is already the space with that name. For an agent it must be below the home
// directory or below the client's working directory, without hidden directories in
// its path, and must not be the home directory itself.
func Create(ctx context.Context, r *Registry, req AddRequest, actor kb.Actor, add func(context.Context, AddRequest) (api.Space, error)) (api.Space, error) {
	if req.Root == "" {
		return api.Space{}, kb.Errorf(kb.Usage, "a space needs a directory").WithReason(kb.NoSpaceDirectory)
	}
	dir, err := r.Place.Located(req.Root)
	if err != nil {
		return api.Space{}, err
	}
	real, err := Resolved(dir)
	if err != nil {
		return api.Space{}, err
	}
	if actor.Kind != kb.Human && !grants(r, real) {
		return api.Space{}, kb.Errorf(kb.Refused, "an agent may create a space only below the home directory or the client's working directory, and not in a hidden directory: %s", real).
			WithHint("Nothing was made. Ask the user to add it, or name another directory.")
	}
	if all, err := r.All(ctx); err != nil {
		return api.Space{}, err
	} else if s, err := Named(all, req.Name); req.Name != "" && err == nil {
		if s.Root == real {
			return r.Show(ctx, s.Name) // a repeated request returns the existing space
		}
		return api.Space{}, kb.Errorf(kb.Conflict, "there is a space %s already", s.Name).WithReason(kb.SpaceNameTaken)
	}
	if err := OnlyPersonsName(actor, req.Remote); err != nil {
		return api.Space{}, err
	}
	if err := r.mayAttach(ctx, real, req); err != nil {
		return api.Space{}, err
	}
	if !req.DryRun {
		if err := fsys.MakeDir(real); err != nil {
			return api.Space{}, err
		}
	}
	req.Root = real
	return add(ctx, req)
}

// Resolved applies fsys.Real to the existing part of a path.
func Resolved(dir string) (string, error) {
	real, err := fsys.Real(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
		return real, err
	}
	above, err := Resolved(filepath.Dir(dir))
	return filepath.Join(above, filepath.Base(dir)), err
}

// grants reports whether an agent may create a space in a directory.
func grants(r *Registry, dir string) bool {
	for _, root := range append(pathsOf(r.Place.Home), pathsOf(r.Place.Dir)...) {
		rel, err := filepath.Rel(root, dir)
		if root == "" || filepath.Dir(root) == root || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		hidden := strings.HasPrefix(rel, ".") || strings.Contains(rel, string(filepath.Separator)+".")
		if !hidden { // "." is the directory itself, and not below it
			return true
		}
	}
	return false
}

// inPin rejects a space other than the only one that the caller may use.
func inPin(r *Registry, all []kb.Space, s kb.Space) error {
	if r.Pinned == "" {
		return nil
	}
	only, err := Named(all, r.Pinned)
	if err == nil && only.Row != s.Row {
		err = kb.Errorf(kb.Refused, "only the space %s may be used here, not %s", only.Name, s.Name)
	}
	return err
}

// InPin rejects the id of a space other than the only one that the caller may use.
func InPin(r *Registry, all []kb.Space, id kb.ID) error {
	for _, s := range all {
		if s.ID == id {
			return inPin(r, all, s)
		}
	}
	return nil
}
